#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/model/rpn.h"
#include "engine/ops/box_coding.h"
#include "engine/structures/ground_truth.h"

/// Letters: N images, R RoIs per image.
namespace lockstep::model {

/// The RoIs that are sampled for the losses of the heads: positives, then background.
struct TrainingRegions {
  at::Tensor boxes;    ///< [N,R,4] xyxy px
  at::Tensor valid;    ///< [N,R] bool
  at::Tensor classes;  ///< [N,R] int64, 0 is background
  at::Tensor objects;  ///< [N,R] int64, index of the matched object; undefined for background
  at::Tensor targets;  ///< [N,R,4] deltas; 0 for background
  std::int64_t mostPositives = 0;  ///< maximum number of positives, which come first

  /// [N,R] bool
  at::Tensor isPositive() const;
};

/// Samples RoIs from the proposals and, as in torchvision, the ground-truth boxes; the choice
/// depends only on samplingKeys (one per image).
TrainingRegions sampleRegions(const config::BoxHeadConfig& config,
                              const ops::BoxWeights& regressionWeights, const Proposals& proposals,
                              const structures::GtBatch& groundTruth,
                              const std::vector<std::uint64_t>& samplingKeys);

}  // namespace lockstep::model
