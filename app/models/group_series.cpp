#include "app/models/group_series.h"

#include <algorithm>
#include <cmath>

namespace lockstep::app {

void GroupSeries::update(const std::vector<const MetricStore*>& runs, const std::string& tag) {
  series_.clear();
  // One that has no value yet would leave the others without a mean.
  for (const MetricStore* run : runs)
    if (const MetricSeries* own = run->series(tag); own && own->size() > 0) series_.push_back(own);
  if (series_.empty()) {
    store_ = {};
    return;
  }
  if (!steps_.follow(series_)) {
    store_ = {};
    // Seconds count from the first record, which need not have the tag.
    store_.append(0, std::max(runs.front()->baseTime(), 1.0), {{"begin", 0.F}});
  }
  if (store_.smoothing() != runs.front()->smoothing())
    store_.setSmoothing(runs.front()->smoothing());
  steps_.readNew([this](const std::vector<std::size_t>& indices) { append(indices); });
}

void GroupSeries::append(const std::vector<std::size_t>& indices) {
  const auto count = static_cast<double>(series_.size());
  double mean = 0, seconds = 0, squares = 0;
  for (std::size_t i = 0; i < series_.size(); ++i) {
    mean += series_[i]->value(indices[i]) / count;
    seconds += series_[i]->axis().seconds(indices[i]) / count;
  }
  for (std::size_t i = 0; i < series_.size(); ++i)
    squares += std::pow(series_[i]->value(indices[i]) - mean, 2);
  const double deviation = series_.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
  store_.append(series_.front()->step(indices.front()), store_.baseTime() + seconds,
                {{"mean", static_cast<float>(mean)},
                 {"low", static_cast<float>(mean - deviation)},
                 {"high", static_cast<float>(mean + deviation)}});
}

}  // namespace lockstep::app
