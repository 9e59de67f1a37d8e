#pragma once

#include <cmath>
#include <cstdint>

namespace lockstep::app {

/// Debiased exponential moving average, as in TensorBoard: last = s·last + (1-s)·y, value = last /
/// (1 - sⁿ). Non-finite values are returned unchanged and not counted.
class Smoother {
 public:
  explicit Smoother(double weight = 0.6) : weight_(weight) {}

  double add(double value) {
    if (!std::isfinite(value)) return value;
    last_ = weight_ * last_ + (1 - weight_) * value;
    ++count_;
    const double bias = std::pow(weight_, static_cast<double>(count_));
    return last_ / (1 - bias);
  }
  /// add() without computing the smoothed value.
  void skip(double value) {
    if (!std::isfinite(value)) return;
    last_ = weight_ * last_ + (1 - weight_) * value;
    ++count_;
  }

 private:
  double weight_;
  double last_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace lockstep::app
