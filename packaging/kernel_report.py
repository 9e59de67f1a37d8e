"""Prints the resources of every CUDA kernel in a program, and checks them against the limits of the table FACTS.

usage: kernel_report.py CUOBJDUMP PROGRAM

Prints registers, stack and shared memory for all architectures; for sm_90, which FACTS are for, also the occupancy (share of warps
that run at once) and the 128-bit memory accesses. Exits with status 1 and prints a line for each limit that does not hold: kernel,
resource, found, expected. Block sizes are read from engine/ops/cuda beside packaging/; without these sources only local memory is
checked.
"""
import pathlib
import re
import subprocess
import sys
import typing

SOURCES = pathlib.Path(__file__).resolve().parents[1] / "engine/ops/cuda"
ARCHITECTURE = "sm_90"

# A multiprocessor of compute capability 9.0, as in the toolkit's cuda_occupancy.h.
WARPS, BLOCKS, PARTITIONS = 64, 32, 4
REGISTERS_OF_PARTITION, REGISTERS_AT_ONCE = 65536 // PARTITIONS, 256
SHARED_BYTES, SHARED_AT_ONCE, RESERVED_BYTES = 233472, 128, 1024


class Kernel(typing.NamedTuple):
    """Resources of one kernel for one architecture, as cuobjdump prints them."""
    registers: int
    stack: int  # bytes: spills and arrays in local memory
    shared: int  # bytes, including those that sm_90 reserves per block if the kernel uses any


class Accesses(typing.NamedTuple):
    """Number of memory instructions in the code of a kernel."""
    wide_loads: int = 0  # of global memory, 128 bits per thread
    wide_stores: int = 0
    local: int = 0  # of local memory


class Fact(typing.NamedTuple):
    """Limits of each kernel whose name matches."""
    kernels: str  # regular expression
    threads: str  # of a block: its constant as FILE:NAME
    registers: int  # at most
    occupancy: float  # at least
    wide_loads: int = 0  # at least
    wide_stores: int = 0  # at least
    dynamic_bytes: int = 0  # of shared memory given at launch, for an image of 1344 px


_FLOATING = "<(BFloat16|Half|float|double)"
_PACKS = "(8|4|2)"  # values in 16 bytes; kernels with 1 are for feature maps without 16-byte alignment
FACTS = [
    # A thread sums up the 64 pixels of a tile: it needs the registers, spilling would cost more.
    Fact(r"roiAlignBackwardKernel<(BFloat16|Half|float)>", "roi_align.cuh:kRoiThreads", 128, 0.25, dynamic_bytes=896),
    Fact(r"roiAlignBackwardKernel<double>", "roi_align.cuh:kRoiThreads", 255, 0.125, dynamic_bytes=896),
    Fact(r"roiAlignKernel<(BFloat16, 8|Half, 8|float, 4)>", "roi_align.cuh:kRoiThreads", 64, 0.5, wide_loads=4,
         wide_stores=1),
    Fact(r"roiAlignKernel<double, 2>", "roi_align.cuh:kRoiThreads", 72, 0.375, wide_loads=4, wide_stores=1),
    Fact(rf"epilogueKernel{_FLOATING}, .*, {_PACKS}>", "epilogue.cuh:kEpilogueThreads", 40, 0.75, wide_loads=2,
         wide_stores=1),
    Fact(rf"maxPoolKernel{_FLOATING}, {_PACKS}>", "max_pool.cu:kPoolThreads", 40, 0.75, wide_loads=1, wide_stores=1),
    Fact(rf"maxPoolBackwardKernel{_FLOATING}, {_PACKS}>", "max_pool.cu:kPoolThreads", 48, 0.625, wide_loads=1, wide_stores=1),
    Fact(rf"channelSumsKernel{_FLOATING}, {_PACKS}, .*", "group_norm.cuh:kNormThreads", 72, 0.375, wide_loads=1),
    Fact(rf"normaliseKernel{_FLOATING}, {_PACKS}>", "group_norm.cuh:kNormThreads", 40, 0.75, wide_loads=2, wide_stores=1),
    Fact(rf"normBackwardKernel{_FLOATING}, {_PACKS}>", "group_norm.cuh:kNormThreads", 72, 0.375, wide_loads=2,
         wide_stores=2),
    Fact(r"norm(Moments|Coefficients)Kernel<.*>", "group_norm.cuh:kGroupThreads", 48, 0.625),
    Fact(r"overlapKernel", "nms.cuh:kNmsBits", 40, 0.75, wide_loads=2),
    Fact(r"(group|gather)Kernel", "nms.cuh:kNmsThreads", 32, 1.0),
    Fact(r"keepKernel", "nms.cuh:kNmsThreads", 32, 1.0, dynamic_bytes=256),
    Fact(r"(best|restore)Kernel", "matching.cuh:kMatchThreads", 32, 1.0, wide_loads=2),
    Fact(r"sample(Parts)?Kernel", "sampling.cu:kSampleThreads", 32, 1.0),
    Fact(r"bestOf(Parts|Segments)Kernel<.*>", "segment_best.cu:kSegmentThreads", 32, 1.0),
    Fact(r"targetKernel", "mask_targets.cuh:kTargetThreads", 40, 0.75, dynamic_bytes=12096),
    Fact(r"boxKernel<.*>", "box_coding.cu:kBoxThreads", 32, 1.0),
    Fact(r"(chunkSums|addChunks)Kernel", "tensor_sums.cuh:kSumThreads", 40, 0.75),
    Fact(r"resizeKernel<.*>", "resize_images.cuh:kResizeThreads", 40, 0.75),
]


