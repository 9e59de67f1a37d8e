#!/usr/bin/env bash
# Installs packages, builds everything (with CUDA kernels if there is a CUDA 13 compiler) and runs the tests.
#   packaging/test.sh [--all] [options of ctest, for example -L core or -R coco]
#   --all  also runs the long tests (ctest label `long`, LOCKSTEP_LONG_TESTS=1): hours on two cores. LOCKSTEP_FUZZ_SEED=N makes
#          other damaged files, and with LOCKSTEP_FUZZ_SECONDS=N each search for a fault in reading them takes that long
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
. packaging/lib.sh

setup_options=(--dev) targets=(all) excluded=('^long$') options=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage ;;
    --all)
      setup_options=(--dev --all) targets=(all long_tests)
      unset 'excluded[0]'
      export LOCKSTEP_LONG_TESTS=1 LOCKSTEP_FUZZ_VARIANTS=${LOCKSTEP_FUZZ_VARIANTS:-10000}
      ;;
    # One expression, because ctest excludes only tests that match all of several -LE.
    -LE | --label-exclude)
      [ $# -ge 2 ] || fail "$1 needs a label"
      shift
      excluded+=("$1")
      ;;
    *) options+=("$1") ;;
  esac
  shift
done
[ ${#excluded[@]} = 0 ] || options+=(-LE "$(IFS='|' && echo "${excluded[*]}")")
trap_interrupts
lock_checkout
packaging/setup.sh "${setup_options[@]}"
preset=engine-cpu
if cuda_compiler >/dev/null; then preset=engine-cuda; fi
configure_lockstep "$preset"
# Wrong options are refused before the build.
tests=$(.venv/bin/ctest --test-dir build -N "${options[@]}") || fail "ctest refuses these options: ${options[*]}"
[[ $tests != *'Total Tests: 0'* ]] || fail "no test matches ${options[*]} (long tests need --all)"
build_targets "building" "${targets[@]}"
say "built"
unlock_checkout
say "testing"
if [ -z "${LOCKSTEP_TEST_DATA:-}" ]; then
  say "LOCKSTEP_TEST_DATA is not set: tests on real images are skipped"
fi
.venv/bin/ctest --test-dir build --output-on-failure --no-tests=error -j "$(build_jobs)" "${options[@]}"
