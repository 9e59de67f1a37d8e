#!/usr/bin/env bash
# From a fresh checkout to a trained model: installs packages, builds, makes sample data and opens the app. The app opens as
# soon as it is built, while the program that trains is still compiled. Without a display it trains headless and writes metrics
# and images. Safe to interrupt and to run again.
#   packaging/quickstart.sh [--data DIR] [--headless]
#   --data DIR   a dataset instead of generated scenes, a folder or one file: COCO, LabelMe, YOLO, Pascal VOC, CVAT, label images
#                and others
#   --headless   do not open the app, even with a display
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
. packaging/lib.sh

data='' headless=0
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage ;;
    --data) [ -n "${2:-}" ] || fail "--data needs a folder or a file"
      data=$(path_of "$2")
      [ -e "$data" ] || fail "--data $2: no such folder or file"
      shift 2 ;;
    --headless) headless=1; shift ;;
    *) fail "unknown option '$1'; known: --data DIR, --headless" ;;
  esac
done
if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then headless=1; fi

has_gpu() { [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; }

engine=build/bin/lockstep-engine
folder=build/quickstart/shapes
# The checksum keeps two folders of the same name apart; the experiment is named after the last folder.
[ -z "$data" ] || folder=build/quickstart/$(cksum <<<"$data" | cut -d' ' -f1)/$(basename "$data")
experiment=$folder/experiment.yaml

# True when the data are ready for training.
has_data() { [ -e "$experiment" ] && { [ -n "$data" ] || [ -e "$folder/annotations" ]; }; }

# Imports the dataset of --data, or makes the sample scenes. The experiment may be open in the app already, so an existing file
# stays as it is.
make_data() {
  if has_data; then return; fi
  if [ -n "$data" ]; then
    say "importing $data"
    mkdir -p "$(dirname "$folder")"
    "$engine" dataset import "$data" --out "$folder" >&2 ||
      fail "$data was not imported; $engine dataset import --help has options that may help"
    return
  fi
  say "making sample data: 120 training and 24 validation scenes with exact masks"
  write_experiment
  rm -rf "$folder"/{made,train,val} "$folder"/.made.partial-*
  "$engine" dataset shapes --out "$folder/made" --train 120 --val 24 --seed 1
  mv "$folder"/made/{train,val,annotations} "$folder"  # annotations last: has_data() looks for them
  rm -r "$folder/made"
}

write_experiment() {
  mkdir -p "$folder"
  if [ -e "$experiment" ]; then return; fi
  "$engine" config shapes >"$experiment.new"
  mv "$experiment.new" "$experiment"
}

# The app reads the progress from preparing.json beside the experiment. This script keeps the file locked; an unlocked one was
# left by a script that was killed. publish STAGE [PERCENT [SECONDS]]
window='' marker='' lock=''
publish() {
  # Written in place with a constant size, so that the app never reads half a file.
  printf '%-79s\n' "{\"stage\": \"$1\", \"percent\": ${2:--1}, \"seconds_left\": ${3:--1}}" 1<>"$marker" || true
}
on_progress() { [ -z "$lock" ] || publish building "$@"; }
close_marker() { [ -z "$lock" ] || exec {lock}>&-; }

open_window_early() {
  marker=$folder/preparing.json
  exec {lock}>>"$marker"
  flock -w 2 "$lock" || fail "another quickstart.sh is preparing $folder: wait for it, or stop it"
  publish building
  say "opening the app; Train is enabled once the rest is built. Ctrl+C ends both; closing the app does not stop the build"
  trap ended EXIT
  build/bin/lockstep "$experiment" {lock}>&- {checkout_lock}>&- &
  window=$!
}

has_window() { [ -n "$window" ] && kill -0 "$window" 2>/dev/null; }
end_children() {
  if has_window; then
    kill "$window"
    wait "$window"
  fi
}

# After a failure the app stays open, because it may hold unsaved edits.
ended() {
  local status=$?
  if [ -n "$lock" ]; then exec {lock}>&-; fi
  if has_window; then
    say "the app stays open until you close it"
    wait "$window" || true
  fi
  exit $status
}

finish_preparing() {
  exec {lock}>&-
  lock=
  if has_window; then
    say "ready; press Train (Ctrl+Return)"
  else
    say "ready; packaging/quickstart.sh opens the app again"
  fi
}

end_with_window() {
  local status=0
  wait "$window" || status=$?
  [ $status = 0 ] || say "the app ended with status $status; packaging/quickstart.sh --headless needs no display"
  exit $status
}

trap_interrupts
lock_checkout
preset=engine-cpu setup_options=()
if has_gpu && cuda_compiler >/dev/null; then
  preset=engine-cuda setup_options=(--cuda)
fi
packaging/setup.sh "${setup_options[@]}"
configure_lockstep "$preset"

if [ $headless = 0 ]; then
  build_targets "building the app" lockstep lockstep-engine
  [ -n "$data" ] || write_experiment
  # With --data there is no experiment before the import.
  if [ -e "$experiment" ] && { ! has_data || [ -n "$(build_plan lockstep-worker)" ]; }; then open_window_early; fi
fi
build_targets "building" lockstep lockstep-engine lockstep-worker
say "built"
[ -z "$lock" ] || publish making
make_data
unlock_checkout
rm -f "$folder/preparing.json"  # also one that a killed script left
say "experiment: $experiment"
if [ -n "$lock" ]; then
  finish_preparing
elif [ $headless = 0 ]; then
  say "opening the app; press Train (Ctrl+Return)"
  build/bin/lockstep "$experiment" &
  window=$!
fi
[ $headless = 1 ] || end_with_window

run=${folder#build/} run=runs/${run//\//-}
say "training headless into $run (an existing run is resumed; Ctrl+C stops it with a checkpoint)"
$engine train "$experiment" --output "$run" --resume
say "evaluating the best checkpoint on the validation set"
$engine evaluate "$run" --weights best --out "$run/best.json"
$engine predict "$run" --weights best --split val --score 0.5 --out "$run/predictions.json" --overlays "$run/overlays"
for page in monitor predictions; do
  QT_QPA_PLATFORM=offscreen build/bin/lockstep "$run" --page $page --screenshot "$run/$page.png" --size 1600x1000
done
say "done: $run
  model     $run/checkpoints/
  metrics   $run/best.json
  images    $run/monitor.png $run/predictions.png $run/overlays/"
