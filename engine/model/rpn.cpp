#include "engine/model/rpn.h"

#include <torch/types.h>

#include "engine/base/counter_hash.h"
#include "engine/model/losses.h"
#include "engine/ops/boxes.h"
#include "engine/ops/matching.h"
#include "engine/ops/nms.h"
#include "engine/ops/sampling.h"

namespace lockstep::model {
namespace {

constexpr ops::BoxWeights kAnchorWeights{1, 1, 1, 1};
constexpr double kSmallestSidePx = 1e-3;
constexpr double kHeadDeviation = 0.01;

/// Indices of the best `most` anchors of each level, by logit; [N, sum over levels].
at::Tensor bestOfEachLevel(const RpnOutput& output, std::int64_t most) {
  std::vector<at::Tensor> best;
  std::int64_t offset = 0;
  for (const std::int64_t count : output.levelCounts) {
    const at::Tensor logits = output.objectness.slice(1, offset, offset + count);
    best.push_back(std::get<1>(logits.topk(std::min(most, count), 1)) + offset);
    offset += count;
  }
  return at::cat(best, 1);
}

/// Level of every anchor, [A] int64.
at::Tensor levelsOfAnchors(const RpnOutput& output) {
  std::vector<at::Tensor> levels;
  for (std::size_t i = 0; i < output.levelCounts.size(); ++i) {
    levels.push_back(at::full({output.levelCounts[i]}, static_cast<std::int64_t>(i),
                              output.anchors.options().dtype(at::kLong)));
  }
  return at::cat(levels);
}

/// The anchors of one image a loss looks at.
struct SampledAnchors {
  at::Tensor positives, negatives;  // index into the image's anchors
  at::Tensor targets;               // [positives,4] deltas
};

SampledAnchors sampleAnchors(const at::Tensor& anchors, const at::Tensor& gtBoxes,
                             const config::RpnConfig& config, std::uint64_t samplingKey) {
  const at::Tensor matches = ops::matchBoxes(gtBoxes, anchors, {config.fgIou, config.bgIou, true});
  const at::Tensor labels =
      (matches >= 0).to(at::kLong) - (matches == ops::kBetweenThresholds).to(at::kLong);
  const auto keyFor = [&](base::RandomPurpose purpose) {
    return base::counterHash({samplingKey, static_cast<std::uint64_t>(purpose)});
  };
  const ops::BalancedSample sample = ops::sampleBalanced(
      labels, {config.batchSizePerImage, config.positiveFraction},
      keyFor(base::RandomPurpose::AnchorPositives), keyFor(base::RandomPurpose::AnchorNegatives));
  const at::Tensor positives = sample.positives.compact();
  const at::Tensor targetBoxes = gtBoxes.index_select(0, matches.index_select(0, positives));
  return {positives, sample.negatives.compact(),
          ops::encodeBoxes(targetBoxes, anchors.index_select(0, positives), kAnchorWeights)};
}

}  // namespace

Rpn::Rpn(const config::RpnConfig& config, const config::AnchorConfig& anchors,
         std::int64_t channels)
    : config_(config), anchors_(anchors) {
  const std::int64_t perPlace = anchors_.countPerPlace();
  const auto start = Conv2dStart::normal(kHeadDeviation);
  const auto head = register_module("head", std::make_shared<torch::nn::Module>());
  const auto convs = head->register_module("conv", std::make_shared<Numbered>());
  conv_ = convs->add(std::make_shared<ConvBlock>(Conv2dShape{channels, channels, 3}, start));
  logits_ = head->register_module(
      "cls_logits", std::make_shared<Conv2d>(Conv2dShape{channels, perPlace, 1}, start));
  deltas_ = head->register_module(
      "bbox_pred", std::make_shared<Conv2d>(Conv2dShape{channels, 4 * perPlace, 1}, start));
}

RpnOutput Rpn::forward(const std::vector<at::Tensor>& features,
                       const ops::ImageSize& padded) const {
  const std::int64_t perPlace = anchors_.countPerPlace();
  // The 1 x 1 convolutions of both outputs as one product of matrices: a channels_last map is a
  // matrix of pixels and channels, and what comes out is in the order of the anchors.
  const at::Tensor weights = at::cat({logits_->weight(), deltas_->weight()}).flatten(1);
  const at::Tensor biases = at::cat({logits_->bias(), deltas_->bias()});
  RpnOutput output;
  std::vector<at::Tensor> ofLevels;
  std::vector<ops::ImageSize> levels;
  for (const at::Tensor& level : features) {
    const at::Tensor hidden = conv_->forward(level).relu_();
    ofLevels.push_back(at::linear(hidden.permute({0, 2, 3, 1}), weights, biases).flatten(1, 2));
    reportLevel(ofLevels.back().view({level.size(0), level.size(2), level.size(3), -1}));
    levels.push_back({level.size(2), level.size(3)});
    output.levelCounts.push_back(level.size(2) * level.size(3) * perPlace);
  }
  const at::Tensor all = at::cat(ofLevels, 1);  // [N, places of all levels, 5 * perPlace]
  output.objectness = all.slice(2, 0, perPlace).flatten(1);
  output.deltas = all.slice(2, perPlace).reshape({all.size(0), -1, 4});
  output.anchors = anchors_.generate(padded, levels).to(all.device());
  return output;
}

void Rpn::reportLevel(const at::Tensor& outputs) const {
  if (ActivationWatch::current() == nullptr) return;
  const at::Tensor maps = outputs.permute({0, 3, 1, 2});
  const std::int64_t perPlace = anchors_.countPerPlace();
  logits_->report(maps.slice(1, 0, perPlace));
  deltas_->report(maps.slice(1, perPlace));
}

std::vector<at::Tensor> Rpn::proposals(const RpnOutput& output,
                                       const std::vector<ops::ImageSize>& sizes,
                                       bool forTraining) const {
  const at::NoGradGuard noGrad;
  const at::Tensor best =
      bestOfEachLevel(output, forTraining ? config_.preNmsTopNTrain : config_.preNmsTopNTest);
  const at::Tensor scores = output.objectness.gather(1, best).sigmoid();
  const at::Tensor levels = levelsOfAnchors(output);
  std::vector<at::Tensor> result;
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    const auto image = static_cast<std::int64_t>(n);
    const at::Tensor chosen = best[image];
    const at::Tensor boxes =
        ops::decodeBoxes(output.deltas[image].index_select(0, chosen),
                         output.anchors.index_select(0, chosen), kAnchorWeights);
    result.push_back(
        proposalsOfImage(boxes, scores[image], levels.index_select(0, chosen), sizes[n],
                         forTraining ? config_.postNmsTopNTrain : config_.postNmsTopNTest));
  }
  return result;
}

