#include "engine/model/region_sampling.h"

#include <torch/types.h>

#include <algorithm>

#include "engine/base/counter_hash.h"
#include "engine/ops/matching.h"
#include "engine/ops/sampling.h"

namespace lockstep::model {
namespace {

constexpr std::int64_t kLeftOut = -1;  // label of padding: neither object nor background

ops::SamplingKeys regionKeys(const std::vector<std::uint64_t>& samplingKeys) {
  const auto keyFor = [](std::uint64_t key, base::RandomPurpose purpose) {
    return base::counterHash({key, static_cast<std::uint64_t>(purpose)});
  };
  ops::SamplingKeys keys;
  for (const std::uint64_t key : samplingKeys) {
    keys.positive.push_back(keyFor(key, base::RandomPurpose::RoiPositives));
    keys.negative.push_back(keyFor(key, base::RandomPurpose::RoiNegatives));
  }
  return keys;
}

/// Candidates are numbered without the padding between the proposals and the objects after them, so
/// that the choice does not depend on the maximum number of proposals.
at::Tensor candidateNumbers(const Proposals& proposals, std::int64_t objects) {
  const at::Tensor count = proposals.valid.sum(1, /*keepdim=*/true);
  const at::Tensor first = at::arange(proposals.valid.size(1), count.options());
  return at::cat({first.unsqueeze(0).expand_as(proposals.valid),
                  count + at::arange(objects, count.options()).unsqueeze(0)},
                 1);
}

}  // namespace

at::Tensor TrainingRegions::isPositive() const { return valid.logical_and(classes > 0); }

TrainingRegions sampleRegions(const config::BoxHeadConfig& config,
                              const ops::BoxWeights& regressionWeights, const Proposals& proposals,
                              const structures::GtBatch& groundTruth,
                              const std::vector<std::uint64_t>& samplingKeys) {
  const at::Tensor boxes = at::cat({proposals.boxes, groundTruth.boxesXyxy}, 1);
  const at::Tensor valid = at::cat({proposals.valid, groundTruth.isObject()}, 1);
  const at::Tensor matches =
      ops::matchBoxes(groundTruth, boxes, {config.fgIou, config.bgIou, false});
  const at::Tensor objects = matches.clamp_min(0);
  const at::Tensor labels =
      groundTruth.classes.gather(1, objects)
          .masked_fill(matches == ops::kBelowThreshold, 0)
          .masked_fill((matches == ops::kBetweenThresholds).logical_or(valid.logical_not()),
                       kLeftOut);
  const ops::SampleCounts counts{config.batchSizePerImage, config.positiveFraction};
  const ops::BalancedSelection chosen =
      ops::sampleBalanced(labels, counts, regionKeys(samplingKeys),
                          candidateNumbers(proposals, groundTruth.classes.size(1)));
  TrainingRegions regions{
      ops::gatherRows(boxes, chosen.indices),
      chosen.valid,
      labels.gather(1, chosen.indices).masked_fill(chosen.valid.logical_not(), 0),
      objects.gather(1, chosen.indices),
      {},
      std::min(counts.mostPositives(), chosen.size())};
  regions.targets = ops::encodeBoxes(
      {boxes, matches, groundTruth.boxesXyxy, chosen.indices, regions.isPositive()},
      regressionWeights);
  return regions;
}

}  // namespace lockstep::model
