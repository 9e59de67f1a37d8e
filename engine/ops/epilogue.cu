#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <cstdint>

#include "engine/ops/channel_packs.cuh"
#include "engine/ops/epilogue_cuda.h"

namespace lockstep::ops {
namespace {

constexpr int kThreads = 256;
/// Blocks that keep every multiprocessor of the largest GPUs busy; each goes over the map in steps.
constexpr std::int64_t kMostBlocks = 4096;

/// kCount neighbouring channels at once: channels is a multiple of it.
template <typename T, typename Bias, int kCount>
__global__ void finishKernel(T* map, const Bias* bias, const T* residual, bool hasRelu,
                             std::int64_t packs, int channels) {
  using Group = Pack<T, kCount>;
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  const std::int64_t first = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const bool hasSameChannels = stride * kCount % channels == 0;
  Wide<T> shift[kCount] = {};
  const auto load = [&](std::int64_t pack) {
    const int channel = static_cast<int>(pack * kCount % channels);
    for (int k = 0; bias != nullptr && k < kCount; ++k)
      shift[k] = static_cast<Wide<T>>(bias[channel + k]);
  };
  load(first);
  for (std::int64_t i = first; i < packs; i += stride) {
    Group group = reinterpret_cast<Group*>(map)[i];
    Group other;
    if (residual != nullptr) other = reinterpret_cast<const Group*>(residual)[i];
    if (!hasSameChannels) load(i);
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      Wide<T> value = static_cast<Wide<T>>(group.values[k]) + shift[k];
      if (residual != nullptr) value += static_cast<Wide<T>>(other.values[k]);
      // Written so that NaN stays.
      if (hasRelu && value < 0) value = 0;
      group.values[k] = static_cast<T>(value);
    }
    reinterpret_cast<Group*>(map)[i] = group;
  }
}

template <typename T, typename Bias>
void launch(at::Tensor& map, const Epilogue& epilogue) {
  constexpr int kCount = kPackCount<T>;
  T* values = map.data_ptr<T>();
  const Bias* bias = epilogue.bias ? epilogue.bias->const_data_ptr<Bias>() : nullptr;
  const T* residual = epilogue.residual ? epilogue.residual->const_data_ptr<T>() : nullptr;
  const auto channels = static_cast<int>(map.size(1));
  const bool isPacked = hasPacks(values, channels) && hasPacks(residual, channels);
  const std::int64_t packs = isPacked ? map.numel() / kCount : map.numel();
  const auto blocks =
      static_cast<unsigned>(std::min((packs + kThreads - 1) / kThreads, kMostBlocks));
  const auto kernel = isPacked ? finishKernel<T, Bias, kCount> : finishKernel<T, Bias, 1>;
  kernel<<<blocks, kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
      values, bias, residual, epilogue.hasRelu, packs, channels);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace

void finishCuda(at::Tensor& map, const Epilogue& epilogue) {
  const c10::cuda::CUDAGuard guard(map.device());
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, map.scalar_type(), "finish", [&] {
    const bool isOfMap = epilogue.bias && epilogue.bias->scalar_type() == map.scalar_type();
    isOfMap ? launch<scalar_t, scalar_t>(map, epilogue) : launch<scalar_t, float>(map, epilogue);
  });
}

}  // namespace lockstep::ops
