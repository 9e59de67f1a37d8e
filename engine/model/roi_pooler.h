#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/model/region_rows.h"
#include "engine/ops/roi_align.h"

namespace lockstep::model {

/// What a head pools.
struct PoolingRows {
  const RegionRows& rows;
  at::Tensor boxes;  ///< [rows,4] xyxy px
  ops::RoiAlignShape shape;
};

/// Pools each region from the pyramid level that fits its size (Lin et al., 2017, eq. 1; 224 px is
/// level 1/16) -> [rows,C,height,width] for each head; 0 for those that are not there. features:
/// levels at 1/4, 1/8, 1/16, 1/32 (more are not used). Heads that pool in one call share the
/// gradients of the levels.
std::vector<at::Tensor> poolRegions(const std::vector<at::Tensor>& features,
                                    const std::vector<PoolingRows>& heads);

}  // namespace lockstep::model
