#!/usr/bin/env bash
# Builds the GPU code, compares its results with the CPU's, and its speed with torchvision's, within ten minutes.
#
#   packaging/gpu_check.sh [--only SECTION] [--prebuilt FOLDER] [--data COCO_FOLDER] [--batch N]... [--out FOLDER] [--seconds N]
#                          [--all-arch]
#
# Needs a python3 with the CUDA build of torch 2.11; to build, also a CUDA 13 compiler and CMake 3.25 or newer. Needs neither Qt
# nor OpenCV. Sections, in this order; --only runs a single one:
#   build      builds the programs, with kernels for the GPUs of this machine (sm_90 without a GPU)
#   checks     compares kernels, training steps and ranks with the CPU's results
#   trainer    runs a few steps of the trainer: repeated, stopped and resumed, with CUDA graphs, in bfloat16, evaluated
#   steps      times training steps and detection, alternating with torchvision's if Python has torchvision
#   kernels    registers of each kernel, and its time compared with the minimum for the bytes it moves
#   sanitize   runs the kernels under compute-sanitizer, as far as the time allows
# Without a GPU, checks, trainer, steps and kernels run on the CPU, and nothing is timed.
#   --prebuilt  folder OUT/programs of `--only build` on another machine with the same torch
#   --data      COCO folder with train2017/ and annotations/instances_train2017.json, instead of generated images
#   --batch     batch sizes of the steps; default 2, 8 and 16
#   --out       folder of the build, logs and results; default build/gpu_check
#   --seconds   time limit of all sections together; default 590
#   --all-arch  builds kernels for sm_80, 86, 89, 90, 100 and 120
#
# OUT/gpu_check.json has all results so far: [{section, name, value, unit, peer, status}]. Exit status: 0 everything passed or
# was skipped with a reason; 1 something failed; 2 wrong command line; 77 no CUDA compiler (--only build).
set -uo pipefail
cd "$(dirname "$(realpath "$0")")/.." || exit 1
. packaging/lib.sh

readonly SECTIONS=(build checks trainer steps kernels sanitize)
readonly BROKEN='^========= (ERROR SUMMARY: [1-9]|RACECHECK SUMMARY: [1-9]|Invalid|Error: Race|Program hit)'

refuse() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 2
}

only='' prebuilt='' data='' out=build/gpu_check seconds=590 all_arch='' batches=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage ;;
    --all-arch) all_arch=yes && shift ;;
    --only | --prebuilt | --data | --batch | --out | --seconds)
      [ $# -ge 2 ] || refuse "$1 needs a value"
      case $1 in
        --only) only=$2 ;;
        --prebuilt) prebuilt=$(path_of "$2") ;;
        --data) data=$(path_of "$2") ;;
        --batch) batches+=("$2") ;;
        --out) out=$(path_of "$2") ;;
        --seconds) seconds=$2 ;;
      esac
      shift 2
      ;;
    *) refuse "unknown option '$1'; known: --only, --prebuilt, --data, --batch, --out, --seconds, --all-arch" ;;
  esac
