#include "app/metrics/common_steps.h"

#include <algorithm>
#include <limits>

namespace lockstep::app {

bool CommonSteps::follow(const std::vector<const MetricSeries*>& series) {
  const bool goesOn =
      !read_.empty() && std::ranges::equal(read_, series, [](const Read& read, const auto* own) {
        return read.series == own && own->cuts() == read.cuts;
      });
  if (goesOn) return true;
  read_.clear();
  lastStep_ = 0;
  for (const MetricSeries* own : series) read_.push_back({own, own->cuts()});
  return false;
}

bool CommonSteps::meetAtNext() {
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  for (const Read& read : read_)
    if (!read.isAtEnd()) highest = std::max(highest, read.series->step(read.count));
  bool haveAll = true;
  for (Read& read : read_) {
    if (read.isAtEnd() || read.series->step(read.count) == highest) continue;
    haveAll = false;
    ++read.count;
  }
  return haveAll;
}

void CommonSteps::readNew(
    const std::function<void(const std::vector<std::size_t>& indices)>& take) {
  std::vector<std::size_t> indices(read_.size());
  while (std::ranges::none_of(read_, &Read::isAtEnd)) {
    if (!meetAtNext()) continue;
    for (std::size_t i = 0; i < read_.size(); ++i) indices[i] = read_[i].count++;
    take(indices);
  }
}

/// Finds the series that have grown: all others are at their ends.
void CommonSteps::goBackToEnds(const std::function<void(std::int64_t step)>& cutAfter) {
  std::int64_t end = lastStep_;
  for (const Read& read : read_)
    if (!read.isAtEnd() && read.count > 0) end = std::min(end, read.series->step(read.count - 1));
  if (end == lastStep_) return;
  cutAfter(end);
  lastStep_ = end;
  for (Read& read : read_) read.count = std::min(read.count, read.series->axis().firstAfter(end));
}

void CommonSteps::readNewPastEnds(
    const std::function<void(const std::vector<std::optional<std::size_t>>& indices)>& take,
    const std::function<void(std::int64_t step)>& cutAfter) {
  goBackToEnds(cutAfter);
  std::vector<std::optional<std::size_t>> indices(read_.size());
  while (!std::ranges::all_of(read_, &Read::isAtEnd)) {
    if (!meetAtNext()) continue;
    for (std::size_t i = 0; i < read_.size(); ++i) {
      Read& read = read_[i];
      indices[i] = read.isAtEnd() ? std::nullopt : std::optional(read.count);
      if (!indices[i]) continue;
      lastStep_ = read.series->step(read.count++);
    }
    take(indices);
  }
}

}  // namespace lockstep::app
