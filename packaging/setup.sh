#!/usr/bin/env bash
# Installs what a build needs: Debian's packages, and the pinned torch wheel under .venv/. Harmless to repeat.
#   packaging/setup.sh [--cuda] [--dev]
#   --cuda  all CUDA libraries of the wheel, which a build with CUDA kernels loads (3 GB more)
#   --dev   Python's torch, torchvision, pycocotools and faster-coco-eval for the tests (brings the CUDA libraries too)
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/versions.sh
. packaging/lib.sh

cuda=0 dev=0
for argument in "$@"; do
  case $argument in
    --cuda) cuda=1 ;;
    --dev) dev=1 ;;
    *) fail "unknown option '$argument'; known: --cuda --dev" ;;
  esac
done

install_system_packages() {
  local missing=() package
  while read -r package; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done < packaging/apt-packages.txt
  if [ ${#missing[@]} = 0 ]; then
    say "system packages: all there"
    return
  fi
  local run=()
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null || ! { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
      fail "system packages are missing and this user may not install them. Ask an administrator for:
  apt-get install --no-install-recommends ${missing[*]}"
    fi
    run=(sudo)
  fi
  say "system packages: installing ${#missing[@]} (${missing[*]})"
  "${run[@]}" apt-get update -q >build/setup-apt.log 2>&1 || fail "apt-get update failed:
$(tail -5 build/setup-apt.log)"
  "${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" \
    >>build/setup-apt.log 2>&1 || fail "apt-get install failed; the end of build/setup-apt.log:
$(tail -5 build/setup-apt.log)"
}

# pip_install MESSAGE ARGUMENTS…: once for these very arguments.
pip_install() {
  local message=$1 stamp
  shift
  stamp=.venv/installed-$(printf '%s ' "$@" | cksum | cut -d' ' -f1)
  if [ -e "$stamp" ]; then
    say "$message: there"
    return
  fi
  say "$message: installing"
  .venv/bin/python -m pip install --disable-pip-version-check -q "$@" || fail "pip could not install: $*"
  touch "$stamp"
}

install_python_packages() {
  # A moved checkout leaves a .venv whose scripts point elsewhere: it is made again.
  if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    say ".venv: making"
    python3 -m venv --clear .venv || fail "python3 -m venv failed (Debian: apt-get install python3-venv)"
  fi
  pip_install "CMake" "$BUILD_TOOLS"
  # shellcheck disable=SC2086  # lists of words
  if [ $dev = 1 ]; then
    pip_install "torch with its CUDA libraries and the tests' references (about 3.5 GB)" "$TORCH" $DEV_PACKAGES
  elif [ $cuda = 1 ]; then
    pip_install "torch with its CUDA libraries (about 3 GB)" "$TORCH"
  else
    pip_install "torch for the CPU (about 0.6 GB)" --no-deps "$TORCH" $TORCH_CPU_NEEDS
  fi
}

mkdir -p build
install_system_packages
install_python_packages
say "set-up done"
