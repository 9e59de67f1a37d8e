#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "app/metrics/metric_series.h"

namespace lockstep::app {

/// The steps that several series have in common, each read once.
class CommonSteps {
 public:
  /// Returns false if nothing that was read before is of these series any more: others, or one was
  /// cut. Then they are read from the beginning.
  bool follow(const std::vector<const MetricSeries*>& series);
  /// `take`: gets the index of each common step that has come in every series, in ascending order.
  /// O(new values).
  void readNew(const std::function<void(const std::vector<std::size_t>& indices)>& take);
  /// Does the same, but continues without a series that has ended: its index is std::nullopt. When
  /// such a series grows, `cutAfter` gets the step at which it had ended, and later steps are taken
  /// again.
  void readNewPastEnds(
      const std::function<void(const std::vector<std::optional<std::size_t>>& indices)>& take,
      const std::function<void(std::int64_t step)>& cutAfter);

 private:
  struct Read {
    const MetricSeries* series = nullptr;
    std::uint64_t cuts = 0;  ///< of the series, when it was read first
    std::size_t count = 0;   ///< of values that have been read
    bool isAtEnd() const { return count >= series->size(); }
  };
  /// Skips to the highest next step of the series that are not at their ends; returns whether all
  /// of them have it.
  bool meetAtNext();
  void goBackToEnds(const std::function<void(std::int64_t step)>& cutAfter);

  std::vector<Read> read_;
  std::int64_t lastStep_ = 0;  ///< last step that readNewPastEnds() took
};

}  // namespace lockstep::app
