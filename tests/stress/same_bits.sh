#!/usr/bin/env bash
# Whether a build trains as another does, to the last bit, and goes on with what the other left; some ten minutes on two cores.
#   tests/stress/same_bits.sh OLD_BUILD NEW_BUILD [--images FOLDER]
# The builds are folders with bin/. FOLDER holds train/, val/ and annotations/ as droplets have them; else
# $LOCKSTEP_TEST_DATA/droplets, else made scenes.
set -euo pipefail
exec "$(dirname "$0")/../../.venv/bin/python" "$(dirname "$0")/same_bits.py" "$@"
