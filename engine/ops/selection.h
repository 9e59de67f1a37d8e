#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

/// Padded selections, whose shapes do not depend on the content of the images, so that no GPU
/// synchronisation is needed. Letters: N images, A candidates per image, K selected.
namespace lockstep::ops {

/// Selected candidates of each image.
struct Selection {
  at::Tensor indices;  ///< [N,K] int64; any valid index for padding
  at::Tensor valid;    ///< [N,K] bool; the valid ones come first

  std::int64_t size() const { return indices.size(1); }
};

/// Gathers rows of each image: values [N,A,...], indices [N,K] -> [N,K,...].
at::Tensor gatherRows(const at::Tensor& values, const at::Tensor& indices);

/// The same for valid indices that are unique per image; differentiable and deterministic, because
/// no two gradients are added. Rows that are not valid get no gradient; without `valid` all are
/// valid.
at::Tensor gatherUniqueRows(const at::Tensor& values, const Selection& selection);

}  // namespace lockstep::ops
