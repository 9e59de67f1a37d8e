#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/ops/cuda/channel_packs.cuh"
#include "engine/ops/cuda/launch.cuh"
#include "engine/ops/host_device.h"

/// Kernel of epilogue.cu.
namespace lockstep::ops {

constexpr int kEpilogueThreads = 256;
/// Enough blocks for all SMs of the largest GPUs; each runs a grid-stride loop over the map.
constexpr std::int64_t kMostEpilogueBlocks = 4096;

/// kCount adjacent channels at once; channels is a multiple of it.
template <typename T, typename Bias, int kCount>
__global__ void epilogueKernel(T* map, const Bias* bias, const T* residual, bool hasRelu,
                               std::int64_t packs, int channels) {
  using Group = Pack<T, kCount>;
  const std::int64_t stride = std::int64_t{gridDim.x} * kEpilogueThreads;
  const std::int64_t first = std::int64_t{blockIdx.x} * kEpilogueThreads + threadIdx.x;
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
    LOCKSTEP_UNROLL
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

inline Launch epilogueLaunch(std::int64_t packs) {
  const std::int64_t blocks = (packs + kEpilogueThreads - 1) / kEpilogueThreads;
  return {static_cast<unsigned>(std::min(blocks, kMostEpilogueBlocks)), 1, 1, kEpilogueThreads};
}

}  // namespace lockstep::ops
