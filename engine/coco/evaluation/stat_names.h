#pragma once

#include <array>

namespace lockstep::coco {

/// Names of COCO's twelve metrics in pycocotools' order.
inline constexpr std::array<const char*, 12> kStatNames{
    "AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10", "AR100", "ARs", "ARm", "ARl"};

}  // namespace lockstep::coco
