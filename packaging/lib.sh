# Shared by the scripts of this folder, which change to the root of the checkout first.
caller=$OLDPWD
started=$SECONDS
say() { printf '[%4ds] %s\n' $((SECONDS - started)) "$*" >&2; }
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# usage: prints the comment at the top of the script.
usage() {
  sed -n '2,/^[^#]/s/^# \?//p' "packaging/$(basename "$(path_of "$0")")"
  exit 0
}

# path_of PATH: makes a path absolute, relative to the caller's folder.
path_of() { (cd "$caller" && realpath -m -- "$1"); }

# Prints the path of a CUDA 13 compiler, or fails.
cuda_compiler() {
  local nvcc
  for nvcc in "${CUDACXX:-}" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
    if [ -x "$nvcc" ] && "$nvcc" --version | grep -q 'release 13\.'; then
      echo "$nvcc"
      return
    fi
  done
  return 1
}

# gpu_facts FIELDS: prints the fields of nvidia-smi, one line per GPU, or nothing.
gpu_facts() {
  local facts
  if facts=$(nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null); then echo "$facts"; fi
}

# CUDA architectures of the GPUs (89, or 80;90), or nothing.
gpu_architectures() { gpu_facts compute_cap | tr -d ' .' | sort -u | paste -sd ';'; }

# Number of compiler jobs: one per core, limited by memory (about 2 GB each).
build_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ {print int($2 / 2000000)}' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  echo $((cores < memory ? cores : memory))
}

# advice FOLDER LOG…: prints how to recover if the disk of FOLDER is full or the logs show a network failure, else nothing.
advice() {
  local folder free
  for folder in "$1" "${TMPDIR:-/tmp}"; do
    free=$(df --output=avail -BM "$folder" 2>/dev/null | tail -1 | tr -dc 0-9)
    [ "${free:=100}" -ge 100 ] || break  # the folder may not exist
  done
  shift
  if [ "$free" -lt 100 ]; then
    echo "The disk of $folder is full ($free MB left). Free some space and run this again: it continues where it stopped."
  elif grep -qs 'No space left on device' "$@"; then
    echo "A disk was full. Free some space and run this again: it continues where it stopped."
  elif grep -qsE 'ProxyError|NameResolution|NewConnectionError|TimeoutError|[Tt]emporary failure|Could not (resolve|connect)|Connection (refused|reset|timed out|aborted)|Unable to connect|Network is unreachable|IncompleteRead' "$@"; then
    echo "The network cannot be reached (proxy: ${https_proxy:-${http_proxy:-none}}). Run this again once it can: it continues where it stopped."
  fi
}

# lock_checkout: fails if another script builds or installs in this checkout, or its build outlived it. setup.sh uses the lock of
# the script that starts it.
lock_checkout() {
  mkdir -p build || fail "$PWD cannot be written"
  if [ "${checkout_lock:-}" ] && [ "/dev/fd/$checkout_lock" -ef build/lock ]; then return; fi
  exec {checkout_lock}>>build/lock
  export checkout_lock
  flock -n "$checkout_lock" || fail "another script of packaging/ is building in $PWD/build: wait for it, or stop it"
}
unlock_checkout() { exec {checkout_lock}>&-; }

# Ends the script and its background processes on Ctrl+C. A build has its own process group.
build_pid=
trap_interrupts() { trap interrupted INT TERM HUP PIPE; }
end_children() { :; }
interrupted() {
  trap '' INT TERM HUP PIPE
  set +e
  if [ -n "$build_pid" ]; then
    kill -INT -- "-$build_pid" 2>/dev/null
    wait "$build_pid" 2>/dev/null
    unlock_checkout
    flock -w 10 build/lock true  # ninja outlives cmake
  fi
  end_children
  printf '\n%s: interrupted. Run it again: it continues where it stopped\n' "$(basename "$0")" >&2
  exit 130
}

