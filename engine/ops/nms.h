#pragma once

#include <ATen/core/Tensor.h>

#include "engine/ops/selection.h"

namespace lockstep::ops {

/// An IoU in float32 is above `value` just when it is above this: rounding to the nearest could
/// come out above.
float largestFloatUpTo(double value);

/// Candidates [N,A] of N images, each of a group (class or pyramid level) out of G.
struct NmsCandidates {
  at::Tensor boxesXyxy;  ///< [N,A,4] px
  at::Tensor scores;     ///< [N,A]
  at::Tensor groups;     ///< [N,A] int64, 0 … G - 1
  at::Tensor valid;      ///< [N,A] bool: the others neither stay nor suppress

  std::int64_t groupCount = 1;  ///< G
  /// Valid candidates that a group of an image has at most; 0: all A. A GPU's work is laid out for
  /// so many and passes over further ones; a CPU refuses them.
  std::int64_t mostOfGroup = 0;

  /// The same, never 0 and never more than A.
  std::int64_t groupSize() const;
};

/// Greedy non-maximum suppression in each group of each image on its own, side by side: best score
/// first, equal scores in their order, a box goes when its IoU with a kept better one of its group
/// is > iouThreshold. Of what is kept at most `most` of an image, over all groups best first.
///
/// Where torchvision shifts the boxes of a group apart (up to 1000 boxes on a CPU), coordinates
/// lose bits there and not here: an IoU within 1e-6 of the threshold may fall on the other side.
Selection selectByNms(const NmsCandidates& candidates, double iouThreshold, std::int64_t most);

/// Kernels: a box goes when its IoU is above `threshold`; slots: of an image's selection. A GPU is
/// not waited for.
using NmsKernel = Selection(const NmsCandidates& candidates, float threshold, std::int64_t slots);
namespace cpu {
NmsKernel selectByNms;
}
namespace cuda {
NmsKernel selectByNms;
}

}  // namespace lockstep::ops
