#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/metrics/chunked_column.h"
#include "app/metrics/smoothing.h"
#include "app/metrics/step_column.h"

namespace lockstep::app {

/// Steps and times of records, shared by the series that have a value in each of these records.
class StepAxis {
 public:
  std::size_t size() const { return seconds_.size(); }
  std::int64_t step(std::size_t index) const { return steps_[index]; }
  /// Seconds since the store's first record.
  float seconds(std::size_t index) const { return seconds_[index]; }
  void append(std::int64_t step, float seconds);
  void truncate(std::size_t size);
  /// Index of the first record after `step`.
  std::size_t firstAfter(std::int64_t step) const;
  std::size_t bytes() const { return steps_.bytes() + seconds_.bytes(); }

 private:
  StepColumn steps_;
  ChunkedColumn<float> seconds_;
};

struct ValueSpan {
  float min = 0, max = 0;
  bool hasFinite = false;
};

/// The least and the greatest finite value of a block; NaN: it has none.
struct Extremes {
  float min, max;
};

/// All values of one tag, append only. For fast drawing it holds the minimum and maximum of blocks
/// of 16, 256, … values, and, once it has been asked for smoothed values, the state of the
/// smoothing every 64 values. One thread.
class MetricSeries {
 public:
  explicit MetricSeries(std::shared_ptr<StepAxis> axis) : axis_(std::move(axis)) {}

  std::size_t size() const { return values_.size(); }
  const StepAxis& axis() const { return *axis_; }
  float value(std::size_t index) const { return values_[index]; }
  const ChunkedColumn<float>& values() const { return values_; }
  std::int64_t step(std::size_t index) const { return axis_->step(index); }
  /// Index of the lowest finite value.
  std::optional<std::size_t> lowest() const { return lowest_; }
  /// Index ranges [begin, end) of values that are NaN or infinite.
  const std::vector<std::pair<std::size_t, std::size_t>>& nonFiniteRuns() const {
    return nonFinite_;
  }
  /// Minimum and maximum of the finite values in [begin, end). O(log size).
  ValueSpan span(std::size_t begin, std::size_t end) const;

  /// Weight of the exponential moving average, 0 … 0.999. The next smoothed value is O(size), and
  /// so is the first.
  void setSmoothing(double weight);
  double smoothing() const { return smoothing_; }
  double smoothed(std::size_t index) const;
  /// smoothed() of [begin, end) in one pass.
  std::vector<double> smoothedRange(std::size_t begin, std::size_t end) const;

  void append(float value);
  void truncate(std::size_t size);
  /// How often values were cut off.
  std::uint64_t cuts() const { return cuts_; }
  std::size_t bytes() const;

 private:
  friend class MetricStore;
  static constexpr std::size_t kFan = 16, kSmoothed = 64;
  void addToPyramid(std::size_t index);
  ValueSpan scan(std::size_t begin, std::size_t end) const;
  /// The state of the smoothing before a value.
  Smoother stateAt(std::size_t index) const;
  std::optional<std::size_t> findLowest() const;

  std::shared_ptr<StepAxis> axis_;
  std::uint64_t cuts_ = 0;
  ChunkedColumn<float> values_;
  using ExtremesColumn = ChunkedColumn<Extremes, 256>;
  std::vector<ExtremesColumn>
      pyramid_;  ///< [level][block], for complete blocks of 16^(level+1) values
  std::vector<std::pair<std::size_t, std::size_t>> nonFinite_;
  std::optional<std::size_t> lowest_;
  double smoothing_ = 0.6;
  mutable std::vector<Smoother> states_;  ///< state before value 64·i, as far as it was needed
  struct LastState {
    std::size_t index = 0;
    Smoother smoother;  ///< before that value
  };
  /// What was asked for last: a curve is drawn from left to right.
  mutable std::optional<LastState> last_;
};

}  // namespace lockstep::app
