#!/usr/bin/env bash
# Installs what a build needs: Debian packages, and the pinned torch wheel in .venv/. Safe to run again.
#   packaging/setup.sh [--cuda] [--dev [--all]]
#   --cuda  all CUDA libraries of the wheel, which a build with CUDA kernels loads (3 GB more)
#   --dev   Python's torch, torchvision, pycocotools and faster-coco-eval for the tests (brings the CUDA libraries too), the
#           linters, and openssh-server, whose service stays off
#   --all   also the SDKs that check the manifests and what is served, and Chromium, for the tests of packaging/test.sh --all
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
. packaging/versions.sh
. packaging/lib.sh
trap 'exit 130' INT TERM HUP

cuda=0 dev=0 all=0
for argument in "$@"; do
  case $argument in
    -h | --help) usage ;;
    --cuda) cuda=1 ;;
    --dev) dev=1 ;;
    --all) all=1 ;;
    *) fail "unknown option '$argument'; known: --cuda --dev --all" ;;
  esac
done
[ $all = 0 ] || [ $dev = 1 ] || fail "--all needs --dev"

# Prints installed packages and the names that they provide: some names are a package in one release and only provided in
# another.
installed_names() {
  dpkg-query -W -f '${db:Status-Status} ${Package}, ${Provides}\n' 2>/dev/null |
    sed -n 's/^installed //p' | tr ',' '\n' | sed 's/^ *//; s/[ :(].*//'
}

# apt_run COMMAND…: runs apt-get, with sudo if needed; its output goes to build/setup-apt-COMMAND.log. Waits while another apt
# runs, as on every new cloud machine in its first minutes: DPkg::Lock::Timeout covers only dpkg's locks. Repairs an interrupted
# installation.
readonly APT_PATIENCE_SECONDS=600
readonly APT_IS_BUSY='^E: .*(is held by process|Resource temporarily unavailable|is another process using it)'
apt_run() {
  local until=$((SECONDS + APT_PATIENCE_SECONDS)) said=0 mended=0 log=build/setup-apt-$1.log
  while ! "${become_root[@]}" env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=10 \
    -o APT::Get::Fix-Broken=true "$@" >"$log" 2>&1; do
    if [ $mended = 0 ] && grep -q 'dpkg was interrupted' "$log"; then
      mended=1
      say "system packages: finishing an installation that was interrupted"
      "${become_root[@]}" env DEBIAN_FRONTEND=noninteractive dpkg --configure -a >"$log" 2>&1 || true
      continue
    fi
    grep -qE "$APT_IS_BUSY" "$log" || fail "apt-get $1 failed; the end of $log:
$(tail -5 "$log")
$(advice / build/setup-apt-*.log)"
    [ $SECONDS -lt $until ] || fail "apt-get $1: after $((APT_PATIENCE_SECONDS / 60)) minutes another program still has apt's locks:
$(grep -m1 -E "$APT_IS_BUSY" "$log")
Wait until it exits, then run this again."
    [ $said = 1 ] || say "system packages: another program has apt's locks; waiting up to $((APT_PATIENCE_SECONDS / 60)) minutes for it"
    said=1
    sleep 5
  done
}

install_system_packages() {
  local names missing=() package
  names=$(installed_names)
  # shellcheck disable=SC2086  # a list of words
  while read -r package; do
    grep -qxF "$package" <<<"$names" || missing+=("$package")
  done < <(
    cat packaging/apt-packages.txt
    [ $dev = 0 ] || printf '%s\n' $DEV_APT_PACKAGES
    [ $all = 0 ] || printf '%s\n' $ALL_APT_PACKAGES
  )
  if [ ${#missing[@]} = 0 ]; then
    say "system packages: already installed"
    return
  fi
  rm -f build/setup-apt-*.log  # advice() reads them
  become_root=()
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null || ! { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
      fail "system packages are missing and this user may not install them. Ask an administrator for:
  apt-get install --no-install-recommends ${missing[*]}"
    fi
    become_root=(sudo)
  fi
  say "system packages: installing ${#missing[@]} (${missing[*]})"
  apt_run update
  apt_run install -y --no-install-recommends "${missing[@]}"
  # Debian starts it for everyone; the tests start their own.
  if [[ " ${missing[*]} " == *" openssh-server "* ]] && command -v systemctl >/dev/null; then
    "${become_root[@]}" systemctl disable --now ssh >/dev/null 2>&1 || true
  fi
}

# pip_install MESSAGE VENV ARGUMENTS…: runs pip install unless it succeeded before with the same arguments. After an interrupted
# one it installs everything again, because pip may take half a package for a whole one. Another packaging/versions.sh makes
# all earlier installations void.
pip_install() {
  local message=$1 venv=$2 versions stamp again=() log=build/setup-pip.log
  shift 2
  versions=$(cksum <packaging/versions.sh | cut -d' ' -f1)
  stamp=$venv/installed-$versions-$(printf '%s ' "$@" | cksum | cut -d' ' -f1)
  if [ -e "$stamp" ]; then
    say "$message: already installed"
    return
  fi
  say "$message: installing"
  [ ! -e "$venv/unfinished" ] || again=(--ignore-installed)
  touch "$venv/unfinished"
  "$venv/bin/python" -m pip install --disable-pip-version-check -q "${again[@]}" "$@" >"$log" 2>&1 || fail "pip could not install: $*
$(tail -3 "$log")
$(advice "$venv" "$log")"
  find "$venv" -maxdepth 1 -name 'installed-*' ! -name "installed-$versions-*" -delete
  mv "$venv/unfinished" "$stamp"
}

# Creates a venv if it is missing, unfinished, broken, or was moved with the checkout: its scripts name its Python.
make_venv() {
  local log=build/setup-venv.log
  if compgen -G "$1/installed-*" >/dev/null && "$1/bin/python" -m pip --version >/dev/null 2>&1 &&
    grep -qsF "$PWD/$1/bin/python" "$1/bin/pip"; then return; fi
  say "$1: creating"
  mkdir -p "$1"
  rm -f "$1"/installed-*  # first: clearing may be interrupted
  python3 -m venv --clear "$1" >"$log" 2>&1 || fail "python3 -m venv failed (Debian: apt-get install python3-venv)
$(tail -3 "$log")
$(advice "$1" "$log")"
}

# Each SDK in a venv of its own: they want different versions of what they have in common.
install_checkers() {
  local name packages
  while read -r name packages; do
    make_venv ".venv/checkers/$name"
    # shellcheck disable=SC2086  # a list of words
    pip_install "the checker $name" ".venv/checkers/$name" $packages
  done <<<"$CHECKERS"
}

install_python_packages() {
  make_venv .venv
  pip_install "CMake" .venv "$BUILD_TOOLS"
  # shellcheck disable=SC2086  # lists of words
  if [ $dev = 1 ]; then
    pip_install "torch with its CUDA libraries and the tests' references (about 3.5 GB)" .venv "$TORCH" $DEV_PACKAGES
    pip_install "the references of other metrics" .venv --no-deps $DEV_PACKAGES_ALONE
    [ $all = 0 ] || install_checkers
  elif [ $cuda = 1 ]; then
    pip_install "torch with its CUDA libraries (about 3 GB)" .venv "$TORCH"
  else
    pip_install "torch for the CPU (about 0.6 GB)" .venv --no-deps "$TORCH" $TORCH_CPU_NEEDS
  fi
}

lock_checkout
install_system_packages
install_python_packages
say "setup done"
