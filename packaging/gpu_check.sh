#!/usr/bin/env bash
# Builds what runs on a GPU, holds it against the CPU, and times it beside torchvision, within ten minutes.
#
#   packaging/gpu_check.sh [--only SECTION] [--prebuilt FOLDER] [--data COCO_FOLDER] [--batch N]... [--out FOLDER] [--seconds N]
#                          [--all-arch]
#
# Needs a python3 with torch 2.11 (its CUDA build); to build also a CUDA 13 compiler and CMake 3.25 or newer. No Qt, no OpenCV.
# In this order, and each alone with --only:
#   build      the programs, with kernels for the GPUs that are here (sm_90 without one); without a compiler exit status 77
#   checks     kernels, steps and ranks beside the CPU's
#   trainer    a few steps of the trainer itself: repeated, stopped and resumed, recorded, in bfloat16, evaluated
#   steps      training steps and detection beside torchvision's, in turn, or alone where Python has none
#   kernels    registers of each kernel, and its time beside the least that its bytes take
#   sanitize   kernels under compute-sanitizer, as long as there is time
# Without a GPU, checks and trainer are tried on the CPU, steps and kernels too, and nothing is timed.
#   --prebuilt  runs what `--only build` left in OUT/programs on another machine, which had the same torch
#   --data      train2017/ and annotations/instances_train2017.json, in the place of made pictures
#   --batch     batch sizes of the steps; default 2, 8 and 16
#   --out       where the build, logs and figures go; default build/gpu_check
#   --seconds   that all of it may take; default 590
#   --all-arch  kernels for sm_80, 86, 89, 90, 100 and 120
#
# OUT/gpu_check.json has every figure so far: [{section, name, value, unit, peer, status}]. Exit status: 0 all passed, or were
# skipped with a reason; 1 something failed; 2 the command line is wrong; 77 nothing to build with (--only build).
set -uo pipefail
caller=$PWD
cd "$(dirname "$0")/.." || exit 1
. packaging/lib.sh

readonly SECTIONS=(build checks trainer steps kernels sanitize)
readonly BROKEN='^========= (ERROR SUMMARY: [1-9]|RACECHECK SUMMARY: [1-9]|Invalid|Error: Race|Program hit)'

refuse() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 2
}

# Paths are the caller's.
path_of() { (cd "$caller" && realpath -m "$1"); }

only='' prebuilt='' data='' out=build/gpu_check seconds=590 all_arch='' batches=()
while [ $# -gt 0 ]; do
  case $1 in
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
    *) refuse "unknown word '$1'; known: --only, --prebuilt, --data, --batch, --out, --seconds, --all-arch" ;;
  esac
done
[ ${#batches[@]} -gt 0 ] || batches=(2 8 16)
for number in "$seconds" "${batches[@]}"; do
  [[ $number =~ ^[1-9][0-9]*$ ]] || refuse "'$number' is no number of seconds or images"
done
[ -z "$only" ] || [[ " ${SECTIONS[*]} " == *" $only "* ]] || refuse "--only $only: is none of ${SECTIONS[*]}"
[ -z "$prebuilt" ] || [ -x "$prebuilt/bin/gpu_checks" ] || refuse "--prebuilt $prebuilt: bin/gpu_checks is not there"
[ -z "$data" ] || { [ -d "$data/train2017" ] && [ -f "$data/annotations/instances_train2017.json" ]; } ||
  refuse "--data $data: train2017/ and annotations/instances_train2017.json are not both there"

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
# Asks torch where it is and what GPUs it sees.
look_around() {
  local facts
  mapfile -t facts < <("$python" -c "$FACTS" 2>/dev/null)
  [ ${#facts[@]} -ge 2 ] || fail "$python has no torch that can be imported: install torch 2.11"
  case ${facts[1]} in 2.11.*' 13.'*) ;; *) fail "$python has torch ${facts[1]/ / for CUDA }; 2.11 for CUDA 13 is needed" ;; esac
  torch=${facts[0]} gpu=${facts[2]:-} architectures=${facts[3]:-}
  say "GPU: ${gpu:-none}"
}

programs=${prebuilt:-$out/programs}
mkdir -p "$out/logs" || refuse "--out $out: cannot be made"
failed=() count=0 section=''

# note STATUS NAME [REASON] [LOG] [SECONDS]: one more result; the figures so far are written anew.
note() {
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$section" "$2" "$1" "${5:-}" "${4:-}" "${3:-}" >>"$out/results.tsv"
  if [ "$1" = fail ]; then failed+=("$section: $2"); fi
  "$python" packaging/gpu_figures.py "$out" || fail "$out/gpu_check.json cannot be written"
}
skip() {
  echo "$1: skipped, $2"
  note skip "$1" "$2"
}
last_words() { grep -v '^[[:space:]]*$' "$1" | tail -1 | cut -c1-300 | tr '\t' ' '; }

# step NAME SECONDS COMMAND…: its output is shown and kept. It gets so long (without a GPU twice), with --only all the time, and
# never more than is left; `bounded=yes step …` is not held against it that it was not done by then. A status of 77 is a skip with
# its last words.
step() {
  local name=$1 limit=$2 left=$((seconds - SECONDS)) begin=$SECONDS status=0 log
  shift 2
  if [ "$left" -lt 5 ]; then
    skip "$name" "no time is left of $seconds s: --only $section"
    return
  fi
  if [ -z "$gpu" ]; then limit=$((2 * limit)); fi
  if [ -n "$only" ] || [ "$limit" -gt "$left" ]; then limit=$left; fi
  count=$((count + 1)) log=$out/logs/$section-$count.txt
  echo "== $name"
  timeout -k 5 "$limit" "$@" 2>&1 | tee "$log" || status=${PIPESTATUS[0]}
  case $status in
    0) note pass "$name" '' "$log" $((SECONDS - begin)) ;;
    77) note skip "$name" "$(last_words "$log")" "$log" ;;
    124 | 137)
      echo "$name: not done after $limit s"
      if [ -n "${bounded:-}" ] && ! grep -qE "$BROKEN" "$log"; then
        note skip "$name" "not done after $limit s, nothing found by then" "$log"
      else
        note fail "$name" "not done after $limit s" "$log"
      fi
      ;;
    *) note fail "$name" "exit status $status: $(last_words "$log")" "$log" ;;
  esac
}

