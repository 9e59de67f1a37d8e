#pragma once

#include <cmath>
#include <utility>

namespace lockstep::widgets {

/// Values of an axis to px.
class PixelMap {
 public:
  /// `range`: from `startPx` to `endPx`; positive if `log`.
  PixelMap(std::pair<double, double> range, double startPx, double endPx, bool log)
      : isLog_(log), start_(startPx), from_(log ? std::log(range.first) : range.first) {
    const double to = log ? std::log(range.second) : range.second;
    scale_ = to > from_ ? (endPx - startPx) / (to - from_) : 0;
  }
  /// What has no place on a log axis is far below it.
  double operator()(double value) const {
    if (isLog_) value = value > 0 ? std::log(value) : std::isnan(value) ? value : -1e6;
    return start_ + (value - from_) * scale_;
  }

 private:
  bool isLog_;
  double start_, from_, scale_ = 0;
};

}  // namespace lockstep::widgets
