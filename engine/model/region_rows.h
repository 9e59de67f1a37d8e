#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lockstep::model {

/// Which RoIs go through a head when some of a batch's RoIs are padding.
enum class RowShapes {
  Compact,  ///< only valid RoIs: least work, but counting them synchronises with a GPU
  Fixed,    ///< all RoIs; results of padding are ignored
};

/// The RoIs [N,R] of a batch as rows of one list, image after image.
class RegionRows {
 public:
  /// valid [N,R] bool.
  RegionRows(const at::Tensor& valid, RowShapes shapes);

  /// values [N,R,...] -> [rows,...].
  at::Tensor gather(const at::Tensor& values) const;
  /// values [rows,...] -> [N,R,...], 0 for RoIs without a row.
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
