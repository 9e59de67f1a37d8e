#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::alerts {

/// What a rank does in a step, in seconds: a step takes all ranks as long as the slowest of them,
/// since they wait for one another.
struct RankTimes {
  double own = 0;   ///< without the wait for other ranks
  double data = 0;  ///< of it, waiting for images
};

/// The rank that takes longest, beside what the others mostly take.
struct SlowestRank {
  int rank = 0;
  RankTimes times;
  RankTimes others;  ///< medians

  double laterBy() const { return times.own - others.own; }
  bool isLate() const;
  /// Its own images are what it is late for, not its computing.
  bool isLateForImages() const { return times.data - others.data > laterBy() / 2; }
};

/// Nothing of fewer than two ranks.
std::optional<SlowestRank> slowestOf(const std::map<int, RankTimes>& ranks);

/// Finds a rank that all others wait for, in the times of single ranks: `time/rank2/own_seconds`,
/// `time/rank2/data_seconds`.
class SlowRank {
 public:
  void add(std::string_view tag, double value);
  struct Finding {
    std::string text;
    std::string tag;  ///< of the scalar that shows it
  };
  /// After all values of a record. What to tell, once for as long as one rank stays late.
  std::optional<Finding> endOfRecord();
  void forget();

 private:
  std::map<int, RankTimes> times_;
  std::optional<int> late_;  ///< in the last records, `records_` of them
  int records_ = 0;
};

}  // namespace lockstep::alerts
