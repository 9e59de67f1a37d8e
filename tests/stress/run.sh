#!/usr/bin/env bash
# The long forms of tests, by hand after packaging/test.sh; about three hours on two cores.
#   tests/stress/run.sh [BUILD_FOLDER]
# LOCKSTEP_TEST_DATA adds real images, LOCKSTEP_FUZZ_SEED makes other damaged files. LOCKSTEP_FUZZ_SECONDS=600 lets each
# search of tests_fuzz take that long instead; tests/fuzz/coverage_guided.sh searches by the branches that are reached.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build}
export LOCKSTEP_LONG_TESTS=1 LOCKSTEP_FUZZ_VARIANTS=${LOCKSTEP_FUZZ_VARIANTS:-10000}

# 10,000 damaged variants of every file that a run leaves
"$build/bin/tests_fuzz"
"$build/bin/tests_checkpoint" damaged_files
# 200 steps beside torchvision
"$build/bin/tests_train" torchvision_training
# killed at 20 random moments; one of three ranks hurt at 50
.venv/bin/python tests/stress/kill_and_resume.py --build "$build"
.venv/bin/python tests/stress/many_ranks.py --build "$build"
# 200 rounds of a queue whose runs are killed, stopped and moved
.venv/bin/python tests/stress/run_queue.py --build "$build"
# an hour of a server whose workers are killed, with nonsense from others
.venv/bin/python tests/stress/serve.py --build "$build"
# 3,000 steps on two ranks
.venv/bin/python tests/stress/soak.py --build "$build"
