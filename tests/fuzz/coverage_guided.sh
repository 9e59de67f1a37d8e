#!/usr/bin/env bash
# Coverage-guided fuzzing of the readers of messages and event logs, with libFuzzer and the address and
# undefined-behaviour sanitizers. Run by hand; needs a clang with libFuzzer (Debian's has it).
#   tests/fuzz/coverage_guided.sh decoders|lineBuffer|eventLog [SECONDS]
# New inputs lie in build/fuzz/TARGET; a failing one is printed at the end. Add it to
# tests/fixtures/fuzz/messages or event_log, which the tests read.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${1:-none} seconds=${2:-600}
case $target in
  decoders | lineBuffer) corpus=tests/fixtures/fuzz/messages longest=4096 ;;
  eventLog) corpus=tests/fixtures/fuzz/event_log longest=4096 ;;
  *) echo "$0: decoders, lineBuffer or eventLog, not $target" >&2; exit 2 ;;
esac
build=build/fuzz
mkdir -p "$build/$target"
clang++ -std=c++20 -O2 -g1 -I. -DPROTOZERO_USE_VIEW=std::string_view "-DLOCKSTEP_FUZZ_TARGET=$target" \
  -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
  engine/base/*.cpp engine/events/*.cpp engine/protocol/*.cpp \
  tests/fuzz/{coverage_guided,check_event_log,check_messages}.cpp -o "$build/$target.program"
LOCKSTEP_FUZZ_FOLDER=$(mktemp -d /dev/shm/lockstep-fuzz-XXXXXX)
export LOCKSTEP_FUZZ_FOLDER ASAN_OPTIONS=quarantine_size_mb=4
trap 'rm -rf "$LOCKSTEP_FUZZ_FOLDER"' EXIT
# The tests allow 2 s of processor time; with sanitizers, and by the clock, it may take longer.
"$build/$target.program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=1024 \
  -malloc_limit_mb=64 -max_len="$longest" -print_final_stats=1 -artifact_prefix="$build/" \
  "$build/$target" "$corpus"
