#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/ops/roi_align.h"

namespace lockstep::model {

/// Pools the boxes of each image [R,4] xyxy px from the pyramid level that fits their size (Lin et
/// al., 2017, eq. 1; 224 px is level 1/16) -> [all boxes,C,height,width]. features: levels at 1/4,
/// 1/8, 1/16, 1/32 (more are not used).
at::Tensor poolRegions(const std::vector<at::Tensor>& features,
                       const std::vector<at::Tensor>& boxes, const ops::RoiAlignShape& shape);

}  // namespace lockstep::model
