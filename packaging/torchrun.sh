#!/usr/bin/env bash
# Trains under torchrun, which starts --nproc-per-node ranks on every machine:
#   packaging/torchrun.sh --nproc-per-node 8 -- EXPERIMENT --output RUN_DIR --resume
#   packaging/torchrun.sh --nnodes 2 --node-rank 0 --master-addr HOST0 --master-port 29500 --nproc-per-node 8 -- EXPERIMENT …
# (the same on HOST1 with --node-rank 1). Options before `--` are torchrun's, those after it are lockstep-engine train's.
# torchrun exits with status 1 if a rank exits with a status other than 0, also after "stopped with a checkpoint" (75). With
# --max-restarts N it restarts all ranks, which resume from the latest checkpoint.
# LOCKSTEP_ENGINE: path of another lockstep-engine; TORCHRUN: path of another torchrun.
set -euo pipefail
here=$(dirname "$(realpath "$0")")/..
options=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  options+=("$1")
  shift
done
if [ $# -lt 2 ]; then
  echo "usage: packaging/torchrun.sh [options of torchrun] -- EXPERIMENT [options of lockstep-engine train]" >&2
  exit 2
fi
shift
exec "${TORCHRUN:-$here/.venv/bin/torchrun}" "${options[@]}" --no-python \
  "${LOCKSTEP_ENGINE:-$here/build/bin/lockstep-engine}" train "$@"
