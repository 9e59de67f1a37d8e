#pragma once

#include <cstddef>

namespace lockstep::widgets {

/// What the values of a curve are in a range of x. They are the raw ones: smoothing would carry
/// values from before the range into it.
class RangeFigures {
 public:
  /// NaN and infinity are counted and otherwise left out.
  void add(double x, double value);
  /// Adds all values of another one, of other points.
  void add(const RangeFigures& other);

  std::size_t count() const { return count_; }  ///< of finite values
  std::size_t nonFiniteCount() const { return nonFinite_; }
  // Of at least one finite value:
  double mean() const { return mean_; }
  double min() const { return min_; }
  double max() const { return max_; }
  /// Of the least-squares line, per x; 0 if all values are at one x.
  double slope() const { return spreadX_ > 0 ? spreadXY_ / spreadX_ : 0; }

 private:
  std::size_t count_ = 0, nonFinite_ = 0;
  double mean_ = 0, meanX_ = 0, min_ = 0, max_ = 0;
  double spreadX_ = 0, spreadXY_ = 0;  ///< sums of products of differences from the means
};

}  // namespace lockstep::widgets
