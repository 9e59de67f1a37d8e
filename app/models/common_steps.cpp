#include "app/models/common_steps.h"

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
  for (const MetricSeries* own : series) read_.push_back({own, own->cuts()});
  return false;
}

bool CommonSteps::isAtEnd() const {
  return std::ranges::any_of(read_,
                             [](const Read& read) { return read.count >= read.series->size(); });
}

bool CommonSteps::meetAtNext() {
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  for (const Read& read : read_) highest = std::max(highest, read.series->step(read.count));
  bool haveAll = true;
  for (Read& read : read_) {
    if (read.series->step(read.count) == highest) continue;
    haveAll = false;
    ++read.count;
  }
  return haveAll;
}

void CommonSteps::readNew(
    const std::function<void(const std::vector<std::size_t>& indices)>& take) {
  std::vector<std::size_t> indices(read_.size());
  while (!isAtEnd()) {
    if (!meetAtNext()) continue;
    for (std::size_t i = 0; i < read_.size(); ++i) indices[i] = read_[i].count++;
    take(indices);
  }
}

}  // namespace lockstep::app
