#pragma once

#include <ATen/core/Tensor.h>

namespace lockstep::ops {

/// Greedy non-maximum suppression. boxes [R,4] xyxy px, scores [R] -> index [K] int64 of the kept
/// boxes, best score first; equal scores keep their order. A box goes when its IoU with a kept
/// better one is > iouThreshold.
at::Tensor nms(const at::Tensor& boxesXyxy, const at::Tensor& scores, double iouThreshold);

/// The same inside each group on its own; groups [R] int64 (class or pyramid level). The result is
/// over all groups, best score first. Where torchvision shifts the boxes of a group apart (up to
/// 1000 boxes on a CPU), coordinates lose bits there and not here: an IoU within 1e-6 of the
/// threshold may fall on the other side.
at::Tensor batchedNms(const at::Tensor& boxesXyxy, const at::Tensor& scores,
                      const at::Tensor& groups, double iouThreshold);

}  // namespace lockstep::ops
