#pragma once

#include <cmath>

namespace lockstep::app {

/// Debiased exponential moving average, as in TensorBoard: last = s·last + (1-s)·y, value = last /
/// (1 - sⁿ). Non-finite values are returned unchanged and not counted.
class Smoother {
 public:
  explicit Smoother(double weight = 0.6) : weight_(weight) {}

  double add(double value) {
    if (!std::isfinite(value)) return value;
    skip(value);
    return smoothed();
  }
  /// add() without computing the smoothed value.
  void skip(double value) {
    if (!std::isfinite(value)) return;
    last_ = weight_ * last_ + (1 - weight_) * value;
    power_ *= weight_;
  }
  /// What add() returned for the last finite value.
  double smoothed() const { return last_ / (1 - power_); }

 private:
  double weight_;
  double last_ = 0;
  double power_ = 1;  ///< sⁿ
};

}  // namespace lockstep::app
