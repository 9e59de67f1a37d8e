#pragma once

#include <cstdint>
#include <vector>

#include "engine/data/image_file.h"

/// Resizing with the arithmetic of ATen's interpolate on a CPU: align_corners false, scale = in /
/// out in float32.
namespace lockstep::data {

/// Where the pixels of one output side come from, bilinear: out[i] = in[first[i]] * (1 - weight[i])
/// + in[second[i]] * weight[i]. With `flip` the input side is read backwards.
struct LinearTaps {
  std::vector<std::int32_t> first, second;
  std::vector<float> weight;  ///< of second
};
LinearTaps linearTaps(int inPx, int outPx, bool flip);

/// First output pixel whose nearest input pixel is `in` or later, for in = 0 … inPx: input pixels
/// [a, b) become output pixels [starts[a], starts[b]).
std::vector<std::int32_t> nearestStarts(int inPx, int outPx);

/// Where planes are written: R, G, B, rows of float32.
struct PlanarTarget {
  float* data = nullptr;
  std::int64_t rowStride = 0, planeStride = 0;  ///< in elements
};

/// (v / 255 - mean) / std of every channel, then bilinear. Taps say the output size.
void resizeNormalised(const RgbImage& image, const LinearTaps& columns, const LinearTaps& rows,
                      PlanarTarget target);

}  // namespace lockstep::data
