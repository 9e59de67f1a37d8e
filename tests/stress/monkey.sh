#!/usr/bin/env bash
# A monkey at the window under AddressSanitizer and UBSan: random events on all pages beside a live run, seeds from the clock until
# the time is over. A seed that failed is printed; repeat it with window_monkey --seed N.
#   tests/stress/monkey.sh [MINUTES]   (30)
set -euo pipefail
cd "$(dirname "$0")/../.."
minutes=${1:-30}
.venv/bin/cmake --preset asan >/dev/null
.venv/bin/cmake --build build/asan --target window_monkey fake_engine
export QT_QPA_PLATFORM=offscreen ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=suppressions=$PWD/tests/stress/leaks.supp
end=$((SECONDS + 60 * minutes)) rounds=0
while [ $SECONDS -lt $end ]; do
  build/asan/tests/app/monkey/window_monkey --seconds $((end - SECONDS < 300 ? end - SECONDS : 300)) --seed "$(date +%s)"
  rounds=$((rounds + 1))
done
echo "$rounds rounds, $minutes minutes: no fault"
