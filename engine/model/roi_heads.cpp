#include "engine/model/roi_heads.h"

#include <torch/types.h>

#include "engine/model/region_sampling.h"

namespace lockstep::model {

RoiHeads::RoiHeads(const RoiHeadsConfig& config)
    : boxConfig_(config.box),
      pooler_(config.featureStrides),
      boxHead_(*this, config.box, config.featureChannels, config.classCount) {
  if (config.mask)
    maskHead_.emplace(*this, *config.mask, config.featureChannels, config.classCount);
}

namespace {

/// RoIs of the mask head: the positive RoIs of the box head whose objects have masks.
struct MaskRois {
  MaskRois(const TrainingRegions& sampled, const structures::GtBatch& groundTruth, RowShapes shapes)
      : mostPositives(sampled.mostPositives),
        rows(first(sampled.isPositive())
                 .logical_and(groundTruth.masks.hasMask().gather(1, first(sampled.objects))),
             shapes),
        regions{rows.gather(first(sampled.boxes)),
                rows.images().masked_fill(rows.valid().logical_not(), -1),
                rows.gather(first(sampled.objects))},
        classes(rows.gather(first(sampled.classes)) * rows.valid()) {}

  /// Of each image, those that may be positive.
  at::Tensor first(const at::Tensor& values) const { return values.slice(1, 0, mostPositives); }

  std::int64_t mostPositives;
  RegionRows rows;
  ops::MaskRegions regions;
  at::Tensor classes;  ///< [K] int64, 0 for padding
};

/// A table of RoiLosses.
at::Tensor withFacts(const RegionRows& rows, const at::Tensor& classes, const at::Tensor& areas,
                     const at::Tensor& losses) {
  const at::Tensor facts =
      at::stack({classes.to(at::kFloat), rows.gather(areas), rows.images().to(at::kFloat)}, 1);
  return at::cat({facts, losses.to(at::kFloat)}, 1);
}

Losses noMaskLoss(const at::Tensor& like) {
  Losses losses;
  losses[config::Loss::Mask] = at::zeros({}, like.options().dtype(at::kFloat));
  for (const DetectorCount count : {DetectorCount::CorrectMaskPixels, DetectorCount::MaskPixels})
    losses.counts[count] = losses[config::Loss::Mask];
  return losses;
}

}  // namespace

Losses RoiHeads::losses(const std::vector<at::Tensor>& features, const Proposals& proposals,
                        const structures::GtBatch& groundTruth,
                        const std::vector<std::uint64_t>& samplingKeys, RowShapes shapes,
                        RoiLosses* perRoi) const {
  const TrainingRegions regions =
      sampleRegions(boxConfig_, boxHead_.regressionWeights(), proposals, groundTruth, samplingKeys);
  const RegionRows rows(regions.valid, shapes);
  std::vector<RoiPooler::Regions> heads{{rows, rows.gather(regions.boxes), boxHead_.poolShape()}};
  std::optional<MaskRois> masks;
  if (maskHead_) {
    masks.emplace(regions, groundTruth, shapes);
    heads.push_back({masks->rows, masks->regions.boxesXyxy, maskHead_->poolShape()});
  }
  const std::vector<at::Tensor> pooled = pooler_.pool(features, heads);
  const BoxHead::Prediction predicted = boxHead_.forward(pooled[0]);
  const at::Tensor classes = rows.gather(regions.classes), targets = rows.gather(regions.targets);
  Losses losses = boxHead_.losses(predicted, classes, targets, rows.weights());
  at::Tensor areas;
  if (perRoi != nullptr) {
    areas = groundTruth.areas.gather(1, regions.objects);
    perRoi->box =
        withFacts(rows, classes, areas, boxHead_.lossesPerRoi(predicted, classes, targets));
  }
  if (!masks) {
    losses.take(noMaskLoss(features[0]));
    return losses;
  }
  const at::Tensor logits = maskHead_->forward(pooled[1], masks->classes);
  losses.take(maskHead_->losses(logits, groundTruth.masks, masks->regions, masks->rows.weights()));
  if (perRoi != nullptr) {
    const at::Tensor ofRois =
        maskHead_->lossesPerRoi(logits, groundTruth.masks, masks->regions).unsqueeze(1);
    perRoi->mask = withFacts(masks->rows, masks->classes, masks->first(areas), ofRois);
  }
  return losses;
}

std::vector<structures::PredInstances> RoiHeads::detect(const std::vector<at::Tensor>& features,
                                                        const Proposals& proposals,
                                                        const at::Tensor& limits, RowShapes shapes,
                                                        const Tracing* tracing) const {
  const RegionRows rows(proposals.valid, shapes);
  const at::Tensor pooledBoxes =
      pooler_.pool(features, {{rows, rows.gather(proposals.boxes), boxHead_.poolShape()}})[0];
  const Detections found =
      boxHead_.inference(boxHead_.forward(pooledBoxes), rows, proposals, limits,
                         tracing != nullptr ? &tracing->trace.origins : nullptr);
  if (tracing != nullptr) tracing->afterStage();
  at::Tensor masks;
  if (maskHead_) {
    const RegionRows foundRows(found.valid, shapes);
    const at::Tensor pooledMasks = pooler_.pool(
        features, {{foundRows, foundRows.gather(found.boxes), maskHead_->poolShape()}})[0];
    masks = foundRows.scatter(maskHead_->inference(pooledMasks, foundRows.gather(found.classes)));
  }
  const at::Tensor counts = found.valid.sum(1).cpu();
  std::vector<structures::PredInstances> detections;
  for (std::int64_t n = 0; n < counts.size(0); ++n) {
    const auto first = [&](const at::Tensor& values) {
      return values.defined() ? values[n].slice(0, 0, counts[n].item<std::int64_t>()) : values;
    };
    detections.push_back(
        {first(found.boxes), first(found.scores), first(found.classes), first(masks)});
  }
  return detections;
}

}  // namespace lockstep::model
