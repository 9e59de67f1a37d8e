#pragma once

#include <vector>

#include "app/metrics/decimation.h"
#include "widgets/curves/range_figures.h"

namespace lockstep::app {

/// Figures of the values of one series in a range of x. Blocks of values are added up once, so that
/// a range that follows the pointer costs less than its number of values.
class SeriesFigures {
 public:
  /// Of the values at x in [low, high]. `series`, `scale`: others than before, or a series that was
  /// cut, are added up anew.
  widgets::RangeFigures between(const MetricSeries& series, const XScale& scale, double low,
                                double high);

 private:
  void addBlocks(const MetricSeries& series, const XScale& scale);

  static constexpr std::size_t kBlock = 512;
  std::vector<widgets::RangeFigures> blocks_;  ///< those that are complete
  const MetricSeries* series_ = nullptr;
  XScale scale_;
  std::uint64_t cuts_ = 0;
};

}  // namespace lockstep::app
