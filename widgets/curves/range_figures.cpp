#include "widgets/curves/range_figures.h"

#include <algorithm>
#include <cmath>

namespace lockstep::widgets {

void RangeFigures::add(double x, double value) {
  if (!std::isfinite(value)) {
    ++nonFinite_;
    return;
  }
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = count_ == 0 ? value : std::max(max_, value);
  ++count_;
  // Updated means, so that wall times of 1e9 s lose no digits (Welford).
  const double fromMeanX = x - meanX_;
  meanX_ += fromMeanX / static_cast<double>(count_);
  mean_ += (value - mean_) / static_cast<double>(count_);
  spreadX_ += fromMeanX * (x - meanX_);
  spreadXY_ += fromMeanX * (value - mean_);
}

}  // namespace lockstep::widgets
