#include "engine/config/evaluation_metrics.h"

#include "engine/base/pattern.h"
#include "engine/config/losses.h"

namespace lockstep::config {

std::vector<std::string> evaluationMetrics(const EvaluationConfig& evaluation) {
  std::vector<std::string> names;
  for (const char* type : {"segm/", "bbox/"}) {
    for (const std::string& metric : coco::metricNames(apParams(evaluation)))
      names.push_back(type + metric);
  }
  names.emplace_back(kTotalLoss);
  for (const LossFacts& loss : kLosses) names.emplace_back(loss.name);
  return names;
}

bool measuresMasks(std::string_view metric) {
  return metric.starts_with("segm/") || metric == kLosses[indexOf(Loss::Mask)].name;
}

bool isEvaluationMetric(const std::string& metric) {
  const std::vector<std::string> known = evaluationMetrics({});
  return std::ranges::find(known, metric) != known.end() ||
         base::Pattern(kAnyRecall).matches(metric);
}

}  // namespace lockstep::config
