#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::events {

/// Finds a rank that all others wait for, in the times of single ranks: `time/rank2/step_seconds`,
/// `data_seconds` of it spent waiting for images, `wait_seconds` for other ranks.
class SlowRank {
 public:
  static constexpr std::string_view kTagPrefix = "time/rank";

  void add(std::string_view tag, double seconds);
  /// After the scalars of one record: what to say of a rank that has newly been late for long.
  std::optional<std::string> endOfRecord();
  void forget();

 private:
  struct Times {
    double step = 0, data = 0, wait = 0;
    double own() const { return step - wait; }
  };
  /// The rank that is late in this record, if one is.
  std::optional<int> lateRank() const;
  double usualOfOthers(int rank) const;
  std::string describe(int rank) const;

  std::map<int, Times> times_;  ///< of the present record
  std::optional<int> late_;     ///< in the last records
  int records_ = 0;             ///< so many of them
};

}  // namespace lockstep::events
