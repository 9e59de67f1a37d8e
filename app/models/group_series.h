#pragma once

#include <vector>

#include "app/models/common_steps.h"
#include "app/models/metric_store.h"

namespace lockstep::app {

/// One tag of several runs, as seeds of one experiment: at the steps that all of them have, the
/// mean and one standard deviation (of a sample, n - 1) below and above it. A step at which a value
/// is not finite is NaN.
class GroupSeries {
 public:
  /// Adds the steps that have come; O(new values). `runs`: the same as before, or everything is
  /// read again, as it is after a cut. At least one; nullptr: it has no such tag yet.
  void update(const std::vector<const MetricStore*>& runs, const std::string& tag);

  /// nullptr: there is no common step yet.
  const MetricSeries* mean() const { return store_.series("mean"); }
  const MetricSeries* low() const { return store_.series("low"); }
  const MetricSeries* high() const { return store_.series("high"); }
  /// Of those that have values of the tag: the mean is theirs.
  std::size_t runCount() const { return series_.size(); }
  /// Wall time that the seconds of the series count from.
  double baseTime() const { return store_.baseTime(); }

 private:
  void append(const std::vector<std::size_t>& indices);

  std::vector<const MetricSeries*> series_;  ///< of the runs
  CommonSteps steps_;
  MetricStore store_;
};

}  // namespace lockstep::app
