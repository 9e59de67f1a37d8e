#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::alerts {

/// The time of a rank in a step, in seconds. As ranks wait for one another, a step takes as long as
/// the slowest of them.
struct RankTimes {
  double own = 0;   ///< without the wait for other ranks
  double data = 0;  ///< of `own`: waiting for images
};

/// The slowest rank, with the median times of the others.
struct SlowestRank {
  int rank = 0;
  RankTimes times;
  RankTimes others;  ///< medians

  double laterBy() const { return times.own - others.own; }
  bool isLate() const;
  /// Whether data loading makes it slow, not its computation.
  bool isLateForImages() const { return times.data - others.data > laterBy() / 2; }
};

/// Empty for fewer than two ranks.
std::optional<SlowestRank> slowestOf(const std::map<int, RankTimes>& ranks);

/// Finds a rank that all others wait for, from the times of each rank: `time/rank2/own_seconds`,
/// `time/rank2/data_seconds`.
class SlowRank {
 public:
  void add(std::string_view tag, double value);
  struct Finding {
    std::string text;
    std::string tag;  ///< the scalar that shows it
  };
  /// To be called after all values of a record. Returns a finding once for as long as a rank stays
  /// slow.
  std::optional<Finding> endOfRecord();
  void forget();

 private:
  std::map<int, RankTimes> times_;
  std::optional<int> late_;  ///< in the last records, `records_` of them
  int records_ = 0;
};

}  // namespace lockstep::alerts
