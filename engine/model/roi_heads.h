#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/model/layers.h"
#include "engine/model/mask_branch.h"
#include "engine/model/region_rows.h"
#include "engine/model/region_sampling.h"
#include "engine/model/roi_pooler.h"
#include "engine/model/rpn.h"
#include "engine/ops/box_coding.h"
#include "engine/structures/ground_truth.h"

/// Letters: N images, C classes with background, D most detections of an image.
namespace lockstep::model {

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

  /// features: pyramid levels. Ground-truth boxes are added to the proposals, regions are sampled
  /// by samplingKeys (one per image).
  RoiLosses losses(const std::vector<at::Tensor>& features, const Proposals& proposals,
                   const structures::GtBatch& groundTruth,
                   const std::vector<std::uint64_t>& samplingKeys, RowShapes shapes) const;

  /// Waits for the device once or twice.
  std::vector<structures::PredInstances> detect(const std::vector<at::Tensor>& features,
                                                const Proposals& proposals,
                                                const at::Tensor& limits, RowShapes shapes) const;

 private:
  struct BoxPrediction {
    at::Tensor logits;  // [rows,C]
    at::Tensor deltas;  // [rows,C,4]
  };
  PoolingRows ofBoxHead(const RegionRows& rows, const at::Tensor& boxes) const;
  PoolingRows ofMaskHead(const RegionRows& rows, const at::Tensor& boxes) const;
  BoxPrediction predictBoxes(const at::Tensor& pooled) const;
  at::Tensor predictMasks(const at::Tensor& pooled, const at::Tensor& classes) const;
  /// What is found in all images, in tensors of fixed size: [N,D,...].
  struct Detections;
  Detections chooseDetections(const at::Tensor& probs, const at::Tensor& deltas,
                              const Proposals& proposals, const at::Tensor& limits) const;

  RoiHeadsConfig config_;
  ops::BoxWeights regressionWeights_;
  std::shared_ptr<MapLinear> fc6_;
  std::shared_ptr<Linear> fc7_, classScore_, boxDelta_;
  std::shared_ptr<MaskHead> maskHead_;
  std::shared_ptr<MaskPredictor> maskPredictor_;
};

}  // namespace lockstep::model
