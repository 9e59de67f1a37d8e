#include "engine/ops/cpu/channel_sums.h"

#include <algorithm>
#include <cstring>

#include "engine/ops/cpu/vector_clones.h"

namespace lockstep::ops {
namespace {

constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kRun = 64;  // pixels added up in float32

/// Neighbouring channels, added up in one register (or a few, on a CPU with narrower ones).
using Lanes [[gnu::vector_size(kLanes * sizeof(float))]] = float;

/// Channels [0, width) of one pixel; the rest is 0.
[[gnu::always_inline]] inline void load(Lanes& lanes, const float* from, std::int64_t width) {
  if (width == kLanes) {
    std::memcpy(&lanes, from, sizeof(lanes));
  } else {
    lanes = Lanes{};
    std::memcpy(&lanes, from, width * sizeof(float));
  }
}

[[gnu::always_inline]] inline void addTo(double* sums, const Lanes& lanes, std::int64_t width) {
  for (std::int64_t i = 0; i < width; ++i) sums[i] += static_cast<double>(lanes[i]);
}

}  // namespace

LOCKSTEP_VECTOR_CLONES
void addMoments(const float* x, std::int64_t pixels, std::int64_t channels, double* sums,
                double* squares) {
  for (std::int64_t c = 0; c < channels; c += kLanes) {
    const std::int64_t width = std::min(kLanes, channels - c);
    for (std::int64_t first = 0; first < pixels; first += kRun) {
      Lanes sum{}, square{}, value;
      for (std::int64_t p = first; p < std::min(first + kRun, pixels); ++p) {
        load(value, x + p * channels + c, width);
        sum += value;
        square += value * value;
      }
      addTo(sums + c, sum, width);
      addTo(squares + c, square, width);
    }
  }
}

LOCKSTEP_VECTOR_CLONES
void addGradientSums(const float* grad, const ReluMask& mask, const float* x, std::int64_t pixels,
                     std::int64_t channels, double* sums, double* products) {
  for (std::int64_t c = 0; c < channels; c += kLanes) {
    const std::int64_t width = std::min(kLanes, channels - c);
    Lanes factor{}, shift{};
    if (mask.factor != nullptr) {
      load(factor, mask.factor + c, width);
      load(shift, mask.shift + c, width);
    }
    for (std::int64_t first = 0; first < pixels; first += kRun) {
      Lanes sum{}, product{}, value, gradient, shown;
      for (std::int64_t p = first; p < std::min(first + kRun, pixels); ++p) {
        load(gradient, grad + p * channels + c, width);
        load(value, x + p * channels + c, width);
        if (mask.factor != nullptr) {
          shown = value * factor + shift;
          gradient = shown > 0 ? gradient : Lanes{};
        } else if (mask.output != nullptr) {
          load(shown, mask.output + p * channels + c, width);
          gradient = shown > 0 ? gradient : Lanes{};
        }
        sum += gradient;
        product += gradient * value;
      }
      addTo(sums + c, sum, width);
      addTo(products + c, product, width);
    }
  }
}

}  // namespace lockstep::ops
