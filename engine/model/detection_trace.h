#pragma once

#include <functional>
#include <vector>

#include "engine/base/image_size.h"
#include "engine/model/box_head.h"
#include "engine/model/rpn.h"
#include "engine/structures/instances.h"

/// Letters: N images, A anchors of all levels, P proposals per image at most.
namespace lockstep::model {

/// How the detections of a batch came about, on its device, px of the resized images.
struct DetectionTrace {
  RpnOutput rpn{};
  std::vector<base::ImageSize> levels{};  ///< of the feature maps, finest first
  at::Tensor matches{};                   ///< [N,A] int64, see Rpn::matches()
  Proposals proposals{};
  at::Tensor anchorsOfProposals{};                      ///< [N,P] int64
  DetectionOrigins origins{};                           ///< of the detections
  std::vector<structures::PredInstances> detections{};  ///< one per image, with masks
};

/// A trace that is being made.
struct Tracing {
  DetectionTrace& trace;
  const std::function<void()>& afterStage;  ///< may throw, which ends the pass
};

}  // namespace lockstep::model
