#include "engine/alerts/alert_detector.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "engine/base/number_text.h"
#include "engine/events/tags.h"

namespace lockstep::alerts {
namespace {

using protocol::AlertKind;
using protocol::Severity;

constexpr std::size_t kMedianWindow = 51;
constexpr std::size_t kMedianNeeds = 20;  ///< steps before a jump can be detected
/// A loss jumps at once, or at two steps in succession: one batch of few images may be that hard.
constexpr double kLargeJumpFactor = 10, kJumpFactor = 5, kCalmFactor = 2;
constexpr std::size_t kRisingEvaluations = 2;
constexpr double kRiseFactor = 1.02;
/// Most training losses kept between two evaluations: without evaluations there is one per step.
constexpr std::size_t kMostTrainLosses = 4096;

using events::tags::kEvalTotalLoss;
using events::tags::kFindLrLoss;
using events::tags::kTrainTotalLoss;

std::string shortNumber(double value) { return base::shortNumber(value, 3); }

/// An alert whose evidence is `tags` between the steps `from` and `to`.
protocol::Alert alertOf(AlertKind kind, Severity severity, std::string text,
                        std::vector<std::string> tags, std::int64_t from, std::int64_t to) {
  protocol::Alert alert;
  alert.kind = kind;
  alert.severity = severity;
  alert.text = std::move(text);
  alert.tags = std::move(tags);
  alert.from = from;
  alert.to = to;
  return alert;
}

/// How to begin again; goes on with what to change.
std::string beginAgain(bool hasCheckpoint) {
  return hasCheckpoint ? "restart from the checkpoint before it (train RUN --from STEP) with "
                       : "train again (there is no checkpoint before it) with ";
}

protocol::Alert nonFinite(std::int64_t step, std::string_view tag, double value,
                          bool hasCheckpoint) {
  const std::string what = std::isnan(value) ? "NaN" : "infinite";
  return alertOf(AlertKind::NonFinite, Severity::Error,
                 std::string(tag) + " is " + what + " at step " + std::to_string(step) +
                     ". What helps: " + beginAgain(hasCheckpoint) +
                     "a lower solver.base_lr, a longer solver.warmup_steps or "
                     "solver.clip_grad_norm.",
                 {std::string(tag)}, step, step);
}

protocol::Alert lossJump(std::int64_t step, double loss, double median, bool hasCheckpoint) {
  return alertOf(AlertKind::LossJump, Severity::Warning,
                 "Training loss jumped to " + shortNumber(loss) + " at step " +
                     std::to_string(step) + ", " + shortNumber(loss / median) +
                     " times its usual " + shortNumber(median) + ". If it stays there, " +
                     beginAgain(hasCheckpoint) +
                     "a lower solver.base_lr or with solver.clip_grad_norm.",
                 {kTrainTotalLoss}, step, step);
}

}  // namespace

std::string textWithRemedy(const protocol::Alert& alert) {
  return alert.key.empty() ? alert.text : alert.text + " Remedy: " + alert.key + "=" + alert.value;
}

void RunningMedian::add(double value) {
  if (recent_.size() < kMedianWindow) {
    recent_.push_back(value);
  } else {
    sorted_.erase(std::lower_bound(sorted_.begin(), sorted_.end(), recent_[oldest_]));
    recent_[oldest_] = value;
    oldest_ = (oldest_ + 1) % kMedianWindow;
  }
  sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), value), value);
}

std::vector<protocol::Alert> AlertDetector::add(const protocol::Event& event) {
  raised_.clear();
  std::visit(
      [this, &event](const auto& held) {
        handle(held);
        std::ranges::move(advisor_.add(event), std::back_inserter(raised_));
        for (protocol::Alert& alert : raised_) {
          alert.step = held.step;
          alert.time = held.time;
        }
      },
      event);
  return std::move(raised_);
}

std::vector<protocol::Alert> AlertDetector::finish() {
  std::vector<protocol::Alert> alerts = advisor_.finish();
  for (protocol::Alert& alert : alerts) alert.step = alert.to;
  return alerts;
}

void AlertDetector::handle(const protocol::Scalars& scalars) {
  const bool isRangeTest = std::ranges::any_of(
      scalars.values, [](const auto& scalar) { return scalar.first == kFindLrLoss; });
  for (const auto& [tag, value] : scalars.values) {
    if (!isRangeTest || !events::tags::isTrainLoss(tag)) addScalar(scalars.step, tag, value);
  }
  if (auto late = slowRank_.endOfRecord()) {
    raised_.push_back(alertOf(AlertKind::SlowRank, Severity::Warning, std::move(late->text),
                              {late->tag}, scalars.step, scalars.step));
  }
}

void AlertDetector::handle(const protocol::State& state) {
  if (state.state != protocol::RunState::Failed || !state.error) return;
  raised_.push_back(alertOf(AlertKind::RunFailed, Severity::Error, state.error->message, {},
                            state.step, state.step));
}

void AlertDetector::handle(const protocol::Log& log) {
  const auto raise = [&](AlertKind kind) {
    raised_.push_back(alertOf(kind, Severity::Error, log.text, {}, log.step, log.step));
  };
  if (log.kind == protocol::LogKind::CheckpointFailed) raise(AlertKind::CheckpointFailed);
  if (log.kind == protocol::LogKind::WriteFailed) raise(AlertKind::WriteFailed);
}

