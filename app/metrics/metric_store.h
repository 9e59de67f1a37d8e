#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/metrics/metric_series.h"

namespace lockstep::app {

/// All scalars of one run by tag. Append only, except for cutAfter() on a reset. Not shared between
/// threads: built in one, moved to another.
class MetricStore {
 public:
  /// Adds one record. wallTime: seconds since 1970. One whose step is before the last of a tag in
  /// it is left out: the steps of a tag are in ascending order.
  void append(std::int64_t step, double wallTime,
              const std::vector<std::pair<std::string, float>>& values);
  /// Removes the values after `step`, of all tags or of these.
  void cutAfter(std::int64_t step);
  void cutAfter(std::int64_t step, const std::vector<std::string>& tags);

  /// nullptr: the run has no such tag yet.
  const MetricSeries* series(std::string_view tag) const;
  /// The newest value of a tag.
  std::optional<double> lastValue(std::string_view tag) const;
  /// Its step.
  std::optional<std::int64_t> lastStep(std::string_view tag) const;
  /// In the order in which they first came.
  const std::vector<std::string>& tags() const { return tags_; }
  /// Wall time of the first record; 0: there is none yet.
  double baseTime() const { return baseTime_; }
  std::int64_t lastStep() const { return lastStep_; }
  std::size_t pointCount() const;
  std::size_t bytes() const;
  /// For all series, also later ones.
  void setSmoothing(double weight);
  double smoothing() const { return smoothing_; }

 private:
  MetricSeries& seriesFor(const std::string& tag);
  bool goesBack(std::int64_t step) const;
  void separate(const std::vector<MetricSeries*>& present);

  std::vector<std::unique_ptr<MetricSeries>> all_;
  std::vector<std::string> tags_;  ///< of all_
  struct TagHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view tag) const {
      return std::hash<std::string_view>()(tag);
    }
  };
  std::unordered_map<std::string, MetricSeries*, TagHash, std::equal_to<>> byTag_;
  // Tags and series of the last record. Most records repeat the same tags, which saves the look-up.
  std::vector<std::string> lastTags_;
  std::vector<MetricSeries*> lastSeries_;
  std::vector<std::size_t> lastPositions_;  ///< indices of their values in the record
  double baseTime_ = 0;
  std::int64_t lastStep_ = 0;
  double smoothing_ = 0.6;
};

}  // namespace lockstep::app
