#include "engine/model/box_head.h"

#include <torch/types.h>

#include <vector>

#include "engine/base/error.h"
#include "engine/ops/nms.h"
#include "engine/ops/selection.h"

namespace lockstep::model {
namespace {

constexpr double kSmallestDetectionSidePx = 1e-2;

ops::BoxWeights fourWeights(const std::vector<double>& weights) {
  if (weights.size() != 4) {
    throw UserError("model.box_head.regression_weights: give four numbers, for dx, dy, dw, dh");
  }
  return {weights[0], weights[1], weights[2], weights[3]};
}

/// The deltas for each RoI's class: deltas [K,C,4], classes [K] -> [K,4].
at::Tensor ofClasses(const at::Tensor& deltas, const at::Tensor& classes) {
  const at::Tensor firsts = at::arange(deltas.size(0), classes.options()) * deltas.size(1);
  return ops::gatherUniqueRows(deltas.view({1, -1, 4}), {(firsts + classes).unsqueeze(0), {}})
      .squeeze(0);
}

}  // namespace

BoxHead::BoxHead(torch::nn::Module& parent, const config::BoxHeadConfig& config,
                 std::int64_t inChannels, std::int64_t classCount)
    : config_(config),
      classCount_(classCount),
      regressionWeights_(fourWeights(config.regressionWeights)) {
  const std::int64_t side = config.roiResolution, fc = config.fcDim;
  const auto head = parent.register_module("box_head", std::make_shared<torch::nn::Module>());
  fc6_ = head->register_module("fc6", std::make_shared<FlattenLinear>(inChannels, side, fc));
  fc7_ = head->register_module("fc7", std::make_shared<Linear>(fc, fc));
  const auto predictor =
      parent.register_module("box_predictor", std::make_shared<torch::nn::Module>());
  classScore_ = predictor->register_module("cls_score", std::make_shared<Linear>(fc, classCount));
  boxDelta_ = predictor->register_module("bbox_pred", std::make_shared<Linear>(fc, 4 * classCount));
}

ops::RoiAlignShape BoxHead::poolShape() const {
  return {config_.roiResolution, config_.roiResolution, config_.samplingRatio};
}

BoxHead::Prediction BoxHead::forward(const at::Tensor& pooled) const {
  const at::Tensor hidden = fc7_->forward(fc6_->forward(pooled).relu_()).relu_();
  return {classScore_->forward(hidden), boxDelta_->forward(hidden).view({-1, classCount_, 4})};
}

Losses BoxHead::losses(const Prediction& predicted, const at::Tensor& labels,
                       const at::Tensor& targets, const at::Tensor& weights) const {
  const at::Tensor rois = weights.sum(), isPositive = weights * (labels > 0);
  Losses losses;
  losses[config::Loss::Classifier] = classLoss(predicted.logits, labels, weights, classWeights_);
  losses[config::Loss::BoxReg] =
      boxRegressionLoss(ofClasses(predicted.deltas, labels), targets, isPositive, rois);
  losses.counts[DetectorCount::Rois] = rois;
  losses.counts[DetectorCount::RoiPositives] = isPositive.sum();
  losses.counts[DetectorCount::CorrectClasses] =
      (weights * (predicted.logits.argmax(1) == labels)).sum();
  return losses;
}

at::Tensor BoxHead::lossesPerRoi(const Prediction& predicted, const at::Tensor& labels,
                                 const at::Tensor& targets) const {
  const at::NoGradGuard noGradient;
  const at::Tensor deltas = ofClasses(predicted.deltas, labels);
  return at::stack({classLosses(predicted.logits, labels), boxRegressionLosses(deltas, targets)},
                   1);
}

Detections BoxHead::inference(const Prediction& predicted, const RegionRows& rows,
                              const Proposals& proposals, const at::Tensor& limits,
                              DetectionOrigins* origins) const {
  const at::Tensor probs = rows.scatter(at::softmax(upcast(predicted.logits), 1)),
                   deltas = rows.scatter(predicted.deltas);
  const at::Tensor isAbove =
      (probs > config_.scoreThreshold).logical_and(proposals.valid.unsqueeze(2));  // [N,P,C]
  isAbove.select(2, 0).zero_();                                                    // background
  const at::Tensor isCandidate = isAbove.flatten(1);
  // A box has at most 1 / threshold classes above the threshold; allocating that many for every box
  // would take too much memory.
  const std::int64_t most =
      isCandidate.numel() == 0 ? 0 : isCandidate.sum(1).max().item<std::int64_t>();
  const auto [scores, indices] = at::where(isCandidate, probs.flatten(1), -1.0).topk(most, 1);
  const at::Tensor label = indices.remainder(classCount_);
  const auto [boxes, isLarge] =
      ops::decodeBoxes({deltas.flatten(1, 2), proposals.boxes, classCount_, indices},
                       regressionWeights_, limits, kSmallestDetectionSidePx);
  const at::Tensor valid = isCandidate.gather(1, indices).logical_and(isLarge);
  const ops::Selection kept =
      ops::selectByNms({boxes, scores, label, valid, classCount_, proposals.valid.size(1)},
                       config_.nmsThreshold, config_.detectionsPerImage);
  if (origins != nullptr)
    *origins = {indices.gather(1, kept.indices).floor_divide(classCount_), probs};
  return {ops::gatherRows(boxes, kept.indices), scores.gather(1, kept.indices),
          label.gather(1, kept.indices), kept.valid};
}

}  // namespace lockstep::model