at::Tensor Rpn::proposalsOfImage(const at::Tensor& boxes, const at::Tensor& scores,
                                 const at::Tensor& levels, const ops::ImageSize& size,
                                 std::int64_t most) const {
  const at::Tensor clipped = ops::clipBoxes(boxes, size);
  const at::Tensor large = ops::keepLargeBoxes(clipped, kSmallestSidePx);
  const at::Tensor candidates = clipped.index_select(0, large);
  const at::Tensor kept = ops::batchedNms(candidates, scores.index_select(0, large),
                                          levels.index_select(0, large), config_.nmsThreshold);
  return candidates.index_select(0, kept.slice(0, 0, most));
}

RpnLosses Rpn::losses(const RpnOutput& output, const std::vector<ops::GtInstances>& groundTruth,
                      const std::vector<std::uint64_t>& samplingKeys) const {
  const std::int64_t perImage = output.anchors.size(0);
  std::vector<at::Tensor> positives, negatives, targets;
  for (std::size_t n = 0; n < groundTruth.size(); ++n) {
    const SampledAnchors sampled =
        sampleAnchors(output.anchors, groundTruth[n].boxesXyxy, config_, samplingKeys[n]);
    const auto offset = static_cast<std::int64_t>(n) * perImage;
    positives.push_back(sampled.positives + offset);
    negatives.push_back(sampled.negatives + offset);
    targets.push_back(sampled.targets);
  }
  const at::Tensor positive = at::cat(positives), negative = at::cat(negatives);
  const at::Tensor logits =
      output.objectness.reshape({-1}).index_select(0, at::cat({positive, negative}));
  const at::Tensor labels =
      at::cat({at::ones_like(positive), at::zeros_like(negative)}).to(logits.scalar_type());
  const at::Tensor deltas = output.deltas.reshape({-1, 4}).index_select(0, positive);
  return {binaryLoss(logits, labels), boxRegressionLoss(deltas, at::cat(targets), logits.size(0))};
}

}  // namespace lockstep::model
