#pragma once

#include <cstdint>

#include "engine/ops/box_coding.h"

/// Box coding of many boxes, one at a time in any order, for boxes.cpp and boxes.cu. Letters as in
/// boxes.h.
namespace lockstep::ops {

/// Rows of [N,K] that may lie apart.
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
  const Box* boxes;
  ChosenRows<std::int64_t> chosen;
  const float* limits;  // [N,4]
  BoxCode weights;
  float minSide;
  Box* out;       // [N,K]
  bool* isLarge;  // [N,K]

  /// i: which of [N,K].
  LOCKSTEP_HOST_DEVICE void run(std::int64_t i) const {
    const std::int64_t image = i / sizes.chosen;
    const std::int64_t delta = chosen.values[image * chosen.stride + i % sizes.chosen];
    const T* code = deltas + 4 * (image * sizes.boxes * perBox + delta);
    const Box decoded = decodeBox({static_cast<float>(code[0]), static_cast<float>(code[1]),
                                   static_cast<float>(code[2]), static_cast<float>(code[3])},
                                  boxes[image * sizes.boxStride + delta / perBox], weights);
    const Box box = clipBox(decoded, limits[4 * image], limits[4 * image + 1]);
    out[i] = box;
    isLarge[i] = ops::isLarge(box, minSide);
  }
};

struct EncodeJob {
  CodingSizes sizes;
  const Box* boxes;
  const std::int64_t* matches;  // [N,B]
  const Box* gtBoxes;           // [N,G]
  std::int64_t mostGts;         // G
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

}  // namespace lockstep::ops
