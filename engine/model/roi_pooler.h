#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/model/region_rows.h"
#include "engine/ops/roi_align.h"

namespace lockstep::model {

/// As torchvision's MultiScaleRoIAlign: pools each RoI from the FPN level for its size (Lin et al.,
/// 2017, eq. 1; 224 px maps to the level of stride 16).
class RoiPooler {
 public:
  /// strides: of the levels to pool from, finest first; each is twice the one before.
  explicit RoiPooler(const std::vector<std::int64_t>& strides);

  /// The RoIs of a head.
  struct Regions {
    const RegionRows& rows;
    at::Tensor boxes;  ///< [rows,4] xyxy px
    ops::RoiAlignShape shape;
  };

  /// -> [rows,C,height,width] for each head; 0 for rows that are not valid. features: FPN levels;
  /// additional coarser ones are not used. Heads that pool in one call share the gradients of the
  /// levels.
  std::vector<at::Tensor> pool(const std::vector<at::Tensor>& features,
                               const std::vector<Regions>& heads) const;

 private:
  at::Tensor levelsOf(const at::Tensor& boxes) const;
  ops::RoiSet setOf(const Regions& head) const;

  std::vector<double> scales_;
  int finest_, coarsest_;  ///< log2 of the strides
};

}  // namespace lockstep::model
