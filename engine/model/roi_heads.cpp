#include "engine/model/roi_heads.h"

#include <torch/types.h>

#include "engine/model/region_sampling.h"

namespace lockstep::model {

RoiHeads::RoiHeads(const RoiHeadsConfig& config)
    : boxConfig_(config.box),
      pooler_(config.featureStrides),
      boxHead_(*this, config.box, config.featureChannels, config.classCount),
      maskHead_(*this, config.mask, config.featureChannels, config.classCount) {}

Losses RoiHeads::losses(const std::vector<at::Tensor>& features, const Proposals& proposals,
                        const structures::GtBatch& groundTruth,
                        const std::vector<std::uint64_t>& samplingKeys, RowShapes shapes,
                        RoiLosses* perRoi) const {
  const TrainingRegions regions =
      sampleRegions(boxConfig_, boxHead_.regressionWeights(), proposals, groundTruth, samplingKeys);
  const RegionRows rows(regions.valid, shapes);
  // The RoIs of the mask head are the positive RoIs of the box head.
  const auto mayBePositive = [&](const at::Tensor& values) {
    return values.slice(1, 0, regions.mostPositives);
  };
  const RegionRows maskRows(mayBePositive(regions.isPositive()), shapes);
  const ops::MaskRegions masks{maskRows.gather(mayBePositive(regions.boxes)),
                               maskRows.images().masked_fill(maskRows.valid().logical_not(), -1),
                               maskRows.gather(mayBePositive(regions.objects))};
  const std::vector<at::Tensor> pooled =
      pooler_.pool(features, {{rows, rows.gather(regions.boxes), boxHead_.poolShape()},
                              {maskRows, masks.boxesXyxy, maskHead_.poolShape()}});
  const BoxHead::Prediction predicted = boxHead_.forward(pooled[0]);
  const at::Tensor maskLogits =
      maskHead_.forward(pooled[1], maskRows.gather(mayBePositive(regions.classes)));
  Losses losses = boxHead_.losses(predicted, rows.gather(regions.classes),
                                  rows.gather(regions.targets), rows.weights());
  losses.take(maskHead_.losses(maskLogits, groundTruth.masks, masks, maskRows.weights()));
  if (perRoi == nullptr) return losses;
  const at::Tensor areas = groundTruth.areas.gather(1, regions.objects);
  const auto withFacts = [](const RegionRows& of, const at::Tensor& rowClasses,
                            const at::Tensor& rowAreas, const at::Tensor& values) {
    return at::cat({at::stack({of.gather(rowClasses).to(at::kFloat), of.gather(rowAreas),
                               of.images().to(at::kFloat)},
                              1),
                    values.to(at::kFloat)},
                   1);
  };
  perRoi->box = withFacts(
      rows, regions.classes, areas,
      boxHead_.lossesPerRoi(predicted, rows.gather(regions.classes), rows.gather(regions.targets)));
  perRoi->mask =
      withFacts(maskRows, mayBePositive(regions.classes), mayBePositive(areas),
                maskHead_.lossesPerRoi(maskLogits, groundTruth.masks, masks).unsqueeze(1));
  return losses;
}

std::vector<structures::PredInstances> RoiHeads::detect(const std::vector<at::Tensor>& features,
                                                        const Proposals& proposals,
                                                        const at::Tensor& limits,
                                                        RowShapes shapes) const {
  const RegionRows rows(proposals.valid, shapes);
  const at::Tensor pooledBoxes =
      pooler_.pool(features, {{rows, rows.gather(proposals.boxes), boxHead_.poolShape()}})[0];
  const Detections found =
      boxHead_.inference(boxHead_.forward(pooledBoxes), rows, proposals, limits);
  const RegionRows foundRows(found.valid, shapes);
  const at::Tensor pooledMasks = pooler_.pool(
      features, {{foundRows, foundRows.gather(found.boxes), maskHead_.poolShape()}})[0];
  const at::Tensor masks =
      foundRows.scatter(maskHead_.inference(pooledMasks, foundRows.gather(found.classes)));
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
