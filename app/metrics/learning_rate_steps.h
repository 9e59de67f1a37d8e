#pragma once

#include <cstdint>
#include <vector>

#include "app/metrics/metric_series.h"

namespace lockstep::app {

/// Where the learning rate of a run falls at once, as at a milestone of a step schedule: a schedule
/// that falls all the time has no such steps.
class LearningRateSteps {
 public:
  /// Of `rates`, ascending; nullptr: none. Only values that are new since the last call are read,
  /// unless the series was cut.
  const std::vector<std::int64_t>& update(const MetricSeries* rates);

 private:
  std::vector<std::int64_t> steps_;
  const MetricSeries* rates_ = nullptr;
  std::size_t read_ = 0;       ///< number of values that have been read
  std::int64_t lastStep_ = 0;  ///< of the last of them
};

}  // namespace lockstep::app
