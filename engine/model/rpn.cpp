#include "engine/model/rpn.h"

#include <torch/types.h>

#include <algorithm>

#include "engine/base/counter_hash.h"
#include "engine/ops/box_coding.h"
#include "engine/ops/linear.h"
#include "engine/ops/matching.h"
#include "engine/ops/nms.h"
#include "engine/ops/sampling.h"
#include "engine/ops/segment_best.h"

namespace lockstep::model {
namespace {

using config::Loss;

constexpr ops::BoxWeights kAnchorWeights{1, 1, 1, 1};
constexpr double kSmallestProposalSidePx = 1e-3;
constexpr double kHeadDeviation = 0.01;
constexpr std::int64_t kRowMultiple = 8;

ops::SamplingKeys anchorKeys(const std::vector<std::uint64_t>& samplingKeys) {
  const auto keyFor = [](std::uint64_t key, base::RandomPurpose purpose) {
    return base::counterHash({key, static_cast<std::uint64_t>(purpose)});
  };
  ops::SamplingKeys keys;
  for (const std::uint64_t key : samplingKeys) {
    keys.positive.push_back(keyFor(key, base::RandomPurpose::AnchorPositives));
    keys.negative.push_back(keyFor(key, base::RandomPurpose::AnchorNegatives));
  }
  return keys;
}

}  // namespace

Rpn::Rpn(const config::RpnConfig& config, const config::AnchorConfig& anchors,
         std::int64_t channels)
    : config_(config), anchors_(anchors) {
  const std::int64_t perLocation = anchors_.anchorsPerLocation();
  const auto init = Conv2dInit::normal(kHeadDeviation);
  const auto head = register_module("head", std::make_shared<torch::nn::Module>());
  const auto convs = head->register_module("conv", std::make_shared<ModuleList>());
  conv_ = convs->append(std::make_shared<ConvBlock>(Conv2dOptions{channels, channels, 3}, init));
  logits_ = head->register_module(
      "cls_logits", std::make_shared<Conv2d>(Conv2dOptions{channels, perLocation, 1}, init));
  deltas_ = head->register_module(
      "bbox_pred", std::make_shared<Conv2d>(Conv2dOptions{channels, 4 * perLocation, 1}, init));
}

at::Tensor Rpn::head(const std::vector<at::Tensor>& features) const {
  // The 1 x 1 convolutions of both outputs as one matrix product: a channels_last map is a matrix
  // of pixels x channels, and the result is in the order of the anchors.
  const auto joined = [&](const at::Tensor& logits, const at::Tensor& deltas) {
    // Rows are padded with unused outputs to multiples of 16 bytes, which is faster on a GPU.
    const std::int64_t rows = logits.size(0) + deltas.size(0);
    const std::int64_t fill =
        features[0].is_cuda() ? (kRowMultiple - rows % kRowMultiple) % kRowMultiple : 0;
    const at::Tensor both = at::cat({logits, deltas}).flatten(1);
    return fill > 0 ? at::constant_pad_nd(both, {0, 0, 0, fill}) : both;
  };
  const at::Tensor& x = features[0];
  const at::Tensor weights = joined(logits_->weightFor(x), deltas_->weightFor(x));
  const at::Tensor biases =
      joined(logits_->biasFor(x).unsqueeze(1), deltas_->biasFor(x).unsqueeze(1)).squeeze(1);
  std::vector<at::Tensor> ofLevels;
  for (const at::Tensor& level : features) {
    const at::Tensor hidden = conv_->forward(level, /*hasRelu=*/true);
    ofLevels.push_back(ops::linear(hidden.permute({0, 2, 3, 1}), weights, biases).flatten(1, 2));
    reportLevel(ofLevels.back().view({level.size(0), level.size(2), level.size(3), -1}));
  }
  return at::cat(ofLevels, 1);
}

RpnOutput Rpn::read(const at::Tensor& outputs, const std::vector<base::ImageSize>& levels,
                    const base::ImageSize& padded) const {
  const std::int64_t perLocation = anchors_.anchorsPerLocation();
  RpnOutput output;
  for (const base::ImageSize& level : levels)
    output.levelCounts.push_back(level.height * level.width * perLocation);
  output.objectness = outputs.slice(2, 0, perLocation).flatten(1);
  output.deltas = outputs.slice(2, perLocation, 5 * perLocation).reshape({outputs.size(0), -1, 4});
  output.anchors = anchors_.anchors(padded, levels, outputs.device());
  return output;
}

void Rpn::reportLevel(const at::Tensor& outputs) const {
  if (ActivationWatch::current() == nullptr) return;
  const at::Tensor maps = outputs.permute({0, 3, 1, 2});
  const std::int64_t perLocation = anchors_.anchorsPerLocation();
  logits_->report(maps.slice(1, 0, perLocation));
  deltas_->report(maps.slice(1, perLocation, 5 * perLocation));
}

Proposals Rpn::proposals(const RpnOutput& output, const at::Tensor& limits, bool forTraining,
                         at::Tensor* anchors) const {
  const at::NoGradGuard noGrad;
  const std::int64_t mostOfLevel = forTraining ? config_.preNmsTopNTrain : config_.preNmsTopNTest;
  const auto [best, levels] =
      ops::segmentedTopK(output.objectness, output.levelCounts, mostOfLevel);
  const at::Tensor scores = upcast(output.objectness.gather(1, best)).sigmoid();
  const auto [boxes, isLarge] = ops::decodeBoxes({output.deltas, output.anchors, 1, best},
                                                 kAnchorWeights, limits, kSmallestProposalSidePx);
  const ops::Selection kept = ops::selectByNms(
      {boxes, scores, levels, isLarge, static_cast<std::int64_t>(output.levelCounts.size()),
       mostOfLevel},
      config_.nmsThreshold, forTraining ? config_.postNmsTopNTrain : config_.postNmsTopNTest);
  if (anchors != nullptr) *anchors = best.gather(1, kept.indices);
  return {
      ops::gatherRows(boxes, kept.indices).masked_fill(kept.valid.logical_not().unsqueeze(2), 0),
      kept.valid};
}

at::Tensor Rpn::matches(const RpnOutput& output, const structures::GtBatch& groundTruth) const {
  return ops::matchBoxes(groundTruth, output.anchors, {config_.fgIou, config_.bgIou, true});
}

Losses Rpn::losses(const RpnOutput& output, const structures::GtBatch& groundTruth,
                   const std::vector<std::uint64_t>& samplingKeys) const {
  const at::Tensor matches = this->matches(output, groundTruth);
  static_assert(ops::kBelowThreshold == -1 && ops::kBetweenThresholds == -2);
  const at::Tensor labels = matches + 1;  // 0: background, -1: ignored
  const ops::SampleCounts counts{config_.batchSizePerImage, config_.positiveFraction};
  const ops::BalancedSelection sample =
      ops::sampleBalanced(labels, counts, anchorKeys(samplingKeys));
  const at::Tensor weights = sample.valid.flatten().to(at::kFloat);
  const at::Tensor objectness =
      ops::gatherUniqueRows(output.objectness, {sample.indices, sample.valid}).flatten();

  const std::int64_t most = std::min(counts.mostPositives(), sample.size());
  const at::Tensor positives = sample.indices.slice(1, 0, most);
  const at::Tensor isPositive = sample.isPositive.slice(1, 0, most);
  const at::Tensor targets = ops::encodeBoxes(
      {output.anchors, matches, groundTruth.boxesXyxy, positives, isPositive}, kAnchorWeights);
  Losses losses;
  losses.counts[DetectorCount::RpnPositives] = sample.isPositive.sum(at::kFloat);
  std::int64_t firstAnchor = 0;
  const at::Tensor isMatched = matches >= 0;
  for (std::size_t level = 0; level < output.levelCounts.size(); ++level) {
    const std::int64_t anchors = output.levelCounts[level];
    losses.counts.values[indexOf(DetectorCount::MatchedAnchors, level)] =
        isMatched.narrow(1, firstAnchor, anchors).sum(at::kFloat);
    firstAnchor += anchors;
  }
  losses[Loss::Objectness] = binaryLoss(objectness, sample.isPositive.flatten(), weights);
  losses[Loss::RpnBoxReg] =
      boxRegressionLoss(ops::gatherUniqueRows(output.deltas, {positives, isPositive}).flatten(0, 1),
                        targets.flatten(0, 1), isPositive.flatten().to(at::kFloat), weights.sum());
  return losses;
}

}  // namespace lockstep::model