done
[ ${#batches[@]} -gt 0 ] || batches=(2 8 16)
for number in "$seconds" "${batches[@]}"; do
  [[ $number =~ ^[1-9][0-9]*$ ]] || refuse "'$number' is not a positive number"
done
[ -z "$only" ] || [[ " ${SECTIONS[*]} " == *" $only "* ]] || refuse "--only $only: expected one of ${SECTIONS[*]}"
[ -z "$prebuilt" ] || [ -x "$prebuilt/bin/gpu_checks" ] || refuse "--prebuilt $prebuilt: there is no bin/gpu_checks"
[ -z "$data" ] || { [ -d "$data/train2017" ] && [ -f "$data/annotations/instances_train2017.json" ]; } ||
  refuse "--data $data: expected train2017/ and annotations/instances_train2017.json"

python=python3 cmake=cmake
if [ -x .venv/bin/python ]; then python=.venv/bin/python; fi
if [ -x .venv/bin/cmake ]; then cmake=.venv/bin/cmake; fi
readonly FACTS='
import os, torch
gpus = range(torch.cuda.device_count() if torch.cuda.is_available() else 0)
print(os.path.dirname(torch.__file__), f"{torch.__version__} {torch.version.cuda}",
      ", ".join(sorted({torch.cuda.get_device_name(gpu) for gpu in gpus})),
      ";".join(sorted({"%d%d" % torch.cuda.get_device_capability(gpu) for gpu in gpus})), sep="\n")'
torch='' gpu='' architectures=''
# Asks torch for its folder, its version and its GPUs.
inspect_torch() {
  local facts
  mapfile -t facts < <("$python" -c "$FACTS" 2>/dev/null)
  [ ${#facts[@]} -ge 2 ] || fail "$python has no torch that can be imported: install torch 2.11"
  case ${facts[1]} in 2.11.*' 13.'*) ;; *) fail "$python has torch ${facts[1]/ / for CUDA }; 2.11 for CUDA 13 is needed" ;; esac
  torch=${facts[0]} gpu=${facts[2]:-} architectures=${facts[3]:-}
  say "GPU: ${gpu:-none}"
}

programs=${prebuilt:-$out/programs}
mkdir -p "$out/logs" || refuse "--out $out: cannot be created"
failed=() count=0 section=''

# note STATUS NAME [REASON] [LOG] [SECONDS]: adds a result and writes gpu_check.json again.
note() {
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$section" "$2" "$1" "${5:-}" "${4:-}" "${3:-}" >>"$out/results.tsv"
  if [ "$1" = fail ]; then failed+=("$section: $2"); fi
  "$python" packaging/gpu_results.py "$out" || fail "$out/gpu_check.json cannot be written"
}
skip() {
  echo "$1: skipped, $2"
  note skip "$1" "$2"
}
last_line() { grep -v '^[[:space:]]*$' "$1" | tail -1 | cut -c1-300 | tr '\t' ' '; }

# step NAME SECONDS COMMAND…: runs a command and shows and stores its output. SECONDS is its time limit, doubled without a GPU; with
# --only it gets all of the time, and never more than is left. With `bounded=yes step …` a timeout counts as skipped, not failed.
# Exit status 77 means skipped, and the last line of the output is the reason.
step() {
  local name=$1 limit=$2 left=$((seconds - SECONDS)) begin=$SECONDS status=0 log
  shift 2
  if [ "$left" -lt 5 ]; then
    skip "$name" "no time left of $seconds s; run it with --only $section"
    return
  fi
  if [ -z "$gpu" ]; then limit=$((2 * limit)); fi
  if [ -n "$only" ] || [ "$limit" -gt "$left" ]; then limit=$left; fi
  count=$((count + 1)) log=$out/logs/$section-$count.txt
  echo "== $name"
  timeout -k 5 "$limit" "$@" 2>&1 | tee "$log" || status=${PIPESTATUS[0]}
  case $status in
    0) note pass "$name" '' "$log" $((SECONDS - begin)) ;;
    77) note skip "$name" "$(last_line "$log")" "$log" ;;
    124 | 137)
      echo "$name: not finished after $limit s"
      if [ -n "${bounded:-}" ] && ! grep -qE "$BROKEN" "$log"; then
        note skip "$name" "not finished after $limit s, no error until then" "$log"
      else
        note fail "$name" "not finished after $limit s" "$log"
      fi
      ;;
    *) note fail "$name" "exit status $status: $(last_line "$log")" "$log" ;;
  esac
}

# run NAME SECONDS PROGRAM ARGUMENTS…: a step with a program, which is skipped if the program was not built.
run() {
  local name=$1 limit=$2 program=$programs/bin/$3
  shift 3
  if [ -x "$program" ]; then
    step "$name" "$limit" "$program" "$@"
  else
    skip "$name" "there is no $program: build it with --only build, or use another machine's with --prebuilt FOLDER"
  fi
}

# starts NAME COMMAND…: whether a tool starts; if not, NAME is skipped with the tool's message.
starts() {
  local name=$1 log=$out/logs/start.txt
  shift
  timeout -k 5 60 "$@" >"$log" 2>&1 && return
  skip "$name" "$(basename "$1") does not start: $(last_line "$log")"
  return 1
}

