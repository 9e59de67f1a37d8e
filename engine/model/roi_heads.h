#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/model/layers.h"
#include "engine/model/mask_branch.h"
#include "engine/ops/boxes.h"
#include "engine/ops/instances.h"

/// Letters: N images, R regions of an image, C classes with background.
namespace lockstep::model {

/// Regions of one image that the losses look at.
struct TrainingRegions {
  at::Tensor boxes;    ///< [R,4] xyxy px
  at::Tensor classes;  ///< [R] int64, 0 is background
  at::Tensor
      matches;  ///< [R] int64 index of the ground truth; of background regions without meaning
  at::Tensor targets;  ///< [R,4] deltas; of background regions without meaning
};

struct RoiLosses {
  at::Tensor classifier, boxReg, mask;
};

struct RoiHeadsConfig {
  config::BoxHeadConfig box;
  config::MaskHeadConfig mask;
  std::int64_t featureChannels = 256;
  std::int64_t classCount = 0;  ///< C
};

/// Box and mask heads of Mask R-CNN, torchvision's semantics.
class RoiHeads : public torch::nn::Module {
 public:
  explicit RoiHeads(const RoiHeadsConfig& config);

  /// features: pyramid levels; proposals [P,4] of each image. Ground-truth boxes are added to the
  /// proposals, regions are sampled by samplingKeys (one per image).
  RoiLosses losses(const std::vector<at::Tensor>& features,
                   const std::vector<at::Tensor>& proposals,
                   const std::vector<ops::GtInstances>& groundTruth,
                   const std::vector<std::uint64_t>& samplingKeys) const;

  std::vector<ops::PredInstances> detect(const std::vector<at::Tensor>& features,
                                         const std::vector<at::Tensor>& proposals,
                                         const std::vector<ops::ImageSize>& sizes) const;

 private:
  struct BoxPrediction {
    at::Tensor logits;  // [regions of all images, C]
    at::Tensor deltas;  // [regions of all images, C, 4]
  };
  BoxPrediction predictBoxes(const std::vector<at::Tensor>& features,
                             const std::vector<at::Tensor>& boxes) const;
  at::Tensor predictMasks(const std::vector<at::Tensor>& features,
                          const std::vector<at::Tensor>& boxes, const at::Tensor& classes) const;
  TrainingRegions sampleRegions(const at::Tensor& proposals, const ops::GtInstances& gt,
                                std::uint64_t samplingKey) const;
  at::Tensor maskLoss(const std::vector<at::Tensor>& features,
                      const std::vector<TrainingRegions>& regions,
                      const std::vector<ops::GtInstances>& groundTruth) const;
  ops::PredInstances detectionsOfImage(const at::Tensor& probs, const at::Tensor& deltas,
                                       const at::Tensor& proposals,
                                       const ops::ImageSize& size) const;

  RoiHeadsConfig config_;
  ops::BoxWeights regressionWeights_;
  std::shared_ptr<Linear> fc6_, fc7_, classScore_, boxDelta_;
  std::shared_ptr<MaskHead> maskHead_;
  std::shared_ptr<MaskPredictor> maskPredictor_;
};

}  // namespace lockstep::model
