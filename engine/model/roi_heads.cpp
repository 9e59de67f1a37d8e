#include "engine/model/roi_heads.h"

#include <torch/types.h>

#include "engine/base/error.h"
#include "engine/model/losses.h"
#include "engine/ops/mask_targets.h"
#include "engine/ops/nms.h"
#include "engine/ops/selection.h"

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

/// The deltas of each region's class: deltas [R,C,4], classes [R] -> [R,4].
at::Tensor ofClasses(const at::Tensor& deltas, const at::Tensor& classes) {
  const at::Tensor firsts = at::arange(deltas.size(0), classes.options()) * deltas.size(1);
  return ops::pickOnce(deltas.view({1, -1, 4}), {(firsts + classes).unsqueeze(0), {}}).squeeze(0);
}

}  // namespace

RoiHeads::RoiHeads(const RoiHeadsConfig& config)
    : config_(config), regressionWeights_(fourWeights(config.box.regressionWeights)) {
  const std::int64_t side = config.box.roiResolution, fc = config.box.fcDim;
  const auto head = register_module("box_head", std::make_shared<torch::nn::Module>());
  fc6_ =
      head->register_module("fc6", std::make_shared<MapLinear>(config.featureChannels, side, fc));
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

PoolingRows RoiHeads::ofBoxHead(const RegionRows& rows, const at::Tensor& boxes) const {
  const int side = config_.box.roiResolution;
  return {rows, boxes, {side, side, config_.box.samplingRatio}};
}

PoolingRows RoiHeads::ofMaskHead(const RegionRows& rows, const at::Tensor& boxes) const {
  const int side = config_.mask.roiResolution;
  return {rows, boxes, {side, side, config_.mask.samplingRatio}};
}

RoiHeads::BoxPrediction RoiHeads::predictBoxes(const at::Tensor& pooled) const {
  const at::Tensor hidden = fc7_->forward(fc6_->forward(pooled).relu_()).relu_();
  return {classScore_->forward(hidden),
          boxDelta_->forward(hidden).view({-1, config_.classCount, 4})};
}

at::Tensor RoiHeads::predictMasks(const at::Tensor& pooled, const at::Tensor& classes) const {
  return maskPredictor_->forward(maskHead_->forward(pooled), classes);
}

RoiLosses RoiHeads::losses(const std::vector<at::Tensor>& features, const Proposals& proposals,
                           const structures::GtBatch& groundTruth,
                           const std::vector<std::uint64_t>& samplingKeys, RowShapes shapes) const {
  const TrainingRegions regions =
      sampleRegions(config_.box, regressionWeights_, proposals, groundTruth, samplingKeys);
  const RegionRows rows(regions.valid, shapes);
  // The regions of the mask head are those of the box head that are of objects.
  const auto mayBePositive = [&](const at::Tensor& values) {
    return values.slice(1, 0, regions.mostPositives);
  };
  const RegionRows maskRows(mayBePositive(regions.isPositive()), shapes);
  const ops::MaskRegions masks{maskRows.of(mayBePositive(regions.boxes)),
                               maskRows.images().masked_fill(maskRows.isThere().logical_not(), -1),
                               maskRows.of(mayBePositive(regions.objects))};
  const std::vector<at::Tensor> pooled = poolRegions(
      features, {ofBoxHead(rows, rows.of(regions.boxes)), ofMaskHead(maskRows, masks.boxesXyxy)});
  const BoxPrediction predicted = predictBoxes(pooled[0]);
  const at::Tensor maskLogits =
      predictMasks(pooled[1], maskRows.of(mayBePositive(regions.classes)));
  const at::Tensor labels = rows.of(regions.classes), weights = rows.weights();
  return {classLoss(predicted.logits, labels, weights),
          boxRegressionLoss(ofClasses(predicted.deltas, labels), rows.of(regions.targets),
                            weights * (labels > 0), weights.sum()),
          binaryLoss(maskLogits,
                     ops::maskTargets(groundTruth.masks, masks, 2 * config_.mask.roiResolution),
                     maskRows.weights())};
}

struct RoiHeads::Detections {
  at::Tensor boxes;    // [N,D,4]
  at::Tensor scores;   // [N,D]
  at::Tensor classes;  // [N,D]
  at::Tensor valid;    // [N,D] bool
};

RoiHeads::Detections RoiHeads::chooseDetections(const at::Tensor& probs, const at::Tensor& deltas,
                                                const Proposals& proposals,
                                                const at::Tensor& limits) const {
  const config::BoxHeadConfig& box = config_.box;
  const at::Tensor isAbove =
      (probs > box.scoreThreshold).logical_and(proposals.valid.unsqueeze(2));  // [N,P,C]
  isAbove.select(2, 0).zero_();                                                // background
  const at::Tensor isCandidate = isAbove.flatten(1);
  // A box has at most 1 / threshold classes above it; that many everywhere would be too much.
  const std::int64_t most =
      isCandidate.numel() == 0 ? 0 : isCandidate.sum(1).max().item<std::int64_t>();
  const auto [scores, places] = at::where(isCandidate, probs.flatten(1), -1.0).topk(most, 1);
  const at::Tensor label = places.remainder(config_.classCount);
  const auto [boxes, isLarge] =
      ops::decodeBoxes({deltas.flatten(1, 2), proposals.boxes, config_.classCount, places},
                       regressionWeights_, limits, kSmallestSidePx);
  const at::Tensor isThere = isCandidate.gather(1, places).logical_and(isLarge);
  const ops::Selection kept =
      ops::selectByNms({boxes, scores, label, isThere, config_.classCount, proposals.valid.size(1)},
                       box.nmsThreshold, box.detectionsPerImage);
  return {ops::pick(boxes, kept.indices), scores.gather(1, kept.indices),
          label.gather(1, kept.indices), kept.valid};
}

std::vector<structures::PredInstances> RoiHeads::detect(const std::vector<at::Tensor>& features,
                                                        const Proposals& proposals,
                                                        const at::Tensor& limits,
                                                        RowShapes shapes) const {
  const RegionRows rows(proposals.valid, shapes);
  const BoxPrediction predicted =
      predictBoxes(poolRegions(features, {ofBoxHead(rows, rows.of(proposals.boxes))})[0]);
  const Detections found = chooseDetections(rows.spread(at::softmax(widened(predicted.logits), 1)),
                                            rows.spread(predicted.deltas), proposals, limits);
  const RegionRows foundRows(found.valid, shapes);
  const at::Tensor pooled =
      poolRegions(features, {ofMaskHead(foundRows, foundRows.of(found.boxes))})[0];
  const at::Tensor masks =
      foundRows.spread(widened(predictMasks(pooled, foundRows.of(found.classes))).sigmoid());
  const at::Tensor counts = found.valid.sum(1).cpu();
  std::vector<structures::PredInstances> detections;
  for (std::int64_t n = 0; n < counts.size(0); ++n) {
    const auto first = [&](const at::Tensor& values) {
      return values[n].slice(0, 0, counts[n].item<std::int64_t>());
    };
    detections.push_back(
        {first(found.boxes), first(found.scores), first(found.classes), first(masks)});
  }
  return detections;
}

}  // namespace lockstep::model
