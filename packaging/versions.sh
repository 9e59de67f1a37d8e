# Every pinned version, in one place. Debian's own packages come as the release ships them.
TORCH=torch==2.11.0
# What libtorch_cpu.so itself needs of CUDA on a machine without a GPU.
TORCH_CPU_NEEDS="nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85"
# Debian 12's CMake does not know C++20 for nvcc 13.
BUILD_TOOLS=cmake==4.1.2
# For images with CUDA kernels alone: the compiler, which elsewhere comes with the machine.
CUDA_COMPILER="nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-cccl==13.0.85"
# For the tests alone: independent references.
DEV_PACKAGES="torchvision==0.26.0 pycocotools==2.0.11 faster-coco-eval==1.8.0 safetensors==0.8.0 pillow==13.0.0 numpy==2.4.6 tensorboard==2.21.0"