def kernels(dump):
    """{mangled name: {architecture: Kernel}} of `cuobjdump --dump-resource-usage`"""
    found, architecture, name = {}, None, None
    for line in dump.splitlines():
        if line.startswith("arch = "):
            architecture = line.removeprefix("arch = ").strip()
        elif line.strip().startswith("Function "):
            name = line.strip().removeprefix("Function ").removesuffix(":")
        elif name and "REG:" in line:
            resources = dict(re.findall(r"(\w+):(\d+)", line))
            found.setdefault(name, {})[architecture] = Kernel(*(int(resources[key]) for key in ("REG", "STACK", "SHARED")))
            name = None
    return found


def accesses(lines):
    """{mangled name: Accesses} of the lines of `cuobjdump --dump-sass`, of one architecture"""
    found, name = {}, None
    for line in lines:
        text = line.strip()
        if text.startswith("Function : "):
            name = text.removeprefix("Function : ")
            found[name] = Accesses()
            continue
        instruction = re.match(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)", text)
        if name is None or instruction is None:
            continue
        words, so_far = instruction[1].split("."), found[name]
        if words[0] in ("LDL", "STL"):
            found[name] = so_far._replace(local=so_far.local + 1)
        elif words[0] in ("LDG", "LD") and "128" in words:
            found[name] = so_far._replace(wide_loads=so_far.wide_loads + 1)
        elif words[0] in ("STG", "ST") and "128" in words:
            found[name] = so_far._replace(wide_stores=so_far.wide_stores + 1)
    return found


