#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/events/reader.h"
#include "engine/events/record.h"
#include "engine/events/slow_rank.h"

namespace lockstep::events {

struct Alert {
  std::string kind;  ///< "non_finite", "overfitting", "checkpoint_failed", "write_failed",
                     ///< "loss_jump", "slow_rank"
  std::int64_t step = 0;
  std::string text;  ///< what, and what one can do
};

/// The middle of the last values, kept sorted.
class RunningMedian {
 public:
  void add(double value);
  double median() const { return sorted_[sorted_.size() / 2]; }
  std::size_t size() const { return sorted_.size(); }

 private:
  std::vector<double> recent_;  ///< a ring
  std::size_t oldest_ = 0;
  std::vector<double> sorted_;
};

/// Alerts as a function of the records alone, so that headless runs, replay and the app agree.
/// Whoever is told that the log was cut begins again with a new detector and the records that are
/// left.
///   non_finite         a training or held-out loss is NaN or infinite; once, and again after a
///                      resume
///   loss_jump          the training loss is over 5 times its running median; again once it has
///                      come down
///   overfitting        the held-out loss is over its minimum for 2 evaluations, by 2 % at the
///   last,
///                      while the training loss fell; again after a new minimum
///   slow_rank          all ranks wait for one, for long; again once another was late or none
///   checkpoint_failed  a log event of that kind
///   write_failed       a log event of that kind
class AlertDetector {
 public:
  /// Alerts that this record raises.
  std::vector<Alert> add(const Record& record);
  /// The same for a visitor; `tags` are the reader's.
  std::vector<Alert> add(const RecordView& record, const std::vector<std::string>& tags);

 private:
  struct HeldOut {
    std::int64_t step = 0;
    double loss = 0;
    double trainLoss = 0;  ///< mean over the second half of the steps since the evaluation before
  };
  struct TrainLoss {
    std::int64_t step = 0;
    double loss = 0;
  };

  void addScalar(std::int64_t step, std::string_view tag, double value, std::vector<Alert>& alerts);
  void addTrainLoss(std::int64_t step, double loss, std::vector<Alert>& alerts);
  void addHeldOutLoss(std::int64_t step, double loss, std::vector<Alert>& alerts);
  void endOfScalars(std::int64_t step, std::vector<Alert>& alerts);
  void addEvent(std::int64_t step, std::string_view json, std::vector<Alert>& alerts);
  void goBackTo(std::int64_t step);
  double recentTrainLoss() const;
  std::string whereTheBestIs(std::int64_t lowestStep) const;

  std::vector<HeldOut> heldOut_;
  std::vector<TrainLoss> train_;  ///< since the last evaluation
  RunningMedian usualLoss_;
  SlowRank slowRank_;
  std::string bestCheckpoint_;  ///< step-00000200, empty: none yet
  std::int64_t bestStep_ = 0;
  bool nonFiniteRaised_ = false;
  bool overfittingRaised_ = false;
  bool jumpRaised_ = false;
};

}  // namespace lockstep::events
