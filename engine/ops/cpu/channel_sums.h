#pragma once

#include <cstdint>

/// Per-channel sums over a range of pixels of a channels_last map. `channels` is also the pixel
/// stride. Accumulates in float32 over short runs of pixels and in double across runs, in a fixed
/// order.
namespace lockstep::ops {

/// sums[c] += x, squares[c] += x * x.
void addMoments(const float* x, std::int64_t pixels, std::int64_t channels, double* sums,
                double* squares);

/// The mask of a ReLU's backward pass: where its output is > 0, or, without `output`, where x *
/// factor + shift (per channel) is. All null: everywhere.
struct ReluMask {
  const float* output = nullptr;
  const float* factor = nullptr;
  const float* shift = nullptr;
};

/// sums[c] += g, products[c] += g * x, where g is grad behind the mask.
void addGradientSums(const float* grad, const ReluMask& mask, const float* x, std::int64_t pixels,
                     std::int64_t channels, double* sums, double* products);

}  // namespace lockstep::ops
