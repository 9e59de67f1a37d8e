#!/usr/bin/env bash
# From a fresh checkout to a trained model: installs packages, builds, makes sample data, and opens the app with an
# experiment. Without a display it trains headless and writes metrics and images. Safe to run again.
#   packaging/quickstart.sh [--data DIR] [--headless]
#   --data DIR   a dataset instead of generated scenes: COCO, LabelMe, YOLO, Pascal VOC, CVAT, label images and others
#   --headless   do not open the app, even with a display
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/lib.sh

data= headless=0
while [ $# -gt 0 ]; do
  case $1 in
    --data) [ $# -ge 2 ] || fail "--data needs a folder"
      [ -d "$2" ] || fail "--data $2: no such folder"
      data=$(realpath "$2")
      shift 2 ;;
    --headless) headless=1; shift ;;
    *) fail "unknown option '$1'; known: --data DIR, --headless" ;;
  esac
done
if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then headless=1; fi

has_gpu() { [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; }

# Imports the dataset of --data, unless it was imported before, and prints its experiment. The annotations may be of any format
# that `dataset import` knows.
import_data() {
  local folder
  folder=build/quickstart/$(basename "$data")
  mkdir -p build/quickstart
  if [ ! -e "$folder/experiment.yaml" ]; then
    say "importing $data"
    "$engine" dataset import "$data" --out "$folder" >&2 || exit 1
  fi
  echo "$folder/experiment.yaml"
}

preset=engine-cpu setup_options=()
if has_gpu && cuda_compiler >/dev/null; then
  preset=engine-cuda setup_options=(--cuda)
fi
packaging/setup.sh "${setup_options[@]}"
build_lockstep "$preset" lockstep lockstep-engine lockstep-worker
engine=build/bin/lockstep-engine

if [ -n "$data" ]; then
  experiment=$(import_data)
  say "experiment: $experiment"
else
  experiment=build/quickstart/shapes/experiment.yaml
  if [ ! -e "$experiment" ]; then
    say "making sample data: 120 training and 24 held-out scenes with exact masks"
    mkdir -p build/quickstart
    $engine dataset shapes --out build/quickstart/shapes --train 120 --val 24 --seed 1
  fi
fi

if [ $headless = 0 ]; then
  say "opening the app; press Train (Ctrl+Return)"
  exec build/bin/lockstep "$experiment"
fi

run=runs/quickstart-$(basename "$(dirname "$experiment")")
say "training headless into $run (an existing run is resumed)"
$engine train "$experiment" --output "$run" --resume
say "evaluating the best checkpoint on the held-out set"
$engine evaluate "$run" --weights best --out "$run/best.json"
$engine predict "$run" --weights best --split val --score 0.5 --out "$run/predictions.json" --overlays "$run/overlays"
for page in monitor predictions; do
  build/bin/lockstep "$run" --page $page --screenshot "$run/$page.png" --size 1600x1000
done
say "done: $run
  model     $run/checkpoints/
  metrics   $run/best.json
  images    $run/monitor.png $run/predictions.png $run/overlays/"
