#include "app/metrics/stack_series.h"

#include <algorithm>

namespace lockstep::app {

void StackSeries::update(const MetricStore& metrics) {
  series_.clear();
  for (const StackPart& part : parts_) {
    series_.push_back(metrics.series(part.tag));
    for (const std::string& tag : part.less) series_.push_back(metrics.series(tag));
  }
  if (std::ranges::find(series_, nullptr) != series_.end()) {
    store_ = {};
    return;
  }
  if (!steps_.follow(series_)) {
    store_ = {};
    // Seconds count from the first record of the run.
    store_.append(0, std::max(metrics.baseTime(), 1.0), {{"begin", 0.F}});
  }
  if (store_.smoothing() != metrics.smoothing()) store_.setSmoothing(metrics.smoothing());
  steps_.readNew([this](const std::vector<std::size_t>& indices) { append(indices); });
}

void StackSeries::append(const std::vector<std::size_t>& indices) {
  std::vector<std::pair<std::string, float>> tops;
  float top = 0;
  std::size_t at = 0;
  for (const StackPart& part : parts_) {
    float value = series_[at]->value(indices[at]);
    ++at;
    for (std::size_t i = 0; i < part.less.size(); ++i, ++at)
      value -= series_[at]->value(indices[at]);
    top += std::max(value, 0.F);
    tops.emplace_back(nameOf(tops.size()), top);
  }
  const StepAxis& axis = series_.front()->axis();
  store_.append(axis.step(indices.front()), store_.baseTime() + axis.seconds(indices.front()),
                tops);
}

}  // namespace lockstep::app
