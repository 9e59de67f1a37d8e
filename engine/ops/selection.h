#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

/// Tensors whose sizes do not depend on what is in the images, so that a GPU need not be asked how
/// much that is. Letters: N images, A candidates of an image, K chosen.
namespace lockstep::ops {

/// Some of the candidates of each image.
struct Selection {
  at::Tensor indices;  ///< [N,K] int64; some candidate where there is none
  at::Tensor valid;    ///< [N,K] bool; the valid ones come first

  std::int64_t size() const { return indices.size(1); }
};

/// Rows of each image: values [N,A,...], indices [N,K] -> [N,K,...].
at::Tensor pick(const at::Tensor& values, const at::Tensor& indices);

/// The same of candidates that no image has twice among those that count, differentiable: each
/// gradient has one place, so none are added up. Rows that do not count pass none on; without
/// `valid` all count.
at::Tensor pickOnce(const at::Tensor& values, const Selection& selection);

}  // namespace lockstep::ops
