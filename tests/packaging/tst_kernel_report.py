"""kernel_report.py on recorded words of cuobjdump, on kernels compiled here, and on the built program.

usage: tst_kernel_report.py [PROGRAM]     program: gpu_checks with kernels
"""
import contextlib
import glob
import io
import itertools
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "packaging"))
import kernel_report as report  # noqa: E402
from kernel_report import Accesses, Fact, Kernel  # noqa: E402

PROGRAM = sys.argv.pop() if len(sys.argv) > 1 and not sys.argv[-1].startswith("-") else None

RESOURCES = """
Fatbin elf code:
================
arch = sm_90
code version = [1,8]

Resource usage:
 Common:
  GLOBAL:28 CONSTANT[4]:224
 Function _ZN8lockstep3ops14epilogueKernelIN3c108BFloat16EfLi8EEEvPT_PKT0_PKS4_bli:
  REG:40 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:572 TEXTURE:0 SURFACE:0 SAMPLER:0
 Function _ZN8lockstep3ops10keepKernelENS0_8NmsBoxesEPKyNS0_7NmsKeptE:
  REG:32 STACK:16 SHARED:34312 LOCAL:0 CONSTANT[0]:600 TEXTURE:0 SURFACE:0 SAMPLER:0

Fatbin elf code:
================
arch = sm_120
code version = [1,8]

Resource usage:
 Function _ZN8lockstep3ops10keepKernelENS0_8NmsBoxesEPKyNS0_7NmsKeptE:
  REG:38 STACK:0 SHARED:34312 LOCAL:0 CONSTANT[0]:1472 TEXTURE:0 SURFACE:0 SAMPLER:0
"""

SASS = """
	code for sm_90
		Function : first
	.headerflags	@"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                                  /* 0x00000a00ff017b82 */
                                                                                           /* 0x000fe20000000800 */
        /*0010*/                   LDG.E.128 R8, desc[UR10][R8.64] ;                       /* 0x0000000a08087981 */
        /*0020*/               @P0 LDG.E.128.CONSTANT R12, desc[UR6][R12.64] ;             /* 0x000000060c0c7981 */
        /*0030*/              @!P1 STG.E.128 desc[UR14][R4.64], R8 ;                       /* 0x0000000804007986 */
        /*0040*/                   LDG.E.64 R2, desc[UR4][R2.64] ;                         /* 0x0000000402027981 */
        /*0050*/                   LDS.128 R4, [R5] ;                                      /* 0x0000000005047984 */
		Function : second
        /*0000*/              @UP0 STL.64 [R1+0x8], R2 ;                                   /* 0x0000080201007387 */
        /*0010*/                   LDL R0, [R1] ;                                          /* 0x0000000001007983 */
       /*1a2b0*/                   STG.E desc[UR14][R4.64], R8 ;                           /* 0x0000000804007986 */
"""

# Blocks of (threads, registers, bytes of shared memory) at once: what the toolkit's cuda_occupancy.h (CUDA 13.0) says for compute
# capability 9.0.
OCCUPANCY = {(256, 128, 1152): 2, (256, 40, 0): 6, (512, 32, 25680): 4, (64, 32, 1536): 32, (256, 32, 33288): 6}

CALCULATOR = r"""
#include <cstddef>
#include <cuda_occupancy.h>
#include <cstdio>
int main() {
  cudaOccDeviceProp gpu;
  gpu.computeMajor = 9;
  gpu.computeMinor = 0;
  gpu.maxThreadsPerBlock = 1024;
  gpu.maxThreadsPerMultiprocessor = 2048;
  gpu.regsPerBlock = gpu.regsPerMultiprocessor = 65536;
  gpu.warpSize = 32;
  gpu.sharedMemPerBlock = 49152;
  gpu.sharedMemPerMultiprocessor = 233472;
  gpu.numSms = 132;
  gpu.sharedMemPerBlockOptin = 232448;
  gpu.reservedSharedMemPerBlock = 1024;
  cudaOccFuncAttributes kernel;
  kernel.maxThreadsPerBlock = 1024;
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.maxDynamicSharedSizeBytes = 232448;
  const cudaOccDeviceState state;
  int threads, shared;
  cudaOccResult result;
  while (std::scanf("%d %d %d", &threads, &kernel.numRegs, &shared) == 3) {
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &gpu, &kernel, &state, threads, shared) != CUDA_OCC_SUCCESS) return 1;
    std::printf("%d\n", result.activeBlocksPerMultiprocessor);
  }
}
"""

