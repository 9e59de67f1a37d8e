#!/usr/bin/env bash
# Builds what runs on a GPU, holds it against the CPU, and times it beside torchvision.
#
#   packaging/gpu_check.sh [--all-arch] [--data COCO_FOLDER] [--batch N]... [--out FOLDER]
#
# Needs a CUDA 13 compiler, CMake 3.25 or newer and a python3 with torch 2.11; for the benchmark torchvision, Pillow and
# COCO_FOLDER (train2017/ and annotations/instances_train2017.json). No Qt, OpenCV or yaml-cpp. Without a GPU it does what can be
# done without: builds, tries the checks on the CPU, and reads registers, spills and architectures out of the kernels.
#   --all-arch   kernels for sm_80, 86, 89, 90, 100 and 120, not only for the GPU that is here (sm_90 without one)
#   --batch      batch sizes of the benchmark; default 2, 8 and 16
#   --out        where build and tables go; default build/gpu_check
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/lib.sh

all_arch='' data='' out=build/gpu_check batches=()
while [ $# -gt 0 ]; do
  case $1 in
    --all-arch) all_arch=yes && shift ;;
    --data | --batch | --out)
      [ $# -ge 2 ] || fail "$1 needs a value"
      case $1 in --data) data=$2 ;; --batch) batches+=("$2") ;; --out) out=$2 ;; esac
      shift 2
      ;;
    *) fail "unknown word '$1'; known: --all-arch, --data, --batch, --out" ;;
  esac
done
[ ${#batches[@]} -gt 0 ] || batches=(2 8 16)

python=python3 cmake=cmake
if [ -x .venv/bin/python ]; then python=.venv/bin/python; fi
if [ -x .venv/bin/cmake ]; then cmake=.venv/bin/cmake; fi
nvcc=$(cuda_compiler) || fail "no CUDA 13 compiler: set CUDACXX to nvcc's path"
torch=$("$python" -c 'import os, torch; print(os.path.dirname(torch.__file__))') || fail "$python has no torch"
gpu=$(nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader 2>/dev/null | head -1 || true)
architectures=90
if [ -n "$gpu" ]; then architectures=$(echo "$gpu" | cut -d, -f2 | tr -d ' .'); fi
if [ -n "$all_arch" ]; then architectures='80;86;89;90;100;120'; fi
say "GPU: ${gpu:-none}; kernels for ${architectures}"

mkdir -p "$out"
generator=()
if command -v ninja >/dev/null; then generator=(-G Ninja); fi
"$cmake" -S . -B "$out" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DLOCKSTEP_GPU_CHECK=ON -DLOCKSTEP_CUDA=ON \
  -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_ARCHITECTURES="$architectures" -DCMAKE_CUDA_FLAGS=-Xptxas=-v \
  -DLOCKSTEP_TORCH_DIR="$torch" >"$out/configure.log" 2>&1 || fail "configuring failed:
$(tail -20 "$out/configure.log")"
"$cmake" --build "$out" -j "$(build_jobs)" >"$out/build.log" 2>&1 || fail "the build failed:
$(grep -E 'error|FAILED' "$out/build.log" | head -20)"
say "built"

echo "== kernels: registers and spills"
"$python" packaging/kernel_report.py "$out/build.log"
echo "== architectures in the programs"
cuobjdump=$(dirname "$nvcc")/cuobjdump
if [ -x "$cuobjdump" ]; then "$cuobjdump" --list-elf "$out/bin/gpu_checks" | grep -o 'sm_[0-9a-z]*' | sort | uniq -c; fi

check_ranks() {
  if [ -x "$out/bin/gpu_ranks" ]; then "$out/bin/gpu_ranks" "$@"; else echo "not checked: gloo's headers (libgloo-dev) are not here"; fi
}

if [ -z "$gpu" ]; then
  echo "== checks, tried on the CPU"
  "$out/bin/gpu_checks" cpu
  check_ranks cpu
  echo "== what kernels must move, R50-FPN, 800 x 1344, batch 8"
  "$out/bin/gpu_kernels"
  echo "no GPU here: kernels are built and not run, nothing is timed"
  exit 0
fi
echo "== checks"
status=0
"$out/bin/gpu_checks" | tee "$out/checks.txt" || status=1
echo "== ranks"
check_ranks || status=1
sanitizer=$(command -v compute-sanitizer || echo "$(dirname "$nvcc")/compute-sanitizer")
if [ -x "$sanitizer" ]; then
  for tool in memcheck racecheck; do
    echo "== kernels under compute-sanitizer's $tool"
    # Without the allocator's blocks, in which a step over the end of a tensor would stay unseen.
    PYTORCH_NO_CUDA_MEMORY_CACHING=1 "$sanitizer" --tool "$tool" --error-exitcode 1 "$out/bin/gpu_checks" cuda kernels \
      >"$out/$tool.txt" 2>&1 || { status=1 && grep -m 20 -E '=====|FAIL' "$out/$tool.txt" || true; }
    tail -1 "$out/$tool.txt"
  done
else
  echo "no compute-sanitizer beside $nvcc or in PATH: memory and races are not checked"
fi
echo "== kernels, R50-FPN, 800 x 1344, batch 8, bfloat16"
"$out/bin/gpu_kernels" | tee "$out/kernels.txt" || status=1
if [ -n "$data" ]; then
  echo "== steps beside torchvision"
  "$python" tests/benchmarks/gpu_step.py "$data" --program "$out/bin/gpu_step" --batch "${batches[@]}" --json "$out/steps.json" ||
    status=1
fi
exit $status