void AlertDetector::handle(const protocol::Checkpoint& checkpoint) {
  checkpoints_[checkpoint.step] = checkpoint.path.substr(checkpoint.path.rfind('/') + 1);
}

void AlertDetector::addScalar(std::int64_t step, std::string_view tag, double value) {
  slowRank_.add(tag, value);
  if (!events::tags::isTrainLoss(tag) && !events::tags::isEvalLoss(tag)) return;
  if (!std::isfinite(value)) {
    if (!nonFiniteRaised_) raised_.push_back(nonFinite(step, tag, value, !checkpoints_.empty()));
    nonFiniteRaised_ = true;
    return;
  }
  if (tag == kTrainTotalLoss) addTrainLoss(step, value);
  if (tag == kEvalTotalLoss) addHeldOutLoss(step, value);
}

void AlertDetector::addTrainLoss(std::int64_t step, double loss) {
  train_.push_back({step, loss});
  if (train_.size() > kMostTrainLosses) train_.pop_front();
  if (medianLoss_.size() >= kMedianNeeds) {
    const double median = medianLoss_.median();
    const bool isHigh = loss > kJumpFactor * median && median > 0;
    const bool isJump = isHigh && (wasHigh_ || loss > kLargeJumpFactor * median);
    wasHigh_ = isHigh;
    if (isJump && !jumpRaised_) {
      raised_.push_back(lossJump(step, loss, median, !checkpoints_.empty()));
      jumpRaised_ = true;
    }
    if (loss < kCalmFactor * median) jumpRaised_ = false;
  }
  medianLoss_.add(loss);
}

/// Mean over the second half of the recorded steps, so that the loss's fall within them matters
/// little. NaN without steps.
double AlertDetector::recentTrainLoss() const {
  const auto begin = train_.begin() + static_cast<std::ptrdiff_t>(train_.size() / 2);
  const double sum =
      std::accumulate(begin, train_.end(), 0.0,
                      [](double total, const TrainLoss& train) { return total + train.loss; });
  return sum / static_cast<double>(train_.end() - begin);
}

void AlertDetector::addHeldOutLoss(std::int64_t step, double loss) {
  // Until then boxes and masks are not learnt, so that few objects have a loss of them.
  if (step <= advisor_.warmupEnd()) return;
  heldOut_.push_back({step, loss, recentTrainLoss()});
  train_.clear();
  const auto lowest =
      std::min_element(heldOut_.begin(), heldOut_.end(),
                       [](const HeldOut& a, const HeldOut& b) { return a.loss < b.loss; });
  const auto rising = static_cast<std::size_t>(heldOut_.end() - lowest) - 1;
  if (rising == 0) overfittingRaised_ = false;
  const HeldOut& last = heldOut_.back();
  const bool isOverfitting = rising >= kRisingEvaluations && lowest->loss > 0 &&
                             last.loss >= kRiseFactor * lowest->loss &&
                             last.trainLoss < lowest->trainLoss;
  if (!isOverfitting || overfittingRaised_) return;
  overfittingRaised_ = true;
  raised_.push_back(alertOf(AlertKind::Overfitting, Severity::Warning,
                            "Validation loss rose " + base::percent(last.loss / lowest->loss - 1) +
                                " since step " + std::to_string(lowest->step) +
                                ", its lowest, while training loss fell " +
                                base::percent(1 - last.trainLoss / lowest->trainLoss) + "." +
                                checkpointNearestTo(lowest->step),
                            {kTrainTotalLoss, kEvalTotalLoss}, lowest->step, step));
  if (!advisor_.knowsExperiment()) return;
  raised_.back().key = "solver.max_steps";
  raised_.back().value = std::to_string(lowest->step);
}

/// Named by step only: the best checkpoint is that of evaluation.best_metric, seldom of the loss.
std::string AlertDetector::checkpointNearestTo(std::int64_t step) const {
  const auto nearest = std::min_element(
      checkpoints_.begin(), checkpoints_.end(), [step](const auto& a, const auto& b) {
        return std::abs(a.first - step) < std::abs(b.first - step);
      });
  if (nearest == checkpoints_.end()) return {};
  return " The checkpoint nearest to that step is " + nearest->second + ".";
}

void AlertDetector::keepCheckpoints(const std::vector<std::int64_t>& existing) {
  std::erase_if(checkpoints_, [&](const auto& checkpoint) {
    return std::find(existing.begin(), existing.end(), checkpoint.first) == existing.end();
  });
}

void AlertDetector::forgetFrom(std::int64_t firstDroppedStep) {
  std::erase_if(heldOut_,
                [&](const HeldOut& evaluation) { return evaluation.step >= firstDroppedStep; });
  std::erase_if(train_, [&](const TrainLoss& train) { return train.step >= firstDroppedStep; });
  checkpoints_.erase(checkpoints_.lower_bound(firstDroppedStep), checkpoints_.end());
  advisor_.forgetFrom(firstDroppedStep);
  medianLoss_ = {};
  slowRank_.forget();
  nonFiniteRaised_ = overfittingRaised_ = jumpRaised_ = wasHigh_ = false;
}

}  // namespace lockstep::alerts
