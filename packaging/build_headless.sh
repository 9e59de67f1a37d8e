#!/usr/bin/env bash
# Builds lockstep-engine and lockstep-worker without the desktop app, and copies the files that an image needs (programs,
# libraries of .venv/, configs/, SageMaker's entry points, what a step of a pipeline runs) below DIR, under the same absolute paths.
#   packaging/build_headless.sh DIR [--cuda ARCHITECTURES]   # after packaging/setup.sh; --cuda after setup.sh --cuda
#   packaging/build_headless.sh DIR --built                  # only copies the files of an existing build/
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."
. packaging/versions.sh
. packaging/lib.sh
case ${1:-} in
  -h | --help) usage ;;
  '' | -*) fail "expected a folder: packaging/build_headless.sh DIR" ;;
esac
image=$(path_of "$1") mode=${2:-} architectures=${3:-90}
case $mode in '' | --cuda | --built) ;; *) fail "unknown option '$mode'; known: --cuda, --built" ;; esac
programs=(build/bin/lockstep-engine build/bin/lockstep-worker)
packages=$(echo "$PWD"/.venv/lib/python3*/site-packages)

# Installs a CUDA compiler from wheels, because Debian has no version 13.
prepare_cuda() {
  local toolkit=$packages/nvidia/cu13
  # shellcheck disable=SC2086  # a list of words
  .venv/bin/python -m pip install --disable-pip-version-check -q --no-deps $CUDA_COMPILER
  ln -sf libcudart.so.13 "$toolkit/lib/libcudart.so"
  export CUDACXX=$toolkit/bin/nvcc
}

build() {
  lock_checkout
  local options=(-DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DLOCKSTEP_GUI=OFF -DLOCKSTEP_TESTS=OFF -DLOCKSTEP_CUDA=OFF)
  if [ "$mode" = --cuda ]; then
    prepare_cuda
    options+=(-DLOCKSTEP_CUDA=ON "-DCMAKE_CUDA_ARCHITECTURES=$architectures")
  fi
  .venv/bin/cmake -S . -B build -G Ninja "${options[@]}"
  .venv/bin/cmake --build build -j "$(build_jobs)" --target lockstep-engine lockstep-worker
}

# Absolute paths of the libraries of .venv that the programs load.
libraries() {
  ldd "${programs[@]}" | awk -v here="$PWD/.venv/" 'index($3, here) == 1 {print $3}' | sort -u
  # With CUDA most libraries are loaded at run time, so ldd does not list them.
  if [ "$mode" = --cuda ]; then
    find "$packages/torch/lib" "$packages"/nvidia/*/lib -name '*.so*' ! -name 'libtorch_python*'
  fi
}

gather() {
  mkdir -p "$image/usr/local/bin"
  libraries | sort -u | xargs -d '\n' cp -P --parents -t "$image"
  # A library may be a link to its file.
  libraries | sort -u | xargs -d '\n' realpath | sort -u | xargs -d '\n' cp --parents -t "$image"
  cp --parents -r -t "$image" "$PWD"/LICENSE* "$PWD/configs" "$PWD/packaging/sagemaker" "$PWD/packaging/kubeflow" \
    "${programs[@]/#/$PWD/}"
  strip "${programs[@]/#/$image$PWD/}"
  ln -sf "$PWD/packaging/sagemaker/train" "$PWD/packaging/sagemaker/serve" "$image/usr/local/bin/"
}

[ "$mode" = --built ] || build
gather
say "copied to $image: $(du -sh "$image" | cut -f1)"
