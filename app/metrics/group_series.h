#pragma once

#include <optional>
#include <vector>

#include "app/metrics/common_steps.h"
#include "app/metrics/metric_store.h"

namespace lockstep::app {

/// One tag of several runs, as seeds of one experiment: at the steps that all of them have, the
/// mean and one standard deviation (of a sample, n - 1) below and above it. Runs that have ended
/// drop out of later means. A step at which a value is not finite is NaN.
class GroupSeries {
 public:
  /// Adds the steps that have come; O(new values). `runs`: the same as before, or everything is
  /// read again, as it is after a cut. At least one; nullptr: it has no such tag yet.
  void update(const std::vector<const MetricStore*>& runs, const std::string& tag);

  /// nullptr: there is no common step yet.
  const MetricSeries* mean() const { return store_.series("mean"); }
  const MetricSeries* low() const { return store_.series("low"); }
  const MetricSeries* high() const { return store_.series("high"); }
  /// Number of runs in the mean at this index.
  int runCount(std::size_t index) const {
    return static_cast<int>(store_.series("runs")->value(index));
  }
  /// Wall time that the seconds of the series count from.
  double baseTime() const { return store_.baseTime(); }

 private:
  using Indices = std::vector<std::optional<std::size_t>>;
  void append(const Indices& indices);

  std::vector<const MetricSeries*> series_;  ///< of the runs
  CommonSteps steps_;
  MetricStore store_;
};

}  // namespace lockstep::app
