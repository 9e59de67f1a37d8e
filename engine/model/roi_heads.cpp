#include "engine/model/roi_heads.h"

#include <torch/types.h>

#include <algorithm>

#include "engine/base/counter_hash.h"
#include "engine/base/error.h"
#include "engine/model/losses.h"
#include "engine/model/roi_pooler.h"
#include "engine/ops/mask_targets.h"
#include "engine/ops/matching.h"
#include "engine/ops/nms.h"
#include "engine/ops/sampling.h"

namespace lockstep::model {
namespace {

constexpr double kSmallestSidePx = 1e-2;

ops::BoxWeights fourWeights(const std::vector<double>& weights) {
  if (weights.size() != 4) {
    throw base::mendable(
        "model.box_head.regression_weights: give four numbers, for dx, dy, dw, dh");
  }
  return {weights[0], weights[1], weights[2], weights[3]};
}

ops::RoiAlignShape square(int resolution, int samplingRatio) {
  return {resolution, resolution, samplingRatio};
}

std::vector<std::int64_t> counts(const std::vector<at::Tensor>& boxes) {
  std::vector<std::int64_t> result;
  for (const at::Tensor& each : boxes) result.push_back(each.size(0));
  return result;
}

}  // namespace

RoiHeads::RoiHeads(const RoiHeadsConfig& config)
    : config_(config), regressionWeights_(fourWeights(config.box.regressionWeights)) {
  const std::int64_t side = config.box.roiResolution, fc = config.box.fcDim;
  const auto head = register_module("box_head", std::make_shared<torch::nn::Module>());
  fc6_ = head->register_module("fc6",
                               std::make_shared<Linear>(config.featureChannels * side * side, fc));
  fc7_ = head->register_module("fc7", std::make_shared<Linear>(fc, fc));
  const auto predictor = register_module("box_predictor", std::make_shared<torch::nn::Module>());
  classScore_ =
      predictor->register_module("cls_score", std::make_shared<Linear>(fc, config.classCount));
  boxDelta_ =
      predictor->register_module("bbox_pred", std::make_shared<Linear>(fc, 4 * config.classCount));
  maskHead_ =
      register_module("mask_head", std::make_shared<MaskHead>(config.mask, config.featureChannels));
  const std::int64_t maskChannels =
      config.mask.convs > 0 ? config.mask.channels : config.featureChannels;
  maskPredictor_ = register_module(
      "mask_predictor", std::make_shared<MaskPredictor>(maskChannels, config.classCount));
}

RoiHeads::BoxPrediction RoiHeads::predictBoxes(const std::vector<at::Tensor>& features,
                                               const std::vector<at::Tensor>& boxes) const {
  const at::Tensor pooled =
      poolRegions(features, boxes, square(config_.box.roiResolution, config_.box.samplingRatio));
  const at::Tensor hidden = fc7_->forward(fc6_->forward(pooled.flatten(1)).relu_()).relu_();
  return {classScore_->forward(hidden),
          boxDelta_->forward(hidden).view({-1, config_.classCount, 4})};
}

at::Tensor RoiHeads::predictMasks(const std::vector<at::Tensor>& features,
                                  const std::vector<at::Tensor>& boxes,
                                  const at::Tensor& classes) const {
  const at::Tensor pooled =
      poolRegions(features, boxes, square(config_.mask.roiResolution, config_.mask.samplingRatio));
  return maskPredictor_->forward(maskHead_->forward(pooled), classes);
}

TrainingRegions RoiHeads::sampleRegions(const at::Tensor& proposals, const ops::GtInstances& gt,
                                        std::uint64_t samplingKey) const {
  const config::BoxHeadConfig& box = config_.box;
  const at::Tensor boxes = at::cat({proposals, gt.boxesXyxy});
  const at::Tensor matches = ops::matchBoxes(gt.boxesXyxy, boxes, {box.fgIou, box.bgIou, false});
  at::Tensor classes = at::zeros_like(matches);
  if (gt.count() > 0) {
    classes = gt.classes.index_select(0, matches.clamp_min(0));
    classes.masked_fill_(matches == ops::kBelowThreshold, 0);
    classes.masked_fill_(matches == ops::kBetweenThresholds, -1);
  }
  const auto keyFor = [&](base::RandomPurpose purpose) {
    return base::counterHash({samplingKey, static_cast<std::uint64_t>(purpose)});
  };
  const ops::BalancedSample sample = ops::sampleBalanced(
      classes, {box.batchSizePerImage, box.positiveFraction},
      keyFor(base::RandomPurpose::RoiPositives), keyFor(base::RandomPurpose::RoiNegatives));
  const at::Tensor chosen =
      std::get<0>(at::cat({sample.positives.compact(), sample.negatives.compact()}).sort());
  TrainingRegions regions{boxes.index_select(0, chosen),
                          classes.index_select(0, chosen),
                          matches.index_select(0, chosen).clamp_min(0),
                          {}};
  const at::Tensor targetBoxes =
      gt.count() > 0 ? gt.boxesXyxy.index_select(0, regions.matches) : regions.boxes;
  regions.targets = ops::encodeBoxes(targetBoxes, regions.boxes, regressionWeights_);
  return regions;
}

RoiLosses RoiHeads::losses(const std::vector<at::Tensor>& features,
                           const std::vector<at::Tensor>& proposals,
                           const std::vector<ops::GtInstances>& groundTruth,
                           const std::vector<std::uint64_t>& samplingKeys) const {
  std::vector<TrainingRegions> regions;
  std::vector<at::Tensor> boxes, classes, targets;
  for (std::size_t n = 0; n < proposals.size(); ++n) {
    regions.push_back(sampleRegions(proposals[n], groundTruth[n], samplingKeys[n]));
    boxes.push_back(regions.back().boxes);
    classes.push_back(regions.back().classes);
    targets.push_back(regions.back().targets);
  }
  const BoxPrediction predicted = predictBoxes(features, boxes);
  const at::Tensor labels = at::cat(classes);
  const at::Tensor positive = (labels > 0).nonzero().squeeze(1);
  const at::Tensor deltas = predicted.deltas.index({positive, labels.index_select(0, positive)});
  return {classLoss(predicted.logits, labels),
          boxRegressionLoss(deltas, at::cat(targets).index_select(0, positive), labels.size(0)),
          maskLoss(features, regions, groundTruth)};
}

at::Tensor RoiHeads::maskLoss(const std::vector<at::Tensor>& features,
                              const std::vector<TrainingRegions>& regions,
                              const std::vector<ops::GtInstances>& groundTruth) const {
  const std::int64_t side = 2 * config_.mask.roiResolution;
  std::vector<at::Tensor> boxes, classes, targets;
  for (std::size_t n = 0; n < regions.size(); ++n) {
    const at::Tensor positive = (regions[n].classes > 0).nonzero().squeeze(1);
    boxes.push_back(regions[n].boxes.index_select(0, positive));
    classes.push_back(regions[n].classes.index_select(0, positive));
    if (positive.size(0) == 0) continue;
    targets.push_back(ops::maskTargets(groundTruth[n].masks, boxes.back(),
                                       regions[n].matches.index_select(0, positive), side));
  }
  const at::Tensor logits = predictMasks(features, boxes, at::cat(classes));
  return targets.empty() ? logits.sum() : binaryLoss(logits, at::cat(targets));
}

std::vector<ops::PredInstances> RoiHeads::detect(const std::vector<at::Tensor>& features,
                                                 const std::vector<at::Tensor>& proposals,
                                                 const std::vector<ops::ImageSize>& sizes) const {
  const BoxPrediction predicted = predictBoxes(features, proposals);
  const std::vector<std::int64_t> proposalCounts = counts(proposals);
  const auto probs = at::softmax(predicted.logits, 1).split_with_sizes(proposalCounts);
  const auto deltas = predicted.deltas.split_with_sizes(proposalCounts);
  std::vector<ops::PredInstances> detections;
  std::vector<at::Tensor> boxes, classes;
  for (std::size_t n = 0; n < proposals.size(); ++n) {
    detections.push_back(detectionsOfImage(probs[n], deltas[n], proposals[n], sizes[n]));
    boxes.push_back(detections.back().boxesXyxy);
    classes.push_back(detections.back().classes);
  }
  const at::Tensor masks = predictMasks(features, boxes, at::cat(classes)).sigmoid();
  const auto masksOfImages = masks.split_with_sizes(counts(boxes));
  for (std::size_t n = 0; n < detections.size(); ++n) detections[n].maskProbs = masksOfImages[n];
  return detections;
}

ops::PredInstances RoiHeads::detectionsOfImage(const at::Tensor& probs, const at::Tensor& deltas,
                                               const at::Tensor& proposals,
                                               const ops::ImageSize& size) const {
  const config::BoxHeadConfig& box = config_.box;
  const at::Tensor candidates = (probs.slice(1, 1) > box.scoreThreshold).nonzero();
  const at::Tensor rows = candidates.select(1, 0), classes = candidates.select(1, 1) + 1;
  const at::Tensor decoded = ops::decodeBoxes(deltas.index({rows, classes}),
                                              proposals.index_select(0, rows), regressionWeights_);
  const at::Tensor clipped = ops::clipBoxes(decoded, size);
  const at::Tensor large = ops::keepLargeBoxes(clipped, kSmallestSidePx);
  const at::Tensor boxes = clipped.index_select(0, large);
  const at::Tensor scores = probs.index({rows, classes}).index_select(0, large);
  const at::Tensor labels = classes.index_select(0, large);
  const at::Tensor kept =
      ops::batchedNms(boxes, scores, labels, box.nmsThreshold).slice(0, 0, box.detectionsPerImage);
  return {
      boxes.index_select(0, kept), scores.index_select(0, kept), labels.index_select(0, kept), {}};
}

}  // namespace lockstep::model