KERNELS = """
__global__ void wideKernel(const float4* from, float4* to) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void spillingKernel(const int* places, float* out) {
  float values[64];
  for (int i = 0; i < 64; ++i) values[places[i]] = i;
  for (int i = 0; i < 64; ++i) out[i] = values[places[63 - i]];
}
"""


def found_at(*patterns):
    """The first file of these patterns, or None."""
    return next((found for pattern in patterns for found in sorted(glob.glob(pattern))), None)


TRITON = str(ROOT / ".venv/lib/python3*/site-packages/triton/backends/nvidia")
CUOBJDUMP = shutil.which("cuobjdump") or found_at("/usr/local/cuda*/bin/cuobjdump", f"{TRITON}/bin/cuobjdump")
NVCC = shutil.which("nvcc") or found_at("/usr/local/cuda*/bin/nvcc")
OCCUPANCY_HEADER = found_at("/usr/local/cuda*/include/cuda_occupancy.h", f"{TRITON}/include/cuda_occupancy.h")
COMPILER = shutil.which("g++") or shutil.which("c++")


def run_report(program):
    """Exit status and output."""
    with contextlib.redirect_stdout(io.StringIO()) as out, unittest.mock.patch.object(
            sys, "argv", ["kernel_report.py", CUOBJDUMP, str(program)]):
        return report.main(), out.getvalue()


class Words(unittest.TestCase):
    def test_resources_are_read_by_kernel_and_architecture(self):
        self.assertEqual(report.kernels(RESOURCES), {
            "_ZN8lockstep3ops14epilogueKernelIN3c108BFloat16EfLi8EEEvPT_PKT0_PKS4_bli": {"sm_90": Kernel(40, 0, 0)},
            "_ZN8lockstep3ops10keepKernelENS0_8NmsBoxesEPKyNS0_7NmsKeptE": {"sm_90": Kernel(32, 16, 34312),
                                                                           "sm_120": Kernel(38, 0, 34312)}})

    def test_instructions_are_counted_under_any_predicate(self):
        self.assertEqual(report.accesses(SASS.splitlines()), {"first": Accesses(2, 1, 0), "second": Accesses(0, 0, 2)})


class Facts(unittest.TestCase):
    FACT = Fact("roiAlignBackwardKernel<.*>", "a.cuh:kThreads", 128, 0.25, wide_loads=2, wide_stores=1)

    def broken(self, kernel, code, name="roiAlignBackwardKernel<float>"):
        return report.broken_facts({name: (kernel, code)}, [self.FACT], threads_at=lambda place: 256)

    def test_what_holds_is_not_told(self):
        self.assertEqual(self.broken(Kernel(128, 0, 1280), Accesses(2, 1, 0)), [])

    def test_each_fact_has_its_line(self):
        whole = Kernel(128, 0, 1280), Accesses(2, 1, 0)
        for kernel, code, line in [
                (Kernel(129, 0, 1280), whole[1], "registers: found 129, expected at most 128"),
                (Kernel(128, 0, 120000), whole[1], "occupancy: found 0.125, expected at least 0.25"),
                (whole[0], Accesses(1, 1, 0), "128-bit loads: found 1, expected at least 2"),
                (whole[0], Accesses(2, 0, 0), "128-bit stores: found 0, expected at least 1"),
                (Kernel(128, 24, 1280), Accesses(2, 1, 3),
                 "local memory: found 24 bytes of stack and 3 accesses, expected none")]:
            self.assertIn(f"roiAlignBackwardKernel<float>: {line}", self.broken(kernel, code))

    def test_a_row_without_a_kernel_is_told(self):
        self.assertEqual(self.broken(Kernel(1, 0, 0), Accesses(), name="other"), ["roiAlignBackwardKernel<.*>: found no such kernel"])

    def test_every_row_names_a_constant(self):
        for fact in report.FACTS:
            self.assertEqual(report.constant(fact.threads) % 32, 0, fact.kernels)


