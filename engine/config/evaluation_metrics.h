#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "engine/coco/evaluation/params.h"
#include "engine/config/experiment.h"

namespace lockstep::config {

/// How AP is computed.
inline coco::Params apParams(const EvaluationConfig& evaluation) {
  coco::Params params;
  // Another number of limits is an error of the experiment file.
  if (evaluation.maxDets.size() == params.maxDetections.size())
    std::ranges::copy(evaluation.maxDets, params.maxDetections.begin());
  return params;
}

/// What best_metric and early_stop.metric can be: `segm/AP` …, `loss_total`, `loss_mask` ….
std::vector<std::string> evaluationMetrics(const EvaluationConfig& evaluation);

/// The default of best_metric for a model without a mask head.
inline constexpr const char* kBestBoxMetric = "bbox/AP";

/// `segm/AP` …, `loss_mask`: those that a model without a mask head does not have.
bool measuresMasks(std::string_view metric);

/// Recalls of any max_dets, AR600: a regular expression.
inline constexpr const char* kAnyRecall = "(segm|bbox)/AR[1-9][0-9]*";

/// Whether a metric can be one of some max_dets.
bool isEvaluationMetric(const std::string& metric);

}  // namespace lockstep::config
