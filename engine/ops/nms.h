#pragma once

#include <ATen/core/Tensor.h>

#include "engine/ops/selection.h"

namespace lockstep::ops {

/// An IoU in float32 is above `value` just when it is above this: rounding to the nearest could
/// come out above.
float largestFloatUpTo(double value);

/// Greedy non-maximum suppression, on the CPU. boxes [R,4] xyxy px, scores [R] -> index [K] int64
/// of the kept boxes, best score first; equal scores keep their order. A box goes when its IoU with
/// a kept better one is > iouThreshold.
at::Tensor nms(const at::Tensor& boxesXyxy, const at::Tensor& scores, double iouThreshold);

/// The same inside each group on its own, on the CPU; groups [R] int64 (class or pyramid level).
/// The result is over all groups, best score first. Where torchvision shifts the boxes of a group
/// apart (up to 1000 boxes on a CPU), coordinates lose bits there and not here: an IoU within 1e-6
/// of the threshold may fall on the other side.
at::Tensor batchedNms(const at::Tensor& boxesXyxy, const at::Tensor& scores,
                      const at::Tensor& groups, double iouThreshold);

/// Candidates [N,A] of N images for selectByNms.
struct NmsCandidates {
  at::Tensor boxesXyxy;  ///< [N,A,4]
  at::Tensor scores;     ///< [N,A]
  at::Tensor groups;     ///< [N,A] int64
  at::Tensor valid;      ///< [N,A] bool: the others neither stay nor suppress
};

/// batchedNms of each image, at most `most` of its boxes, best first.
Selection selectByNms(const NmsCandidates& candidates, double iouThreshold, std::int64_t most);

}  // namespace lockstep::ops
