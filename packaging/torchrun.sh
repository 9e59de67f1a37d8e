#!/usr/bin/env bash
# Trains under torchrun, which starts a rank for every --nproc-per-node on every machine:
#   packaging/torchrun.sh --nproc-per-node 8 -- EXPERIMENT --output RUN_DIR --resume
#   packaging/torchrun.sh --nnodes 2 --node-rank 0 --master-addr HOST0 --master-port 29500 --nproc-per-node 8 -- EXPERIMENT …
# (the same on HOST1 with --node-rank 1). What stands before `--` is torchrun's, what follows is lockstep-engine train's.
# torchrun ends with 1 where a rank ended with another status than 0, so also after "stopped with a checkpoint" (75); with
# --max-restarts N it starts all ranks again, and they go on from the newest checkpoint.
# LOCKSTEP_ENGINE names another program than this checkout's, TORCHRUN another torchrun than .venv's.
set -euo pipefail
here=$(dirname "$(realpath "$0")")/..
options=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  options+=("$1")
  shift
done
if [ $# -lt 2 ]; then
  echo "usage: packaging/torchrun.sh [torchrun's options] -- EXPERIMENT [options of lockstep-engine train]" >&2
  exit 2
fi
shift
exec "${TORCHRUN:-$here/.venv/bin/torchrun}" "${options[@]}" --no-python \
  "${LOCKSTEP_ENGINE:-$here/build/bin/lockstep-engine}" train "$@"