def rounded_up(value, multiple):
    return -(-value // multiple) * multiple


def blocks_at_once(threads, registers, shared):
    """Number of blocks that a multiprocessor of sm_90 runs at once; shared: bytes of the block."""
    warps = rounded_up(threads, 32) // 32
    warps_by_registers = REGISTERS_OF_PARTITION // rounded_up(registers * 32, REGISTERS_AT_ONCE) * PARTITIONS
    return min(BLOCKS, WARPS // warps, warps_by_registers // warps,
               SHARED_BYTES // rounded_up(shared + RESERVED_BYTES, SHARED_AT_ONCE))


def occupancy(threads, kernel, dynamic_bytes=0):
    """Fraction of its warps that a multiprocessor runs at once."""
    shared = max(kernel.shared - RESERVED_BYTES, 0) + dynamic_bytes
    return blocks_at_once(threads, kernel.registers, shared) * (rounded_up(threads, 32) // 32) / WARPS


def constant(place):
    """The number of `FILE:NAME` in engine/ops/cuda."""
    file, name = place.split(":")
    found = re.search(rf"constexpr int {name} =\s*(\d+);", (SOURCES / file).read_text())
    if found is None:
        sys.exit(f"kernel_report.py: engine/ops/cuda/{file} has no constexpr int {name}, which a row of FACTS names")
    return int(found[1])


def occupancies(found, facts, threads_at=constant):
    """{name: occupancy} of the kernels in FACTS"""
    return {name: occupancy(threads_at(fact.threads), kernel, fact.dynamic_bytes)
            for fact in facts for name, (kernel, _) in found.items() if re.fullmatch(fact.kernels, name)}


def broken_facts(found, facts, threads_at=constant):
    """A line for each limit that a kernel of {name: (Kernel, Accesses)} breaks."""
    at_once = occupancies(found, facts, threads_at)
    lines = [f"{name}: local memory: found {kernel.stack} bytes of stack and {code.local} accesses, expected none"
             for name, (kernel, code) in found.items() if kernel.stack or code.local]
    for fact in facts:
        matching = [name for name in found if re.fullmatch(fact.kernels, name)]
        if not matching:
            lines.append(f"{fact.kernels}: found no such kernel")
        for name in matching:
            kernel, code = found[name]
            checks = [("registers", kernel.registers, "at most", fact.registers, kernel.registers <= fact.registers),
                      ("occupancy", at_once[name], "at least", fact.occupancy, at_once[name] >= fact.occupancy),
                      ("128-bit loads", code.wide_loads, "at least", fact.wide_loads, code.wide_loads >= fact.wide_loads),
                      ("128-bit stores", code.wide_stores, "at least", fact.wide_stores, code.wide_stores >= fact.wide_stores)]
            lines += [f"{name}: {what}: found {value}, expected {bound} {expected}"
                      for what, value, bound, expected, holds in checks if not holds]
    return lines


def plain_names(mangled):
    text = subprocess.run(["c++filt"], input="\n".join(mangled), capture_output=True, text=True, check=True).stdout
    names = [re.sub(r"\(anonymous namespace\)::|lockstep::ops::|c10::", "", name) for name in text.splitlines()]
    return [re.sub(r"\(.*$", "", name.removeprefix("void ")) for name in names]


def number(architecture):
    return int(re.sub(r"\D", "", architecture))


def dumped(cuobjdump, *arguments):
    ended = subprocess.run([cuobjdump, *arguments], capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(f"kernel_report.py: {cuobjdump} {' '.join(arguments)}: {ended.stderr.strip()}")
    return ended.stdout


def print_table(found, architectures, of_facts, facts):
    """found: {name: {architecture: Kernel}}; of_facts: {name: (Kernel, Accesses)} of the architecture of the facts."""
    print(f"{len(found)} kernels for {', '.join(architectures) or 'no architecture'}; registers, + bytes of stack (spills and "
          f"arrays); of {ARCHITECTURE} 128-bit loads and stores, and occupancy")
    print(f"{'kernel':64}" + "".join(f"{name:>10}" for name in architectures) + f"{'shared B':>10}{'128-bit':>10}{'warps':>10}")
    at_once = occupancies(of_facts, facts)
    for name, by_architecture in sorted(found.items()):
        cells = [by_architecture.get(each, Kernel(0, 0, 0)) for each in architectures]
        taken = [f"{cell.registers}+{cell.stack}" if cell.stack else str(cell.registers) for cell in cells]
        wide = f"{of_facts[name][1].wide_loads}, {of_facts[name][1].wide_stores}" if name in of_facts else ""
        warps = f"{at_once[name]:.1%}" if name in at_once else ""
        shared = max(cell.shared for cell in cells)
        print(f"{name:64}" + "".join(f"{each:>10}" for each in taken) + f"{shared:10}{wide:>10}{warps:>10}".rstrip())


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    cuobjdump, program = sys.argv[1:]
    mangled = kernels(dumped(cuobjdump, "--dump-resource-usage", program))
    names = dict(zip(mangled, plain_names(mangled)))
    found = {names[each]: by_architecture for each, by_architecture in mangled.items()}
    architectures = sorted({name for by_architecture in found.values() for name in by_architecture}, key=number)
    of_facts = {}
    if ARCHITECTURE in architectures:
        code = accesses(dumped(cuobjdump, "--dump-sass", "--gpu-architecture", ARCHITECTURE, program).splitlines())
        of_facts = {names[each]: (by_architecture[ARCHITECTURE], code[each]) for each, by_architecture in mangled.items()
                    if ARCHITECTURE in by_architecture}
    facts = FACTS if SOURCES.is_dir() else []
    print_table(found, architectures, of_facts, facts)
    if not of_facts:
        print(f"no kernels for {ARCHITECTURE}: the limits in kernel_report.py are not checked")
        return 0
    broken = broken_facts(of_facts, facts)
    print("\n".join(broken) or f"all limits of {len(facts)} kinds of kernels hold; none uses local memory")
    if not facts:
        print(f"no {SOURCES}: of the limits in kernel_report.py only local memory is checked")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