# run NAME SECONDS PROGRAM ARGUMENTS…: a step of a program that may not have been built.
run() {
  local name=$1 limit=$2 program=$programs/bin/$3
  shift 3
  if [ -x "$program" ]; then
    step "$name" "$limit" "$program" "$@"
  else
    skip "$name" "$program is not there: --only build makes it, --prebuilt FOLDER takes another machine's"
  fi
}

# starts NAME COMMAND…: whether a tool can, else it is skipped with its words.
starts() {
  local name=$1 log=$out/logs/start.txt
  shift
  timeout -k 5 60 "$@" >"$log" 2>&1 && return
  skip "$name" "$(basename "$1") does not start: $(last_words "$log")"
  return 1
}

# tool NAME: its path, beside the compiler, in PATH or in triton's wheel.
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
  rm -rf "$out/programs"  # what is built no longer must not be taken for it
  if command -v ninja >/dev/null && [ ! -e "$out/CMakeCache.txt" ]; then generator=(-G Ninja); fi
  "$cmake" -S . -B "$out" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DLOCKSTEP_GPU_CHECK=ON -DLOCKSTEP_CUDA=ON \
    -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_ARCHITECTURES="$architectures" -DLOCKSTEP_TORCH_DIR="$torch" \
    >"$out/configure.log" 2>&1 || fail "configuring failed:
$(tail -20 "$out/configure.log")"
  say "building for $architectures with $(build_jobs) jobs"
  "$cmake" --build "$out" -j "$(build_jobs)" >"$out/build.log" 2>&1 || fail "the build failed ($out/build.log):
$(grep -E 'error|FAILED' "$out/build.log" | head -20)"
  "$cmake" --install "$out" --prefix "$out/programs" --strip >"$out/install.log" 2>&1 || fail "installing failed:
$(tail -20 "$out/install.log")"
  say "built: $(du -sh "$out/programs" | cut -f1) in $out/programs, for --prebuilt elsewhere"
}

check_build() {
  local nvcc
  if [ -n "$prebuilt" ]; then
    skip build "programs are those of $prebuilt"
    return
  fi
  if ! nvcc=$(cuda_compiler); then
    skip build "no CUDA 13 compiler here (CUDACXX: path of nvcc); --prebuilt FOLDER takes programs built elsewhere"
    [ -z "$only" ] || exit 77
    return
  fi
  [ -n "$torch" ] || look_around
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
    skip trainer "built without nlohmann-json, simdjson, yaml-cpp or protozero; --prebuilt FOLDER takes another machine's"
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
  # What it has begun by then is done well within the rest.
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

# Without the allocator's blocks, in which a step over the end of a tensor would stay unseen; without the errors of LibTorch's
# own calls, which it expects and handles.
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
if [ "$only" != build ]; then look_around; fi
# Threads that wait for others busily take the cores from those that compute.
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
say "figures: $out/gpu_check.json"
if [ ${#failed[@]} -gt 0 ]; then
  printf 'failed: %s\n' "${failed[@]}"
  exit 1
fi
