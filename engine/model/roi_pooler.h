#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/model/region_rows.h"
#include "engine/ops/roi_align.h"

namespace lockstep::model {

/// Pools each region from the pyramid level that fits its size (Lin et al., 2017, eq. 1; 224 px is
/// level 1/16) -> [rows,C,height,width]; 0 for those that are not there. features: levels at 1/4,
/// 1/8, 1/16, 1/32 (more are not used). boxes [rows,4] xyxy px.
at::Tensor poolRegions(const std::vector<at::Tensor>& features, const RegionRows& rows,
                       const at::Tensor& boxes, const ops::RoiAlignShape& shape);

}  // namespace lockstep::model