# tool NAME: prints its path: in PATH, beside the compiler, or in triton's wheel.
tool() {
  local nvcc candidate
  nvcc=$(cuda_compiler) || nvcc=/usr/local/cuda/bin/nvcc
  for candidate in "$(command -v "$1")" "$(dirname "$nvcc")/$1" "$torch/../triton/backends/nvidia/bin/$1"; do
    if [ -n "$candidate" ] && [ -x "$candidate" ]; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

compile() {
  local generator=()
  rm -rf "$out/programs"  # no programs of an earlier build
  if command -v ninja >/dev/null && [ ! -e "$out/CMakeCache.txt" ]; then generator=(-G Ninja); fi
  "$cmake" -S . -B "$out" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON \
    -DLOCKSTEP_GPU_CHECK=ON -DLOCKSTEP_CUDA=ON \
    -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_ARCHITECTURES="$architectures" -DLOCKSTEP_TORCH_DIR="$torch" \
    >"$out/configure.log" 2>&1 || fail "configuring failed:
$(tail -20 "$out/configure.log")"
  say "building for $architectures with $(build_jobs) jobs"
  "$cmake" --build "$out" -j "$(build_jobs)" >"$out/build.log" 2>&1 || fail "the build failed ($out/build.log):
$(grep -E 'error|FAILED' "$out/build.log" | head -20)"
  "$cmake" --install "$out" --prefix "$out/programs" --strip >"$out/install.log" 2>&1 || fail "installing failed:
$(tail -20 "$out/install.log")"
  say "built: $(du -sh "$out/programs" | cut -f1) in $out/programs, for --prebuilt on other machines"
}

check_build() {
  local nvcc
  if [ -n "$prebuilt" ]; then
    skip build "using the programs of $prebuilt"
    return
  fi
  if ! nvcc=$(cuda_compiler); then
    skip build "no CUDA 13 compiler; set CUDACXX to the path of nvcc, or use another machine's programs with --prebuilt FOLDER"
    [ -z "$only" ] || exit 77
    return
  fi
  [ -n "$torch" ] || inspect_torch
  [ -n "$architectures" ] || architectures=90
  if [ -n "$all_arch" ]; then architectures='80;86;89;90;100;120'; fi
  export -f compile fail say build_jobs
  export out cmake torch architectures nvcc started
  step build "$seconds" bash -uo pipefail -c compile gpu_check.sh
}

check_checks() {
  run checks 150 gpu_checks $on
  run ranks 60 gpu_ranks $on
}

check_trainer() {
  if [ -x "$programs/bin/gpu_checks" ] && [ ! -x "$programs/bin/gpu_trainer" ]; then
    skip trainer "built without nlohmann-json, simdjson, yaml-cpp, protozero or PCRE2; use another machine's with --prebuilt FOLDER"
    return
  fi
  run trainer 90 gpu_trainer $on
}

check_steps() {
  local words=(--batch "${batches[@]}" --program "$programs/bin/gpu_step" --json "$out/steps.json")
  local share=$((seconds - SECONDS))
  rm -f "$out/steps.json"
  if [ -n "$data" ]; then words+=(--data "$data"); fi
  if [ -z "$gpu" ]; then words=(--program "$programs/bin/gpu_step" --try); fi
  if [ ! -x "$programs/bin/gpu_step" ]; then
    run steps 1 gpu_step
    return
  fi
  if [ -z "$only" ] && [ "$share" -gt 240 ]; then share=240; fi
  # A quarter of the time is left to finish the measurement that is running.
  step steps "$share" "$python" tests/benchmarks/gpu_step.py --seconds $((share * 3 / 4)) "${words[@]}"
}

check_kernels() {
  local cuobjdump
  if ! cuobjdump=$(tool cuobjdump); then
    skip registers "no cuobjdump beside nvcc, in PATH or in triton"
  elif [ ! -x "$programs/bin/gpu_checks" ]; then
    run registers 1 gpu_checks
  elif starts registers "$cuobjdump" --version && starts registers c++filt --version; then
    step registers 60 "$python" packaging/kernel_report.py "$cuobjdump" "$programs/bin/gpu_checks"
  fi
  run "kernels, R50-FPN, 800 x 1344, batch 8" 90 gpu_kernels
}

# Without caching of memory, which would hide accesses beyond the end of a tensor, and without the CUDA errors that LibTorch
# expects and handles.
check_sanitize() {
  local sanitizer tool_of
  if [ -z "$gpu" ]; then
    skip sanitize "no GPU"
    return
  fi
  if ! sanitizer=$(tool compute-sanitizer); then
    skip sanitize "no compute-sanitizer beside nvcc or in PATH"
    return
  fi
  if [ ! -x "$programs/bin/gpu_checks" ]; then
    run sanitize 1 gpu_checks
    return
  fi
  starts sanitize "$sanitizer" --tool memcheck --report-api-errors no "$programs/bin/gpu_checks" cuda first || return
  for tool_of in memcheck racecheck; do
    bounded=yes step "$tool_of" $(((seconds - SECONDS) / 2 + 10)) env PYTORCH_NO_CUDA_MEMORY_CACHING=1 "$sanitizer" \
      --tool "$tool_of" --report-api-errors no --error-exitcode 1 "$programs/bin/gpu_checks" cuda kernels
  done
}

if [ -z "$only" ]; then rm -f "$out/results.tsv" "$out"/logs/*; fi
if [ "$only" != build ]; then inspect_torch; fi
# Busy waiting of OpenMP threads would take the cores from the threads that compute.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
on=cuda
if [ -z "$gpu" ]; then on=cpu; fi
if [ -n "$torch" ]; then
  LD_LIBRARY_PATH=$(realpath -m "$programs")/lib:$torch/lib:$(printf '%s:' "$torch"/../nvidia/*/lib)${LD_LIBRARY_PATH:-}
  export LD_LIBRARY_PATH
fi
for section in ${only:-"${SECTIONS[@]}"}; do
  count=0
  rm -f "$out/logs/$section"-*
  if [ -e "$out/results.tsv" ]; then sed -i "/^$section\t/d" "$out/results.tsv"; fi
  "check_$section"
done
say "results: $out/gpu_check.json"
if [ ${#failed[@]} -gt 0 ]; then
  printf 'failed: %s\n' "${failed[@]}"
  exit 1
fi
