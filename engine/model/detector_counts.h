#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstddef>

#include "engine/config/pyramid.h"

namespace lockstep::model {

/// What RPN and heads do with the images of a batch, as numbers that can be added up over batches
/// and ranks.
enum class DetectorCount {
  Objects,
  ProposedObjects,  ///< with a proposal of IoU >= 0.5, before the ground truth joins the proposals
  RpnPositives,     ///< positive anchors among those sampled for the loss
  Rois,             ///< sampled for the box head
  RoiPositives,     ///< of them, those of an object
  CorrectClasses,   ///< of them, those whose highest logit is that of their class
  MaskPixels,       ///< of the masks that the mask head is trained on
  CorrectMaskPixels,
  MatchedAnchors,  ///< of the finest FPN level, sampled or not; the next levels follow
};
inline constexpr std::size_t kDetectorCounts =
    static_cast<std::size_t>(DetectorCount::MatchedAnchors) + config::kPyramidLevels;

constexpr std::size_t indexOf(DetectorCount count, std::size_t level = 0) {
  return static_cast<std::size_t>(count) + level;
}

/// Each [] float32 on the model's device, without a gradient.
struct DetectorCounts {
  std::array<at::Tensor, kDetectorCounts> values;

  at::Tensor& operator[](DetectorCount count) { return values[indexOf(count)]; }
  const at::Tensor& operator[](DetectorCount count) const { return values[indexOf(count)]; }
};

}  // namespace lockstep::model
