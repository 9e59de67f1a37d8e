#include "app/metrics/range_test_result.h"

#include <algorithm>

#include "engine/events/tags.h"

namespace lockstep::app {

std::vector<config::RangeTestStep> rangeTestSteps(const MetricStore& metrics) {
  const MetricSeries* smoothed = metrics.series(events::tags::kFindLrLoss);
  const MetricSeries* loss = metrics.series(events::tags::kTrainTotalLoss);
  const MetricSeries* rate = metrics.series(events::tags::kLearningRate);
  if (!smoothed || !loss || !rate) return {};
  std::vector<config::RangeTestStep> steps;
  std::size_t inLoss = 0, inRate = 0;
  const auto advance = [](const MetricSeries& series, std::size_t& at, std::int64_t step) {
    while (at < series.size() && series.step(at) < step) ++at;
    return at < series.size() && series.step(at) == step;
  };
  for (std::size_t i = 0; i < smoothed->size(); ++i) {
    const std::int64_t step = smoothed->step(i);
    if (advance(*loss, inLoss, step) && advance(*rate, inRate, step))
      steps.push_back({rate->value(inRate), loss->value(inLoss), smoothed->value(i)});
  }
  return steps;
}

}  // namespace lockstep::app
