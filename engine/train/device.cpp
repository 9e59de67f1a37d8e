#include "engine/train/device.h"

#include <ATen/Context.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/cuda.h>

#include <cstdlib>

#include "engine/base/error.h"
#include "engine/data/prefetcher.h"
#include "engine/ops/dispatch.h"

namespace lockstep::train {
namespace {

bool hasUsableGpu() { return ops::kHasCudaKernels && torch::cuda::is_available(); }

constexpr const char* kNoGpu =
    ops::kHasCudaKernels
        ? "runtime.device: cuda is requested, but no usable GPU was found: use runtime.device=cpu, "
          "or check nvidia-smi"
        : "runtime.device: cuda is requested, but this build has no CUDA kernels: use "
          "runtime.device=cpu, or build with the preset engine-cuda";

}  // namespace

at::Device prepareDevice(const config::RuntimeConfig& runtime, int gpu) {
  const bool hasGpu = runtime.device != config::Device::Cpu && hasUsableGpu();
  if (!hasGpu && runtime.device == config::Device::Cuda) throw UserError(kNoGpu);
  if (!hasGpu) return at::kCPU;
  at::Context& context = at::globalContext();
  const bool allowsTf32 = runtime.precision == config::Precision::Tf32;
  context.setAllowTF32CuDNN(allowsTf32);
  context.setAllowTF32CuBLAS(allowsTf32);
  context.setDeterministicCuDNN(runtime.deterministic);
  if (runtime.deterministic) {
    // cuBLAS reads it when its first handle is made.
    ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 1);
    // NCCL when its first communicator is: one order of summation, not the fastest of several.
    ::setenv("NCCL_ALGO", "Ring", /*overwrite=*/0);
  }
  const at::Device device(at::kCUDA, static_cast<at::DeviceIndex>(gpu));
  const c10::impl::VirtualGuardImpl devices(at::kCUDA);
  devices.setDevice(device);
  // CUDA graphs cannot be captured on the default stream, and gradients must be accumulated on the
  // stream of the forward pass.
  if (runtime.cudaGraphs) devices.exchangeStream(devices.getStreamFromGlobalPool(device));
  return device;
}

int loaderThreads(const config::Experiment& experiment, const at::Device& device,
                  int machineRanks) {
  const int computing = device.is_cpu() ? experiment.runtime.cpuThreads : 1;
  return data::resolveLoaderThreads(experiment.dataset.loaderThreads, {machineRanks, computing});
}

}  // namespace lockstep::train
