#include "app/metrics/group_series.h"

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
  steps_.readNewPastEnds([this](const Indices& indices) { append(indices); },
                         [this](std::int64_t step) { store_.cutAfter(step); });
}

void GroupSeries::append(const Indices& indices) {
  const auto count = static_cast<double>(
      std::ranges::count_if(indices, [](const auto& index) { return index.has_value(); }));
  std::int64_t step = 0;
  double mean = 0, seconds = 0, squares = 0;
  for (std::size_t i = 0; i < series_.size(); ++i) {
    if (!indices[i]) continue;
    step = series_[i]->step(*indices[i]);
    mean += series_[i]->value(*indices[i]) / count;
    seconds += series_[i]->axis().seconds(*indices[i]) / count;
  }
  for (std::size_t i = 0; i < series_.size(); ++i)
    if (indices[i]) squares += std::pow(series_[i]->value(*indices[i]) - mean, 2);
  const double deviation = count > 1 ? std::sqrt(squares / (count - 1)) : 0;
  store_.append(step, store_.baseTime() + seconds,
                {{"mean", static_cast<float>(mean)},
                 {"low", static_cast<float>(mean - deviation)},
                 {"high", static_cast<float>(mean + deviation)},
                 {"runs", static_cast<float>(count)}});
}

}  // namespace lockstep::app
