#pragma once

#include <vector>

#include "engine/base/image_size.h"
#include "engine/model/box_head.h"
#include "engine/model/rpn.h"
#include "engine/structures/instances.h"

/// Letters: N images, A anchors of all levels.
namespace lockstep::model {

/// How the detections of a batch came about, on its device, px of the resized images.
struct DetectionTrace {
  RpnOutput rpn{};
  std::vector<base::ImageSize> levels{};  ///< of the feature maps, finest first
  at::Tensor matches{};                   ///< [N,A] int64, see Rpn::matches()
  Proposals proposals{};
  Detections found{};                                   ///< with the proposals that they are of
  std::vector<structures::PredInstances> detections{};  ///< one per image, with masks
};

}  // namespace lockstep::model
