#include "app/predictions/prediction_steps.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "engine/events/tags.h"

namespace lockstep::app {

PredictionSteps::PredictionSteps(const std::vector<std::int64_t>& stored,
                                 const std::vector<std::int64_t>& kept) {
  std::set_union(stored.begin(), stored.end(), kept.begin(), kept.end(),
                 std::back_inserter(steps_));
  if (steps_.empty()) return;
  const auto both = std::find_if(kept.rbegin(), kept.rend(), [&](std::int64_t step) {
    return std::binary_search(stored.begin(), stored.end(), step);
  });
  initialStep_ = both != kept.rend() ? *both : kept.empty() ? stored.back() : kept.back();
}

bool PredictionSteps::contains(qint64 step) const {
  return std::binary_search(steps_.begin(), steps_.end(), step);
}

qint64 PredictionSteps::atOrBefore(qint64 step) const {
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), step);
  return after == steps_.begin() ? steps_.front() : *std::prev(after);
}

qint64 PredictionSteps::nearestTo(qint64 step) const {
  return *std::ranges::min_element(steps_, {}, [step](qint64 one) { return std::abs(one - step); });
}

void PredictionSteps::forgetAfter(qint64 step) {
  std::erase_if(steps_, [step](qint64 known) { return known > step; });
}

std::map<qint64, double> maskOrBoxAp(const MetricStore& metrics) {
  const bool hasMasks = metrics.series(events::tags::kMaskAp) != nullptr;
  return valuesByStep(metrics, hasMasks ? events::tags::kMaskAp : events::tags::kBoxAp);
}

std::map<qint64, double> valuesByStep(const MetricStore& metrics, const char* tag) {
  const MetricSeries* series = metrics.series(tag);
  std::map<qint64, double> values;
  for (std::size_t i = 0; series && i < series->size(); ++i)
    values[series->step(i)] = series->value(i);
  return values;
}

}  // namespace lockstep::app
