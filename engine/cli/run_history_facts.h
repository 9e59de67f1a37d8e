#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/run_folder/run_folder.h"

namespace lockstep::cli {

/// A value that a metric is to reach; a loss falls to it.
struct MetricTarget {
  std::string metric;  ///< segm/AP, loss_total …
  double value = 0;
};
/// `segm/AP=0.377`. Throws UserError for an unknown metric or an invalid value.
MetricTarget parseTarget(const std::string& text);

struct MetricAtStep {
  double value = 0;
  std::int64_t step = 0;
};

/// What a run's event log tells of its whole course.
struct RunHistoryFacts {
  /// From the first record to the last, without the time between attempts and in pauses.
  std::optional<double> trainedSeconds;  ///< absent without a record
  std::optional<MetricAtStep> bestMaskAp, bestBoxAp, lowestHeldOutLoss;
  struct Reached {
    std::int64_t step = 0;
    double seconds = 0;  ///< as trainedSeconds
  };
  std::optional<Reached> target;
};

/// `target` nullptr: none. Throws Error for a log that cannot be read.
RunHistoryFacts readHistoryFacts(const run_folder::Layout& run, const MetricTarget* target);

}  // namespace lockstep::cli
