#pragma once

#include <cstdint>
#include <vector>

#include "tests/support/cuda_on_cpu.h"
// After the emulated CUDA keywords.
#include "engine/ops/cuda/group_norm.cuh"
#include "engine/ops/cuda/max_pool.cuh"

/// The launches of max_pool.cu and group_norm.cu on a CPU, of channels_last maps, with few threads
/// a block. T: of the maps; kCount channels a thread.
namespace lockstep::tests {

/// Fills out [N,H',W',C] and grad [N,H,W,C], the gradient of x for that of out, `gradOut`.
template <typename T, int kCount>
void launchMaxPool(const ops::PoolSize& size, const T* x, const T* gradOut, T* out, T* grad) {
  constexpr unsigned kThreads = 8;
  const auto grid = [&](std::int64_t rows, std::int64_t width) {
    const std::int64_t items = width * (size.channels / kCount);
    return CudaIndex{static_cast<unsigned>(rows),
                     static_cast<unsigned>((items + kThreads - 1) / kThreads), 1};
  };
  std::vector<std::uint8_t> argmax(
      static_cast<std::size_t>(size.images * size.outHeight * size.outWidth * size.channels), 99);
  launchOnCpu(grid(size.images * size.outHeight, size.outWidth), kThreads,
              [&] { ops::maxPoolKernel<T, kCount>(size, x, out, argmax.data()); });
  launchOnCpu(grid(size.images * size.height, size.width), kThreads,
              [&] { ops::maxPoolBackwardKernel<T, kCount>(size, gradOut, argmax.data(), grad); });
}

template <typename T>
struct NormMaps {
  const T *x, *residual;  ///< residual null: none
  const T* gradOut;       ///< the gradient of out
  const ops::Wide<T>*weight, *bias;
  T *out, *gradX, *gradResidual;
  ops::Wide<T>* parameters;  ///< [N,2,C], of the gradients of weight and bias
};

template <typename T, int kCount>
void launchGroupNorm(const ops::NormSize& size, std::int64_t imageCount, bool hasRelu,
                     const NormMaps<T>& maps) {
  using W = ops::Wide<T>;
  constexpr unsigned kPackThreads = 16, kGroupThreads = 12;
  const auto images = static_cast<unsigned>(imageCount),
             packs = static_cast<unsigned>(size.channels / kCount);
  const CudaIndex overParts{static_cast<unsigned>(size.parts), images,
                            (packs + kPackThreads - 1) / kPackThreads},
      overGroups{static_cast<unsigned>(size.groups), images, 1}, overPacks{3, images, 1};
  // Sentinel values, which show what no thread has written.
  const auto filled = [&](int count) {
    return std::vector<W>(std::size_t{images} * static_cast<std::size_t>(count), 99);
  };
  std::vector<W> sums = filled(size.parts * 2 * size.channels), moments = filled(2 * size.groups),
                 affine = filled(2 * size.channels), coefficients = filled(3 * size.channels);
  launchOnCpu(overParts, kPackThreads, [&] {
    ops::channelSumsKernel<T, kCount>(size, ops::Moments<T, kCount>{maps.x}, sums.data());
  });
  launchOnCpu(overGroups, kGroupThreads, [&] {
    ops::normMomentsKernel<W>(size, 1e-5, sums.data(), maps.weight, maps.bias, moments.data(),
                              affine.data());
  });
  launchOnCpu(overPacks, kPackThreads, [&] {
    ops::normaliseKernel<T, kCount>(size, maps.x, maps.residual, affine.data(), hasRelu, maps.out);
  });
  const ops::ReluGate<T> gate{hasRelu, maps.residual != nullptr && hasRelu ? maps.out : nullptr,
                              affine.data()};
  launchOnCpu(overParts, kPackThreads, [&] {
    ops::channelSumsKernel<T, kCount>(
        size, ops::GradientProducts<T, kCount>{maps.gradOut, maps.x, gate, size}, sums.data());
  });
  launchOnCpu(overGroups, kGroupThreads, [&] {
    ops::normCoefficientsKernel<W>(size, sums.data(), moments.data(), maps.weight,
                                   coefficients.data(), maps.parameters);
  });
  launchOnCpu(overPacks, kPackThreads, [&] {
    ops::normBackwardKernel<T, kCount>(size, maps.gradOut, maps.x, gate, coefficients.data(),
                                       maps.gradX,
                                       maps.residual != nullptr ? maps.gradResidual : nullptr);
  });
}

}  // namespace lockstep::tests
