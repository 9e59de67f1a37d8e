#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/alerts/running_median.h"
#include "engine/alerts/slow_rank.h"
#include "engine/protocol/event.h"

/// What a person is to be told of a run, found in its event log.
namespace lockstep::alerts {

/// Alerts as a function of the events alone. The supervisor of a living run has the only one, and
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
  /// Alerts that this event raises, at its step and time.
  std::vector<protocol::Alert> add(const protocol::Event& event);
  /// The run goes on at this step: what lies there and after never was.
  void goBackTo(std::int64_t step);
  /// Of the checkpoints that the events tell of, these are left: no event tells which were pruned,
  /// and none of those is to be named.
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
  void look(const protocol::Scalars& scalars);
  void look(const protocol::State& state);
  void look(const protocol::Log& log);
  void look(const protocol::Checkpoint& checkpoint);
  void look(const auto&) {}
  double recentTrainLoss() const;
  std::string checkpointNearestTo(std::int64_t step) const;

  std::vector<protocol::Alert> raised_;  ///< by the event at hand
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
