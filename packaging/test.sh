#!/usr/bin/env bash
# Installs packages, builds everything (with CUDA kernels if there is a CUDA 13 compiler) and runs all tests.
#   packaging/test.sh [options of ctest, for example -L core or -R coco]
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/lib.sh

packaging/setup.sh --dev
preset=engine-cpu
if cuda_compiler >/dev/null; then preset=engine-cuda; fi
build_lockstep "$preset" all
say "testing"
if [ -z "${LOCKSTEP_TEST_DATA:-}" ]; then
  say "LOCKSTEP_TEST_DATA is not set: tests on real images are skipped"
fi
.venv/bin/ctest --test-dir build --output-on-failure --no-tests=error -j "$(build_jobs)" "$@"
