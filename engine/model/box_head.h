#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>

#include "engine/config/experiment.h"
#include "engine/model/layers.h"
#include "engine/model/losses.h"
#include "engine/model/region_rows.h"
#include "engine/model/rpn.h"
#include "engine/ops/box_coding.h"
#include "engine/ops/roi_align.h"

/// Letters: N images, K RoIs, P proposals and D detections per image at most, C classes including
/// background.
namespace lockstep::model {

/// Detections of all images by falling score, padded to a fixed number.
struct Detections {
  at::Tensor boxes;    ///< [N,D,4] xyxy px
  at::Tensor scores;   ///< [N,D] probabilities
  at::Tensor classes;  ///< [N,D] int64, 1 … C - 1
  at::Tensor valid;    ///< [N,D] bool, false for padding
};

/// What Detections are of, for an explanation.
struct DetectionOrigins {
  at::Tensor proposals;   ///< [N,D] int64: the proposal that each is of
  at::Tensor classProbs;  ///< [N,P,C]: of all proposals
};

/// Classes and boxes of pooled RoIs: torchvision's TwoMLPHead and FastRCNNPredictor.
class BoxHead {
 public:
  /// Registers its layers under `parent`: box_head.fc6, box_head.fc7, box_predictor.cls_score,
  /// box_predictor.bbox_pred.
  BoxHead(torch::nn::Module& parent, const config::BoxHeadConfig& config, std::int64_t inChannels,
          std::int64_t classCount);

  ops::RoiAlignShape poolShape() const;
  const ops::BoxWeights& regressionWeights() const { return regressionWeights_; }

  /// Of the class loss: [C] float32 on the model's device; undefined: none.
  void setClassWeights(const at::Tensor& weights) { classWeights_ = weights; }

  struct Prediction {
    at::Tensor logits;  ///< [K,C]
    at::Tensor deltas;  ///< [K,C,4]
  };
  /// pooled [K,channels,height,width], with the size poolShape().
  Prediction forward(const at::Tensor& pooled) const;

  /// loss_classifier and loss_box_reg. labels [K] int64, 0 is background; targets [K,4] deltas;
  /// weights [K] float32, 1 for valid RoIs, 0 for padding.
  Losses losses(const Prediction& predicted, const at::Tensor& labels, const at::Tensor& targets,
                const at::Tensor& weights) const;

  /// The two losses of each RoI, unweighted: [K,2] float32.
  at::Tensor lossesPerRoi(const Prediction& predicted, const at::Tensor& labels,
                          const at::Tensor& targets) const;

  /// rows: the proposals that were predicted. Synchronises with the device. limits as for
  /// ops::decodeBoxes. origins: also set.
  Detections inference(const Prediction& predicted, const RegionRows& rows,
                       const Proposals& proposals, const at::Tensor& limits,
                       DetectionOrigins* origins = nullptr) const;

 private:
  config::BoxHeadConfig config_;
  std::int64_t classCount_;
  ops::BoxWeights regressionWeights_;
  at::Tensor classWeights_;
  std::shared_ptr<FlattenLinear> fc6_;
  std::shared_ptr<Linear> fc7_, classScore_, boxDelta_;
};

}  // namespace lockstep::model
