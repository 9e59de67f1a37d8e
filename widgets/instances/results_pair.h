#pragma once

#include <QString>
#include <stop_token>
#include <vector>

#include "engine/coco/analysis/bootstrap.h"
#include "engine/coco/evaluation/average_precision.h"
#include "widgets/instances/instance_match.h"
#include "widgets/instances/prediction_store.h"

namespace lockstep::widgets {

/// COCO's metrics of two results on the images that both have, and whether AP differs.
struct ResultsPair {
  std::size_t imageCount = 0;
  coco::AveragePrecision first, second;
  coco::ApComparison ap;  ///< of the second with the first
};

/// The figures of `coco-eval` on files of these images, to the last bit. There must be a common
/// image. On all processors; takes a second or more; throws Error for a detection that cannot be
/// matched. `stop` ends it soon, with a result that means nothing.
ResultsPair compareResults(const coco::Dataset& dataset, const PredictionStore::ByImage& first,
                           const PredictionStore::ByImage& second, const MatchRules& rules,
                           std::stop_token stop = {});

/// Why predictions on one dataset say nothing of the other; empty: both have the same images,
/// classes and objects but for their masks, in any order.
QString datasetDifference(const coco::Dataset& first, const coco::Dataset& second);

}  // namespace lockstep::widgets
