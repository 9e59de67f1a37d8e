#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/model/box_head.h"
#include "engine/model/detection_trace.h"
#include "engine/model/losses.h"
#include "engine/model/mask_head.h"
#include "engine/model/region_rows.h"
#include "engine/model/roi_pooler.h"
#include "engine/model/rpn.h"
#include "engine/structures/ground_truth.h"

namespace lockstep::model {

struct RoiHeadsConfig {
  config::BoxHeadConfig box;
  std::optional<config::MaskHeadConfig> mask;  ///< none: a box detector
  std::int64_t featureChannels = 256;
  std::vector<std::int64_t> featureStrides;  ///< of the levels to pool from
  std::int64_t classCount = 0;               ///< including background
};

/// The second stage of Mask R-CNN with torchvision's semantics: samples RoIs, pools them, and runs
/// the box head and the mask head, if there is one.
class RoiHeads : public torch::nn::Module {
 public:
  explicit RoiHeads(const RoiHeadsConfig& config);

  /// loss_classifier, loss_box_reg and loss_mask, which is over the RoIs whose objects have a mask,
  /// 0 without a mask head. features: FPN levels. Ground-truth boxes are added to the proposals;
  /// RoIs are sampled by samplingKeys (one per image).
  /// perRoi: also set to the losses of each RoI.
  Losses losses(const std::vector<at::Tensor>& features, const Proposals& proposals,
                const structures::GtBatch& groundTruth,
                const std::vector<std::uint64_t>& samplingKeys, RowShapes shapes,
                RoiLosses* perRoi = nullptr) const;

  bool hasMaskHead() const { return maskHead_.has_value(); }

  /// As BoxHead has them.
  void setClassWeights(const at::Tensor& weights) { boxHead_.setClassWeights(weights); }

  /// Synchronises with the device once or twice. `tracing`: is also told their origins.
  std::vector<structures::PredInstances> detect(const std::vector<at::Tensor>& features,
                                                const Proposals& proposals,
                                                const at::Tensor& limits, RowShapes shapes,
                                                const Tracing* tracing = nullptr) const;

 private:
  config::BoxHeadConfig boxConfig_;
  RoiPooler pooler_;
  BoxHead boxHead_;
  std::optional<MaskHead> maskHead_;
};

}  // namespace lockstep::model