class Occupancy(unittest.TestCase):
    def test_equals_recorded_figures(self):
        self.assertEqual({each: report.blocks_at_once(*each) for each in OCCUPANCY}, OCCUPANCY)

    @unittest.skipUnless(COMPILER and OCCUPANCY_HEADER, "needs a C++ compiler and CUDA's cuda_occupancy.h")
    def test_equals_the_calculator_of_cuda(self):
        cases = list(itertools.product(range(32, 1025, 32), [*range(16, 256, 3), 255],
                                       [0, 896, 12096, 25680, 60000, 110000, 232448]))
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "calculator.cpp"
            source.write_text(CALCULATOR)
            program = source.with_suffix("")
            subprocess.run([COMPILER, "-I", pathlib.Path(OCCUPANCY_HEADER).parent, source, "-o", program], check=True)
            words = "\n".join(" ".join(map(str, case)) for case in cases)
            said = subprocess.run([program], input=words, capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(len(said), len(cases))
        wrong = [f"{case}: {report.blocks_at_once(*case)}, there {word}" for case, word in zip(cases, said)
                 if report.blocks_at_once(*case) != int(word)]
        if wrong:
            self.fail(f"{len(wrong)} of {len(cases)}: {wrong[:3]}")


@unittest.skipUnless(CUOBJDUMP, "needs cuobjdump")
class Programs(unittest.TestCase):
    @unittest.skipUnless(NVCC, "needs nvcc")
    def test_a_kernel_with_an_array_in_local_memory_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "kernels.cu"
            source.write_text(KERNELS)
            subprocess.run([NVCC, "-fatbin", "-arch", "sm_90", source, "-o", source.with_suffix(".fatbin")], check=True)
            facts = [Fact("wideKernel", "box_coding.cu:kBoxThreads", 32, 1.0, wide_loads=1, wide_stores=1)]
            with unittest.mock.patch.object(report, "FACTS", facts):
                status, out = run_report(source.with_suffix(".fatbin"))
        self.assertEqual(status, 1, out)
        self.assertRegex(out, r"spillingKernel: local memory: found 256 bytes of stack and \d+ accesses, expected none")
        self.assertNotIn("wideKernel:", out)

    @unittest.skipUnless(PROGRAM and pathlib.Path(PROGRAM).exists(), "needs a built program with kernels")
    def test_all_facts_hold_in_the_built_program(self):
        status, out = run_report(PROGRAM)
        if "are not checked" in out:
            self.skipTest(out.splitlines()[-1])
        self.assertEqual(status, 0, "\n".join(line for line in out.splitlines() if "expected" in line or "no such" in line))
        self.assertIn("all limits of", out)

    @unittest.skipUnless(PROGRAM and pathlib.Path(PROGRAM).exists(), "needs a built program with kernels")
    def test_without_sources_local_memory_alone_is_checked(self):
        with unittest.mock.patch.object(report, "SOURCES", pathlib.Path("/nonexistent")):
            status, out = run_report(PROGRAM)
        if "are not checked" in out:
            self.skipTest(out.splitlines()[-1])
        self.assertEqual(status, 0, out)
        self.assertIn("only local memory is checked", out)


if __name__ == "__main__":
    unittest.main(verbosity=2)
