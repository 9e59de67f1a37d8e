#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/alerts/advisor.h"
#include "engine/alerts/slow_rank.h"
#include "engine/protocol/event.h"

/// Warnings about a run, derived from its event log.
namespace lockstep::alerts {

/// The text, with the remedy as `KEY=VALUE` if there is a key to set, for where there are no
/// buttons.
std::string textWithRemedy(const protocol::Alert& alert);

/// Median of the last values.
class RunningMedian {
 public:
  void add(double value);
  double median() const { return sorted_[sorted_.size() / 2]; }
  std::size_t size() const { return sorted_.size(); }

 private:
  std::vector<double> recent_;  ///< a ring buffer
  std::size_t oldest_ = 0;
  std::vector<double> sorted_;
};

/// Raises alerts as a function of the events alone. Only the supervisor of a live run has one, and
/// writes its alerts to the log, where all others read them. Alerts that are already in the log
/// have no effect. The losses of a learning-rate range test, which are meant to rise, raise none.
///   non_finite         a training or held-out loss is NaN or infinite; once, and again after a
///                      resume
///   loss_jump          the training loss is over 10 times its running median, or over 5 times at
///                      two steps in succession; again once it has come down
///   overfitting        after the warm-up, the held-out loss is above its minimum for 2
///   evaluations, by 2 % at the
///                      last, while the training loss fell; again after a new minimum
///   slow_rank          all ranks wait for one in several log intervals; again once another rank or
///                      none was slow
///   checkpoint_failed  a log event of that kind
///   write_failed       a log event of that kind
///   run_failed         the state failed, with the reason
/// and the advice of the rules.
class AlertDetector {
 public:
  /// Alerts that this event raises, at its step and time.
  std::vector<protocol::Alert> add(const protocol::Event& event);
  /// Advice at the end of a log that has no state of the run, as other programs'.
  std::vector<protocol::Alert> finish();
  /// Forgets the events of this step and later ones: a new session begins at it.
  void forgetFrom(std::int64_t firstDroppedStep);
  /// Forgets all checkpoints but these: the events do not tell which were pruned, and alerts must
  /// not name those.
  void keepCheckpoints(const std::vector<std::int64_t>& existing);

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
  void handle(const protocol::Scalars& scalars);
  void handle(const protocol::State& state);
  void handle(const protocol::Log& log);
  void handle(const protocol::Checkpoint& checkpoint);
  void handle(const auto&) {}
  double recentTrainLoss() const;
  std::string checkpointNearestTo(std::int64_t step) const;

  std::vector<protocol::Alert> raised_;  ///< by the current event
  std::vector<HeldOut> heldOut_;
  std::deque<TrainLoss> train_;  ///< the last ones since the last evaluation
  Advisor advisor_;
  RunningMedian medianLoss_;
  SlowRank slowRank_;
  std::map<std::int64_t, std::string> checkpoints_;  ///< step-00000200, by step
  bool nonFiniteRaised_ = false;
  bool overfittingRaised_ = false;
  bool jumpRaised_ = false;
  bool wasHigh_ = false;  ///< the last training loss, as for a jump
};

}  // namespace lockstep::alerts
