#pragma once

#include <ATen/core/Tensor.h>

#include "engine/ops/selection.h"

namespace lockstep::ops {

/// The float32 threshold equivalent to `value`: a float32 IoU is > `value` if and only if it is >
/// this (rounding to nearest might round up).
float largestFloatUpTo(double value);

/// Candidates [N,A] of N images, each of a group (class or pyramid level) out of G.
struct NmsCandidates {
  at::Tensor boxesXyxy;  ///< [N,A,4] px
  at::Tensor scores;     ///< [N,A]
  at::Tensor groups;     ///< [N,A] int64, 0 … G - 1
  at::Tensor valid;      ///< [N,A] bool: false for padding, which is ignored

  std::int64_t groupCount = 1;  ///< G
  /// Maximum number of valid candidates of a group in an image; 0: A. On a GPU further ones are
  /// silently ignored; on a CPU they are an error.
  std::int64_t mostOfGroup = 0;

  /// The same, never 0 and never more than A.
  std::int64_t groupSize() const;
};

/// Batched greedy NMS, independent for each group of each image (torchvision's batched_nms): by
/// falling score, ties in input order, a box is suppressed if its IoU with a kept box of its group
/// is > iouThreshold. Keeps at most `most` boxes per image, over all groups by falling score.
///
/// torchvision offsets the boxes by group (for up to 1000 boxes on a CPU), which loses precision:
/// IoUs within 1e-6 of the threshold may be decided differently here.
Selection selectByNms(const NmsCandidates& candidates, double iouThreshold, std::int64_t most);

/// Kernels: a box is suppressed if its IoU is above `threshold`; slots: of an image's selection.
/// Does not synchronise.
using NmsKernel = Selection(const NmsCandidates& candidates, float threshold, std::int64_t slots);
namespace cpu {
NmsKernel selectByNms;
}
namespace cuda {
NmsKernel selectByNms;
}

}  // namespace lockstep::ops
