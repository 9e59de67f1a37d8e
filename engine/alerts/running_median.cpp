#include "engine/alerts/running_median.h"

#include <algorithm>

namespace lockstep::alerts {
namespace {

constexpr std::size_t kWindow = 51;

}  // namespace

void RunningMedian::add(double value) {
  if (recent_.size() < kWindow) {
    recent_.push_back(value);
  } else {
    sorted_.erase(std::lower_bound(sorted_.begin(), sorted_.end(), recent_[oldest_]));
    recent_[oldest_] = value;
    oldest_ = (oldest_ + 1) % kWindow;
  }
  sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), value), value);
}

}  // namespace lockstep::alerts
