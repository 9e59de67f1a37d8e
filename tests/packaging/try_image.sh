#!/usr/bin/env bash
# Tries the files of the image without Docker, by hand and as root: trains and serves in ROOT as user 1000, and compares the
# answer with predict's.
#   debootstrap --variant=minbase --include="$(tests/packaging/try_image.sh --packages)" bookworm ROOT
#   packaging/build_headless.sh ROOT --built
#   tests/packaging/try_image.sh ROOT
set -euo pipefail
cd "$(dirname "$0")/../.."

# What the second stage of the Dockerfile installs.
packages() { sed -n '/no-install-recommends/,/rm -rf/{//!p}' packaging/Dockerfile | tr -d '\\' | xargs | tr ' ' ,; }

if [ "${1:-}" = --packages ]; then
  packages
  exit
fi
root=$(readlink -f "${1:?expected a folder: tests/packaging/try_image.sh ROOT}")
[ -x "$root$PWD/build/bin/lockstep-engine" ] || { echo "$root: packaging/build_headless.sh has copied nothing here" >&2; exit 2; }
# Mounts of its own, which end with it.
[ "${2:-}" = --unshared ] || exec unshare --mount "$0" "$root" --unshared

mount --rbind /proc "$root/proc"
mount -t tmpfs none "$root/tmp"
[ -e "$root/dev/null" ] || mount --rbind /dev "$root/dev"
work=$root/tmp/try
install -d -o 1000 -g 1000 "$work"
enter=(chroot --userspec=1000:1000 "$root" env -i HOME=/tmp/try "PATH=$PWD/build/bin:/usr/local/bin:/usr/bin:/bin")

cat >"$work/experiment.yaml" <<EOF
name: tried
base: $PWD/configs/cpu_small.yaml
dataset:
  train: {images: shapes/train, annotations: shapes/annotations/instances_train.json}
  val: {images: shapes/val, annotations: shapes/annotations/instances_val.json}
augment: {min_size: [96], max_size: 160}
solver: {max_steps: 6, warmup_steps: 0, batch_size: 1}
evaluation: {ap_every: 6}
runtime: {device: cpu}
EOF
"${enter[@]}" lockstep-engine dataset shapes --out /tmp/try/shapes --train 4 --val 2
"${enter[@]}" lockstep-engine train /tmp/try/experiment.yaml --output /tmp/try/run
image=$(find "$work/shapes/val" -type f | head -1)
"${enter[@]}" lockstep-engine predict /tmp/try/run --images "${image#"$root"}" --out /tmp/try/predicted.json

"${enter[@]}" SM_MODEL_DIR=/tmp/try/run SAGEMAKER_BIND_TO_PORT=0 serve >"$work/port" &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
python3 - "$work/port" "$image" "$work/predicted.json" <<'EOF'
import http.client, json, pathlib, re, sys, time

def ask(method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", json.loads(port.read_text())["port"], timeout=60)
    connection.request(method, path, body, {"Content-Type": "image/png"})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()

port, image, predicted = map(pathlib.Path, sys.argv[1:])
for _ in range(600):
    if port.read_text().endswith("\n") and ask("GET", "/ping")[0] == 200:
        break
    time.sleep(0.1)
status, answer = ask("POST", "/invocations", image.read_bytes())
assert status == 200 and answer == re.sub(r',"file_name":"[^"]*"', "", predicted.read_text()), (status, answer)
EOF
kill -TERM $server
wait $server
echo "trained and served in $root"