# step_cost LINE: sets `cost`, about the tenths of a second that a step of ninja takes. Sources that include torch take longest.
step_cost() {
  local compute=' object engine/(checkpoint|data|dist|eval|model|ops|solver|train|worker)/'
  if [[ $1 = *engine_pch*cmake_pch* ]]; then
    cost=190
  elif [[ $1 = *cmake_pch* ]]; then
    cost=45
  elif [[ $1 != *' object '* ]]; then
    cost=1
  elif [[ $1 = */Unity/* ]]; then
    cost=80
    [[ ! $1 =~ $compute ]] || cost=116
  else
    cost=11
    [[ ! $1 =~ $compute ]] || cost=38
  fi
}

# build_plan TARGET…: prints the remaining steps of a build, one per line.
build_plan() { .venv/bin/cmake --build build --target "$@" -- -n | grep '^\[' || true; }

# show_progress WHAT PERCENT SECONDS: a progress line in a terminal; elsewhere one line per 10 %. SECONDS is empty if unknown.
shown_tenth=0
show_progress() {
  local text="$1: $2 %"
  if [ -n "$3" ] && [ "$3" -lt 100 ]; then
    text+=", about $(($3 / 10 * 10 + 10)) s left"
  elif [ -n "$3" ]; then
    text+=", about $((($3 + 30) / 60)) min left"
  fi
  if [ -t 2 ]; then
    printf '\r[%4ds] %s\e[K' $((SECONDS - started)) "$text" >&2
  elif [ $(($2 / 10)) -gt "$shown_tenth" ]; then
    say "$text"
  fi
  shown_tenth=$(($2 / 10))
}
# on_progress PERCENT SECONDS: hook for scripts that publish the progress.
on_progress() { :; }
# close_marker: hook that keeps a build from inheriting a lock of the script.
close_marker() { :; }

# follow_build WHAT PLAN: shows the progress of a build, whose log it reads from standard input.
follow_build() {
  local line cost all=1 finished=0 began=$SECONDS percent left
  while read -r line; do
    step_cost "$line"
    all=$((all + cost))
  done <<<"$2"
  shown_tenth=0
  while read -r line; do
    [[ $line = '['*/*']'* ]] || continue
    step_cost "$line"
    finished=$((finished + cost))
    [ "$finished" -le "$all" ] || all=$finished  # CMake ran again and planned more
    percent=$((finished * 100 / all)) left=
    [ "$percent" -le 99 ] || percent=99
    # An earlier estimate would be noise.
    if [ "$percent" -ge 3 ]; then left=$(((SECONDS - began) * (all - finished) / finished + 1)); fi
    show_progress "$1" "$percent" "$left"
    on_progress "$percent" "$left"
  done
  [ ! -t 2 ] || printf '\r\e[K' >&2
}

# Prints the errors in build/build.log, or its last lines if it has none.
build_errors() { grep -m 12 -E 'error:|FAILED:|undefined reference|No space left' build/build.log || tail -12 build/build.log; }

# configure_lockstep PRESET: configures build/.
configure_lockstep() {
  local preset=$1 stamp="$1 $PWD" nvcc architectures options=()
  if nvcc=$(cuda_compiler); then export CUDACXX=$nvcc; fi
  architectures=$(gpu_architectures)
  if [ -n "$architectures" ]; then options+=("-DCMAKE_CUDA_ARCHITECTURES=$architectures"); fi
  say "configuring ($preset)"
  # The cache of another preset would keep its compiler and options, and CMake refuses that of another folder.
  [ "$(cat build/preset 2>/dev/null)" = "$stamp" ] || options+=(--fresh)
  .venv/bin/cmake --preset "$preset" "${options[@]}" >build/configure.log 2>&1 || fail "configuring failed; the end of build/configure.log:
$(tail -20 build/configure.log)
$(advice build build/configure.log)"
  echo "$stamp" >build/preset || fail "$(advice build build/configure.log)"
}

# build_targets WHAT TARGET…: builds with a progress line; the compiler's output goes to build/build.log.
build_targets() {
  local what=$1 plan
  shift
  plan=$(build_plan "$@")
  [ -z "$plan" ] || say "$what with $(build_jobs) jobs; compiler output: build/build.log"
  : >build/build.log
  set -m
  (
    close_marker
    exec .venv/bin/cmake --build build -j "$(build_jobs)" --target "$@" >>build/build.log 2>&1 </dev/null
  ) &
  build_pid=$!
  set +m
  follow_build "$what" "$plan" < <(tail --pid="$build_pid" -s 0.2 -n +1 -f build/build.log)
  wait "$build_pid" || fail "$what failed; from build/build.log:
$(build_errors)
$(advice build build/build.log)"
  build_pid=
}
