#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lockstep::model {

/// What goes through a head when some of the regions of a batch are valid and some are not.
enum class RowShapes {
  Compact,  ///< the valid ones alone: least work, but a GPU is waited for to count them
  Fixed,    ///< all of them; results of the others count for nothing
};

/// The regions [N,R] of a batch as rows of one list, image after image.
class RegionRows {
 public:
  /// valid [N,R] bool.
  RegionRows(const at::Tensor& valid, RowShapes shapes);

  /// values [N,R,...] -> [rows,...].
  at::Tensor gather(const at::Tensor& values) const;
  /// values [rows,...] -> [N,R,...], 0 for regions without a row.
  at::Tensor scatter(const at::Tensor& values) const;
  /// [rows] int64.
  const at::Tensor& images() const { return images_; }
  /// [rows] bool; with Compact all are.
  const at::Tensor& valid() const { return valid_; }
  /// [rows] float32: 1 where valid, else 0.
  at::Tensor weights() const;

 private:
  std::int64_t imageCount_, regionCount_;
  at::Tensor indices_;  // [rows] in the flattened list, undefined: all
  at::Tensor images_, valid_;
};

}  // namespace lockstep::model
