#!/usr/bin/env bash
# Sets up, builds everything with CPU kernels and runs every test.
#   packaging/test.sh [ctest's options, for example -L core or -R coco]
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/lib.sh

packaging/setup.sh --dev
build_lockstep engine-cpu all
say "testing"
if [ -z "${LOCKSTEP_TEST_DATA:-}" ]; then
  say "LOCKSTEP_TEST_DATA is not set: tests on real images are skipped"
fi
.venv/bin/ctest --test-dir build --output-on-failure --no-tests=error -j "$(build_jobs)" "$@"
