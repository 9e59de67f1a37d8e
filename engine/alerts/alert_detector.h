#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/alerts/running_median.h"
#include "engine/alerts/slow_rank.h"
#include "engine/events/record.h"
#include "engine/protocol/messages.h"

/// What a person is to be told of a run, found in its event log.
namespace lockstep::alerts {

/// Alerts as a function of the records alone. The supervisor of a living run has the only one, and
/// writes what it finds into the log, where everybody else reads it. Alerts that stand in the log
/// already change nothing.
///   non_finite         a training or held-out loss is NaN or infinite; once, and again after a
///                      resume
///   loss_jump          the training loss is over 5 times its running median; again once it has
///                      come down
///   overfitting        the held-out loss is over its minimum for 2 evaluations, by 2 % at the
///                      last, while the training loss fell; again after a new minimum
///   slow_rank          all ranks wait for one, for long; again once another was late or none
///   checkpoint_failed  a log event of that kind
///   write_failed       a log event of that kind
///   run_failed         the state failed, with the reason
class AlertDetector {
 public:
  /// Alerts that this record raises, at its step and time.
  std::vector<protocol::Alert> add(const events::Record& record);
  /// Of the checkpoints that the records tell of, these are left: no record tells which were
  /// pruned, and none of those is to be named.
  void keepCheckpoints(const std::vector<std::int64_t>& there);

 private:
  struct HeldOut {
    std::int64_t step = 0;
    double loss = 0;
    double trainLoss = 0;  ///< recentTrainLoss() at that evaluation
  };
  struct TrainLoss {
    std::int64_t step = 0;
    double loss = 0;
  };

  void addScalar(std::int64_t step, std::string_view tag, double value);
  void addTrainLoss(std::int64_t step, double loss);
  void addHeldOutLoss(std::int64_t step, double loss);
  void addEvent(const events::Record& record);
  void goBackTo(std::int64_t step);
  double recentTrainLoss() const;
  std::string checkpointNearestTo(std::int64_t step) const;

  std::vector<protocol::Alert> raised_;  ///< by the record at hand
  std::vector<HeldOut> heldOut_;
  std::deque<TrainLoss> train_;  ///< the last ones since the last evaluation
  RunningMedian usualLoss_;
  SlowRank slowRank_;
  std::map<std::int64_t, std::string> checkpoints_;  ///< step-00000200, by step
  bool nonFiniteRaised_ = false;
  bool overfittingRaised_ = false;
  bool jumpRaised_ = false;
};

}  // namespace lockstep::alerts
