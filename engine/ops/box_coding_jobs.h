#pragma once

#include <c10/core/Device.h>

#include <cmath>
#include <cstdint>

#include "engine/ops/host_device.h"
#include "engine/structures/boxes.h"

/// Box coding of single boxes, shared by the CPU and CUDA kernels. Letters as in box_coding.h.
namespace lockstep::ops {

/// (dx, dy, dw, dh), or a factor of each.
struct BoxCode {
  float dx, dy, dw, dh;
};

/// log(1000 / 16): keeps an exponential of the network's output from overflowing. A box grows at
/// most 62.5 times.
inline constexpr float kLargestLogScale = 4.135166556742356f;

/// The deltas from `anchor` to `target`. Source: Faster R-CNN, section 3.1.2.
LOCKSTEP_HOST_DEVICE inline BoxCode encodeBox(const structures::Box& target,
                                              const structures::Box& anchor,
                                              const BoxCode& weights) {
  const float anchorWidth = anchor.x2 - anchor.x1, anchorHeight = anchor.y2 - anchor.y1;
  const float width = target.x2 - target.x1, height = target.y2 - target.y1;
  const float right = target.x1 + 0.5f * width - (anchor.x1 + 0.5f * anchorWidth),
              down = target.y1 + 0.5f * height - (anchor.y1 + 0.5f * anchorHeight);
  return {right / anchorWidth * weights.dx, down / anchorHeight * weights.dy,
          logf(width / anchorWidth) * weights.dw, logf(height / anchorHeight) * weights.dh};
}

/// Centre and half length along one axis.
struct HalfSide {
  float centre, half;
};

LOCKSTEP_HOST_DEVICE inline HalfSide decodeSide(float low, float high, float shift, float scale) {
  const float length = high - low;
  const float bounded = scale > kLargestLogScale ? kLargestLogScale : scale;  // keeps NaN
  return {shift * length + (low + 0.5f * length), 0.5f * (expf(bounded) * length)};
}

LOCKSTEP_HOST_DEVICE inline structures::Box decodeBox(const BoxCode& code,
                                                      const structures::Box& anchor,
                                                      const BoxCode& weights) {
  const HalfSide x = decodeSide(anchor.x1, anchor.x2, code.dx / weights.dx, code.dw / weights.dw);
  const HalfSide y = decodeSide(anchor.y1, anchor.y2, code.dy / weights.dy, code.dh / weights.dh);
  return {x.centre - x.half, y.centre - y.half, x.centre + x.half, y.centre + y.half};
}

/// Keeps NaN.
LOCKSTEP_HOST_DEVICE inline float clip(float value, float limit) {
  const float positive = value < 0.0f ? 0.0f : value;
  return positive > limit ? limit : positive;
}

LOCKSTEP_HOST_DEVICE inline structures::Box clipBox(const structures::Box& box, float width,
                                                    float height) {
  return {clip(box.x1, width), clip(box.y1, height), clip(box.x2, width), clip(box.y2, height)};
}

/// Not a box with NaN.
LOCKSTEP_HOST_DEVICE inline bool isLarge(const structures::Box& box, float minSide) {
  return box.x2 - box.x1 >= minSide && box.y2 - box.y1 >= minSide;
}

/// A strided [N,K] tensor whose rows are contiguous.
template <typename T>
struct ChosenRows {
  const T* values;
  std::int64_t stride;
};

struct CodingSizes {
  std::int64_t images, chosen;  // N, K
  std::int64_t boxes;           // B
  std::int64_t boxStride;       // from the boxes of an image to those of the next: B, or 0

  LOCKSTEP_HOST_DEVICE std::int64_t count() const { return images * chosen; }
};

template <typename T>
struct DecodeJob {
  CodingSizes sizes;
  const T* deltas;  // [N,B*perBox,4]
  std::int64_t perBox;
  const structures::Box* boxes;
  ChosenRows<std::int64_t> chosen;
  const float* limits;  // [N,4]
  BoxCode weights;
  float minSide;
  structures::Box* out;  // [N,K]
  bool* isLarge;         // [N,K]

  /// i: which of [N,K].
  LOCKSTEP_HOST_DEVICE void run(std::int64_t i) const {
    const std::int64_t image = i / sizes.chosen;
    const std::int64_t delta = chosen.values[image * chosen.stride + i % sizes.chosen];
    const T* code = deltas + 4 * (image * sizes.boxes * perBox + delta);
    const structures::Box decoded =
        decodeBox({static_cast<float>(code[0]), static_cast<float>(code[1]),
                   static_cast<float>(code[2]), static_cast<float>(code[3])},
                  boxes[image * sizes.boxStride + delta / perBox], weights);
    const structures::Box box = clipBox(decoded, limits[4 * image], limits[4 * image + 1]);
    out[i] = box;
    isLarge[i] = ops::isLarge(box, minSide);
  }
};

struct EncodeJob {
  CodingSizes sizes;
  const structures::Box* boxes;
  const std::int64_t* matches;     // [N,B]
  const structures::Box* gtBoxes;  // [N,G]
  std::int64_t mostGts;            // G
  ChosenRows<std::int64_t> chosen;
  ChosenRows<bool> isPositive;
  BoxCode weights;
  BoxCode* out;  // [N,K]

  /// i: which of [N,K].
  LOCKSTEP_HOST_DEVICE void run(std::int64_t i) const {
    const std::int64_t image = i / sizes.chosen, k = i % sizes.chosen;
    out[i] = {0, 0, 0, 0};
    if (!isPositive.values[image * isPositive.stride + k]) return;
    const std::int64_t box = chosen.values[image * chosen.stride + k];
    const std::int64_t object = matches[image * sizes.boxes + box];
    out[i] =
        encodeBox(gtBoxes[image * mostGts + object], boxes[image * sizes.boxStride + box], weights);
  }
};

namespace cuda {

/// Runs job.run(i) for all i in one kernel launch. Job: EncodeJob, or DecodeJob of a floating type.
template <typename Job>
void runJob(const Job& job, const c10::Device& device);

}  // namespace cuda

}  // namespace lockstep::ops
