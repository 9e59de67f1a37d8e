#pragma once

#include <cstdint>

/// Sums over the pixels of a part of a channels_last map, channel by channel. `channels` is also
/// the distance from one pixel to the next. Float32 inside short runs of pixels and double between
/// them, in a fixed order.
namespace lockstep::ops {

/// sums[c] += x, squares[c] += x * x.
void addMoments(const float* x, std::int64_t pixels, std::int64_t channels, double* sums,
                double* squares);

/// Where a gradient passes a ReLU: where the ReLU's output is above 0, or, without `output`, where
/// x * factor + shift (by channel) is. All null: everywhere.
struct ReluMask {
  const float* output = nullptr;
  const float* factor = nullptr;
  const float* shift = nullptr;
};

/// sums[c] += g, products[c] += g * x, where g is grad behind the mask.
void addGradientSums(const float* grad, const ReluMask& mask, const float* x, std::int64_t pixels,
                     std::int64_t channels, double* sums, double* products);

}  // namespace lockstep::ops
