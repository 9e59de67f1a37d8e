#pragma once

#include <cstddef>
#include <vector>

namespace lockstep::alerts {

/// Median of the last values.
class RunningMedian {
 public:
  void add(double value);
  double median() const { return sorted_[sorted_.size() / 2]; }
  std::size_t size() const { return sorted_.size(); }

 private:
  std::vector<double> recent_;  ///< a ring buffer
  std::size_t oldest_ = 0;
  std::vector<double> sorted_;
};

}  // namespace lockstep::alerts
