#!/usr/bin/env bash
# Trials that take longer than those of packaging/test.sh --all, by hand after it; hours on two cores.
#   tests/stress/run.sh [BUILD_FOLDER]
# LOCKSTEP_TEST_DATA adds real images. tests/fuzz/coverage_guided.sh searches for damaged files by the branches that they reach.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build}

# killed at 20 random moments; one of three ranks hurt at 50
.venv/bin/python tests/stress/kill_and_resume.py --build "$build"
.venv/bin/python tests/stress/many_ranks.py --build "$build"
# 200 rounds of a queue whose runs are killed, stopped and moved
.venv/bin/python tests/stress/run_queue.py --build "$build"
# an hour of a server whose workers are killed, with nonsense from others
.venv/bin/python tests/stress/serve.py --build "$build"
# 130 odd data sets of all formats: imported, checked, two steps of training
.venv/bin/python tests/stress/odd_datasets.py --build "$build"
# 3,000 steps on two ranks
.venv/bin/python tests/stress/soak.py --build "$build"
