# Shared by the scripts of this folder. They run from the root of the checkout.
started=$SECONDS
say() { printf '[%4ds] %s\n' $((SECONDS - started)) "$*" >&2; }
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

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

# build_lockstep PRESET TARGET…: configures build/ and builds; prints the log of a failure.
build_lockstep() {
  local preset=$1 nvcc architectures options=()
  shift
  if nvcc=$(cuda_compiler); then export CUDACXX=$nvcc; fi
  architectures=$(gpu_architectures)
  if [ -n "$architectures" ]; then options+=("-DCMAKE_CUDA_ARCHITECTURES=$architectures"); fi
  say "configuring ($preset)"
  # The cache of another preset would keep its compiler and options.
  if [ -e build/CMakeCache.txt ] && [ "$(cat build/preset 2>/dev/null)" != "$preset" ]; then rm -f build/CMakeCache.txt; fi
  .venv/bin/cmake --preset "$preset" "${options[@]}" >build/configure.log 2>&1 || fail "configuring failed:
$(tail -20 build/configure.log)"
  echo "$preset" >build/preset
  say "building with $(build_jobs) jobs (a first build takes some minutes)"
  .venv/bin/cmake --build build -j "$(build_jobs)" --target "$@" >&2 || fail "the build failed, see above"
  say "built"
}
