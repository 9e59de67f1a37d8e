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

void RangeFigures::add(const RangeFigures& other) {
  nonFinite_ += other.nonFinite_;
  if (other.count_ == 0) return;
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = count_ == 0 ? other.max_ : std::max(max_, other.max_);
  // Sums of squares of two parts (Chan, Golub, LeVeque 1979).
  const auto own = static_cast<double>(count_), others = static_cast<double>(other.count_);
  const double apartX = other.meanX_ - meanX_, apart = other.mean_ - mean_;
  const double weight = own * others / (own + others);
  spreadX_ += other.spreadX_ + apartX * apartX * weight;
  spreadXY_ += other.spreadXY_ + apartX * apart * weight;
  meanX_ += apartX * others / (own + others);
  mean_ += apart * others / (own + others);
  count_ += other.count_;
}

}  // namespace lockstep::widgets
