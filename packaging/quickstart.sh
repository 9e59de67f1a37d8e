#!/usr/bin/env bash
# From a fresh checkout to a trained model: installs packages, builds, makes sample data, and opens the app with an
# experiment. Without a display it trains headless and writes metrics and images. Safe to run again.
#   packaging/quickstart.sh [--data DIR] [--headless]
#   --data DIR   a COCO-format dataset instead of generated scenes; its annotation files and image folders must match *train*
#                and *val*
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

# only_match WHAT PATTERN CANDIDATES…: prints the only candidate that matches; fails with the matches found otherwise.
only_match() {
  local what=$1 pattern=$2 candidate found=()
  shift 2
  for candidate in "$@"; do
    # shellcheck disable=SC2053  # a pattern
    if [[ ${candidate##*/} == $pattern ]]; then found+=("$candidate"); fi
  done
  if [ ${#found[@]} != 1 ]; then
    fail "$data: ${#found[@]} candidates for $what ($pattern): ${found[*]:-none}.
Write an experiment file instead (configs/cpu_small.yaml shows how) and run: build/bin/lockstep-engine train FILE"
  fi
  echo "${found[0]}"
}

# Writes an experiment for the dataset of --data and prints its path.
write_experiment() {
  local files=() folders=() folder="build/quickstart/$(basename "$data")" preset=cpu_small
  mapfile -t files < <(find "$data" -maxdepth 2 -name '*.json' | sort)
  mapfile -t folders < <(find "$data" -mindepth 1 -maxdepth 2 -type d | sort)
  local train_json val_json train_images val_images
  train_json=$(only_match "the training annotations" '*train*' "${files[@]}")
  val_json=$(only_match "the held-out annotations" '*val*' "${files[@]}")
  train_images=$(only_match "the training images" '*train*' "${folders[@]}")
  val_images=$(only_match "the held-out images" '*val*' "${folders[@]}")
  if has_gpu; then preset=coco_r50_1x; fi
  mkdir -p "$folder"
  cat > "$folder/experiment.yaml" <<YAML
# Written by packaging/quickstart.sh for $data. You may edit it.
name: $(basename "$data" | tr -c 'A-Za-z0-9_.\n-' '-')
base: $(pwd)/configs/$preset.yaml
dataset:
  train: {images: "$train_images", annotations: "$train_json"}
  val: {images: "$val_images", annotations: "$val_json"}
YAML
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
  experiment=$(write_experiment)
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
