#!/usr/bin/env bash
# Builds what runs on a GPU, holds it against the CPU, and times it beside torchvision.
#
#   packaging/gpu_check.sh [--all-arch] [--data COCO_FOLDER] [--batch N]... [--out FOLDER]
#
# Needs a CUDA 13 compiler, CMake 3.25 or newer and a python3 with torch 2.11 (its CUDA build); for the benchmark torchvision,
# Pillow and COCO_FOLDER (train2017/ and annotations/instances_train2017.json). No Qt, OpenCV or yaml-cpp. Without a GPU it does
# what can be done without: builds, tries the checks on the CPU, and reads registers and architectures out of the kernels.
#   --all-arch   kernels for sm_80, 86, 89, 90, 100 and 120, not only for the GPUs that are here (sm_90 without one)
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
torch=$("$python" -c 'import os, torch; print(os.path.dirname(torch.__file__))') || fail "$python has no torch: install torch 2.11"
version=$("$python" -c 'import torch; print(torch.__version__, torch.version.cuda)')
case $version in 2.11.*' 13.'*) ;; *) fail "$python has torch ${version/ / for CUDA }; 2.11 for CUDA 13 is needed" ;; esac
if [ -n "$data" ]; then
  [ -d "$data/train2017" ] && [ -f "$data/annotations/instances_train2017.json" ] ||
    fail "--data $data: train2017/ and annotations/instances_train2017.json are not both there"
  "$python" -c 'import PIL, torchvision' || fail "$python has no torchvision or Pillow, which --data needs"
fi
gpu=$(gpu_facts name,compute_cap,driver_version | head -1)
architectures=$(gpu_architectures)
[ -n "$architectures" ] || architectures=90
if [ -n "$all_arch" ]; then architectures='80;86;89;90;100;120'; fi
say "GPU: ${gpu:-none}; kernels for $architectures"

mkdir -p "$out"
generator=()
if command -v ninja >/dev/null && [ ! -e "$out/CMakeCache.txt" ]; then generator=(-G Ninja); fi
"$cmake" -S . -B "$out" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DLOCKSTEP_GPU_CHECK=ON -DLOCKSTEP_CUDA=ON \
  -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_ARCHITECTURES="$architectures" -DLOCKSTEP_TORCH_DIR="$torch" \
  >"$out/configure.log" 2>&1 || fail "configuring failed:
$(tail -20 "$out/configure.log")"
say "building with $(build_jobs) jobs"
"$cmake" --build "$out" -j "$(build_jobs)" >"$out/build.log" 2>&1 || fail "the build failed ($out/build.log):
$(grep -E 'error|FAILED' "$out/build.log" | head -20)"
say "built"

failed=()
# step NAME SECONDS COMMAND…: runs it within that time, and remembers that it failed.
step() {
  local name=$1 seconds=$2 status=0
  shift 2
  echo "== $name"
  timeout "$seconds" "$@" || status=$?
  if [ "$status" = 124 ]; then echo "not done after $seconds s"; fi
  if [ "$status" != 0 ] && [ "$status" != 77 ]; then failed+=("$name"); fi
}
finish() {
  if [ ${#failed[@]} -gt 0 ]; then
    printf 'failed: %s\n' "${failed[@]}"
    exit 1
  fi
  echo "$1"
  exit 0
}
check_ranks() {
  if [ -x "$out/bin/gpu_ranks" ]; then
    step "ranks" 600 "$out/bin/gpu_ranks" "$@"
  else
    echo "ranks: not checked, gloo's headers (libgloo-dev) are not here"
  fi
}

cuobjdump=
for candidate in "$(dirname "$nvcc")/cuobjdump" "$(command -v cuobjdump || true)" "$torch/../triton/backends/nvidia/bin/cuobjdump"; do
  if [ -z "$cuobjdump" ] && [ -x "$candidate" ]; then cuobjdump=$candidate; fi
done
if [ -n "$cuobjdump" ]; then
  step "kernels in the programs" 600 "$python" packaging/kernel_report.py "$cuobjdump" "$out/bin/gpu_checks"
else
  echo "no cuobjdump beside $nvcc, in PATH or in triton: architectures and registers are not told"
fi

if [ -z "$gpu" ]; then
  step "checks, tried on the CPU" 1200 "$out/bin/gpu_checks" cpu
  check_ranks cpu
  step "what kernels must move, R50-FPN, 800 x 1344, batch 8" 600 "$out/bin/gpu_kernels"
  finish "no GPU here: kernels are built and not run, nothing is timed"
fi
step "checks" 1200 "$out/bin/gpu_checks"
check_ranks
sanitizer=$(command -v compute-sanitizer || echo "$(dirname "$nvcc")/compute-sanitizer")
if [ -x "$sanitizer" ]; then
  for tool in memcheck racecheck; do
    # Without the allocator's blocks, in which a step over the end of a tensor would stay unseen.
    step "kernels under compute-sanitizer's $tool" 1800 env PYTORCH_NO_CUDA_MEMORY_CACHING=1 \
      "$sanitizer" --tool "$tool" --error-exitcode 1 "$out/bin/gpu_checks" cuda kernels
  done
else
  echo "no compute-sanitizer beside $nvcc or in PATH: memory and races are not checked"
fi
step "kernels, R50-FPN, 800 x 1344, batch 8, bfloat16" 600 "$out/bin/gpu_kernels"
if [ -n "$data" ]; then
  step "steps beside torchvision" 3600 "$python" tests/benchmarks/gpu_step.py "$data" --program "$out/bin/gpu_step" \
    --batch "${batches[@]}" --json "$out/steps.json"
fi
finish "all checks passed"
