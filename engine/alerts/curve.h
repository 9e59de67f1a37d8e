#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::alerts {

/// The finite values of a tag over the steps of a run, however long: the newest kRecentValues as
/// they are, and all as at most kMostPoints points, each of as many successive steps as that takes.
class Curve {
 public:
  static constexpr std::size_t kMostPoints = 1024, kRecentValues = 256;

  struct Point {
    std::int64_t first = 0, last = 0;  ///< steps
    std::int64_t count = 0;            ///< values
    double sum = 0, least = 0, most = 0;

    double mean() const { return sum / static_cast<double>(count); }
  };

  /// Steps must not fall.
  void add(std::int64_t step, double value);
  /// Forgets the values of this step and later ones, and a point that this step divides.
  void forgetFrom(std::int64_t step);

  const std::vector<Point>& points() const { return points_; }
  bool isEmpty() const { return points_.empty(); }
  std::int64_t lastStep() const { return points_.empty() ? 0 : points_.back().last; }
  /// The newest value, and the highest of all; of no value: 0.
  double newest() const { return recent_.empty() ? 0 : recent_.back().sum; }
  double highest() const;
  /// The step of the first of the newest `values` values, at most kRecentValues; nothing if there
  /// are fewer.
  std::optional<std::int64_t> startOfNewest(std::size_t values) const;

  /// What lies within the steps `first` … `last`: the values themselves if all of them are recent,
  /// else points.
  std::vector<Point> within(std::int64_t first, std::int64_t last) const;
  /// Of these values; empty if there is none.
  std::optional<double> mean(std::int64_t first, std::int64_t last) const;
  /// Of these values, or of the means of these points.
  std::optional<double> median(std::int64_t first, std::int64_t last) const;

 private:
  void halve();

  std::vector<Point> points_;
  std::deque<Point> recent_;  ///< of one value each
  std::int64_t valuesPerPoint_ = 1;
};

/// Curves by tag.
class Curves {
 public:
  void add(std::int64_t step, std::string_view tag, double value);
  void forgetFrom(std::int64_t step);

  /// An empty curve for a tag without values.
  const Curve& of(std::string_view tag) const;
  /// Those whose tags begin with `prefix`, in the order of their tags.
  std::vector<std::pair<std::string, const Curve*>> startingWith(std::string_view prefix) const;

 private:
  std::map<std::string, Curve, std::less<>> byTag_;
};

}  // namespace lockstep::alerts
