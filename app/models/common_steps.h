#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "app/models/metric_series.h"

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

 private:
  struct Read {
    const MetricSeries* series = nullptr;
    std::uint64_t cuts = 0;  ///< of the series, when it was read first
    std::size_t count = 0;   ///< of values that have been read
  };
  bool isAtEnd() const;
  /// Skips to the highest of the next steps; returns whether all are there.
  bool meetAtNext();

  std::vector<Read> read_;
};

}  // namespace lockstep::app
