# All pinned versions. Debian packages have the version of the release.
TORCH=torch==2.11.0
# CUDA libraries that libtorch_cpu.so loads even without a GPU.
TORCH_CPU_NEEDS="nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85"
# Debian 12's CMake does not support C++20 with nvcc 13.
BUILD_TOOLS=cmake==4.1.2
# The CUDA compiler, only for images with CUDA kernels; other builds use the compiler of the machine.
CUDA_COMPILER="nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-cccl==13.0.85"
# Debian packages only for the tests: sshd, for runs on another machine, and the linter.
DEV_APT_PACKAGES="clang-tidy openssh-server"
# Only for packaging/test.sh --all: the browser that opens the server's page.
ALL_APT_PACKAGES=chromium
# Reference implementations and the formatter that .clang-format is written for, only for the tests.
DEV_PACKAGES="torchvision==0.26.0 pycocotools==2.0.11 faster-coco-eval==1.8.0 safetensors==0.8.0 pillow==13.0.0 numpy==2.4.6 scipy==1.17.1 tensorboard==2.21.0
  clang-format==14.0.6"
# Reference implementations without what they draw, train and compile with.
DEV_PACKAGES_ALONE="lvis==0.5.3 stardist==0.9.2"
# What checks the manifests of packaging/ and asks what is served, only for the tests: the name of a venv, and what it holds.
CHECKERS="kubernetes kubernetes-validate==1.37.0
kserve kserve==0.21.0
training kubeflow-training==1.9.4
pipelines kfp==2.17.3 kfp-kubernetes==2.17.3
triton tritonclient[http]==2.73.0"
