#pragma once

#include <vector>

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
  /// Wall time that the seconds of the series count from.
  double baseTime() const { return store_.baseTime(); }

 private:
  struct Read {
    const MetricSeries* series = nullptr;
    std::size_t count = 0;      ///< of values that have been read
    std::int64_t lastStep = 0;  ///< of the last of them
  };
  bool goesOn(const std::vector<const MetricSeries*>& series) const;
  void restart(const std::vector<const MetricStore*>& runs,
               const std::vector<const MetricSeries*>& series);
  void appendCommonSteps();
  void append(std::int64_t step);

  MetricStore store_;
  std::vector<Read> read_;
};

}  // namespace lockstep::app
