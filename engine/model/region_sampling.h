#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/model/rpn.h"
#include "engine/ops/box_coding.h"
#include "engine/structures/ground_truth.h"

/// Letters: N images, R regions of an image.
namespace lockstep::model {

/// Regions that the losses of the heads look at: positives, then background.
struct TrainingRegions {
  at::Tensor boxes;    ///< [N,R,4] xyxy px
  at::Tensor valid;    ///< [N,R] bool
  at::Tensor classes;  ///< [N,R] int64, 0 is background
  at::Tensor objects;  ///< [N,R] int64, index of the matched one; of background without meaning
  at::Tensor targets;  ///< [N,R,4] deltas; 0 for background
  std::int64_t mostPositives = 0;  ///< all positives are among the first so many

  /// [N,R] bool
  at::Tensor isPositive() const;
};

/// Chooses among the proposals and, as torchvision does, the ground-truth boxes themselves; which
/// ones depends on samplingKeys (one per image) alone.
TrainingRegions sampleRegions(const config::BoxHeadConfig& config,
                              const ops::BoxWeights& regressionWeights, const Proposals& proposals,
                              const structures::GtBatch& groundTruth,
                              const std::vector<std::uint64_t>& samplingKeys);

}  // namespace lockstep::model
