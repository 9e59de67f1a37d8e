#include "app/models/group_series.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::app {

bool GroupSeries::goesOn(const std::vector<const MetricSeries*>& series) const {
  return std::ranges::equal(read_, series, [](const Read& read, const MetricSeries* own) {
    return read.series == own && own->size() >= read.count &&
           (read.count == 0 || own->step(read.count - 1) == read.lastStep);
  });
}

void GroupSeries::restart(const std::vector<const MetricStore*>& runs,
                          const std::vector<const MetricSeries*>& series) {
  store_ = {};
  read_.clear();
  for (const MetricSeries* own : series) read_.push_back({own});
  // Seconds count from the first record, which need not have the tag.
  store_.append(0, std::max(runs.front()->baseTime(), 1.0), {{"begin", 0.F}});
}

void GroupSeries::update(const std::vector<const MetricStore*>& runs, const std::string& tag) {
  std::vector<const MetricSeries*> series;
  for (const MetricStore* run : runs) series.push_back(run->series(tag));
  if (std::ranges::find(series, nullptr) != series.end()) {
    *this = {};
    return;
  }
  if (read_.empty() || !goesOn(series)) restart(runs, series);
  if (store_.smoothing() != runs.front()->smoothing())
    store_.setSmoothing(runs.front()->smoothing());
  appendCommonSteps();
}

/// Goes through all series at once, always on where the step is lowest.
void GroupSeries::appendCommonSteps() {
  const auto isAtEnd = [](const Read& read) { return read.count >= read.series->size(); };
  while (std::ranges::none_of(read_, isAtEnd)) {
    std::int64_t highest = std::numeric_limits<std::int64_t>::min();
    for (const Read& read : read_) highest = std::max(highest, read.series->step(read.count));
    bool isCommon = true;
    for (Read& read : read_) {
      if (read.series->step(read.count) == highest) continue;
      isCommon = false;
      read.lastStep = read.series->step(read.count++);
    }
    if (!isCommon) continue;
    append(highest);
    for (Read& read : read_) {
      ++read.count;
      read.lastStep = highest;
    }
  }
}

void GroupSeries::append(std::int64_t step) {
  const auto count = static_cast<double>(read_.size());
  double mean = 0, seconds = 0, squares = 0;
  for (const Read& read : read_) {
    mean += read.series->value(read.count) / count;
    seconds += read.series->axis().seconds(read.count) / count;
  }
  for (const Read& read : read_) squares += std::pow(read.series->value(read.count) - mean, 2);
  const double deviation = read_.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
  store_.append(step, store_.baseTime() + seconds,
                {{"mean", static_cast<float>(mean)},
                 {"low", static_cast<float>(mean - deviation)},
                 {"high", static_cast<float>(mean + deviation)}});
}

}  // namespace lockstep::app
