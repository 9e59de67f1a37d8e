#include "app/metrics/metric_store.h"

#include <algorithm>
#include <set>
#include <utility>

namespace lockstep::app {

MetricSeries& MetricStore::seriesFor(const std::string& tag) {
  const auto found = byTag_.find(tag);
  if (found != byTag_.end()) return *found->second;
  all_.push_back(std::make_unique<MetricSeries>(nullptr));
  all_.back()->setSmoothing(smoothing_);
  byTag_[tag] = all_.back().get();
  tags_.push_back(tag);
  return *all_.back();
}

/// Gives the series of one record axes that no other series shares.
void MetricStore::separate(const std::vector<MetricSeries*>& present) {
  std::map<StepAxis*, std::vector<MetricSeries*>> groups;
  for (MetricSeries* series : present) groups[series->axis_.get()].push_back(series);
  for (auto& [axis, group] : groups) {
    if (!axis) {
      const auto own = std::make_shared<StepAxis>();  // tags seen for the first time, together
      for (MetricSeries* series : group) series->axis_ = own;
    } else if (static_cast<std::size_t>(group.front()->axis_.use_count()) > group.size()) {
      const auto own = std::make_shared<StepAxis>();
      for (std::size_t i = 0; i < axis->size(); ++i) own->append(axis->step(i), axis->seconds(i));
      for (MetricSeries* series : group) series->axis_ = own;
    }
  }
}

/// For a series of the last record; an engine that is right cuts its curves first.
bool MetricStore::goesBack(std::int64_t step) const {
  const StepAxis* known = nullptr;
  for (const MetricSeries* series : lastSeries_) {
    const StepAxis* axis = series->axis_.get();
    if (std::exchange(known, axis) == axis) continue;
    if (axis->size() > 0 && axis->step(axis->size() - 1) > step) return true;
  }
  return false;
}

void MetricStore::append(std::int64_t step, double wallTime,
                         const std::vector<std::pair<std::string, float>>& values) {
  if (values.empty()) return;
  if (baseTime_ == 0) baseTime_ = wallTime;
  const bool sameTags =
      std::equal(values.begin(), values.end(), lastTags_.begin(), lastTags_.end(),
                 [](const auto& value, const std::string& tag) { return value.first == tag; });
  if (!sameTags) {
    lastTags_.clear();
    lastSeries_.clear();
    lastPositions_.clear();
    for (std::size_t i = 0; i < values.size(); ++i) {
      MetricSeries& series = seriesFor(values[i].first);
      if (std::find(lastSeries_.begin(), lastSeries_.end(), &series) != lastSeries_.end())
        continue;  // duplicate tag
      lastTags_.push_back(values[i].first);
      lastSeries_.push_back(&series);
      lastPositions_.push_back(i);
    }
    separate(lastSeries_);
  }
  if (goesBack(step)) return;
  const auto seconds = static_cast<float>(wallTime - baseTime_);
  for (std::size_t i = 0; i < lastSeries_.size(); ++i) {
    MetricSeries& series = *lastSeries_[i];
    series.append(values[lastPositions_[i]].second);
    if (series.axis_->size() < series.size()) series.axis_->append(step, seconds);
  }
  lastStep_ = std::max(lastStep_, step);
}

void MetricStore::cutAfter(std::int64_t step) {
  std::map<StepAxis*, std::size_t> sizes;
  for (const auto& series : all_) sizes[series->axis_.get()] = series->axis_->firstAfter(step);
  for (const auto& series : all_) series->truncate(sizes[series->axis_.get()]);
  for (const auto& [axis, size] : sizes) axis->truncate(size);
  lastStep_ = std::min(lastStep_, step);
}

void MetricStore::cutAfter(std::int64_t step, const std::vector<std::string>& tags) {
  std::vector<MetricSeries*> cut;
  for (const std::string& tag : tags) {
    const auto found = byTag_.find(tag);
    if (found != byTag_.end() && std::ranges::find(cut, found->second) == cut.end())
      cut.push_back(found->second);
  }
  separate(cut);
  for (MetricSeries* series : cut) {
    const std::size_t size = series->axis_->firstAfter(step);
    series->truncate(size);
    series->axis_->truncate(size);
  }
  lastStep_ = 0;
  for (const auto& series : all_)
    if (series->size() > 0) lastStep_ = std::max(lastStep_, series->step(series->size() - 1));
}

const MetricSeries* MetricStore::series(std::string_view tag) const {
  const auto found = byTag_.find(tag);
  return found == byTag_.end() ? nullptr : found->second;
}

std::optional<double> MetricStore::lastValue(std::string_view tag) const {
  const MetricSeries* found = series(tag);
  if (!found || found->size() == 0) return std::nullopt;
  return found->value(found->size() - 1);
}

std::optional<std::int64_t> MetricStore::lastStep(std::string_view tag) const {
  const MetricSeries* found = series(tag);
  if (!found || found->size() == 0) return std::nullopt;
  return found->step(found->size() - 1);
}

std::size_t MetricStore::pointCount() const {
  std::size_t count = 0;
  for (const auto& series : all_) count += series->size();
  return count;
}

std::size_t MetricStore::bytes() const {
  std::size_t bytes = 0;
  std::set<const StepAxis*> axes;
  for (const auto& series : all_) {
    bytes += series->bytes();
    if (axes.insert(series->axis_.get()).second) bytes += series->axis_->bytes();
  }
  return bytes;
}

void MetricStore::setSmoothing(double weight) {
  smoothing_ = weight;
  for (const auto& series : all_) series->setSmoothing(weight);
}

}  // namespace lockstep::app
