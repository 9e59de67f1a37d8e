#include "engine/events/alerts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/base/number_text.h"

namespace lockstep::events {
namespace {

constexpr std::size_t kMedianWindow = 51;
constexpr std::size_t kMedianNeeds = 20;  ///< steps before a jump can be told
constexpr double kJumpFactor = 5, kCalmFactor = 2;
constexpr std::size_t kRisingEvaluations = 2;
constexpr double kRiseFactor = 1.02;

constexpr std::string_view kTrainLoss = "train/loss_total";
constexpr std::string_view kHeldOutLoss = "eval/loss_total";

bool isLoss(std::string_view tag) {
  return tag.starts_with("train/loss_") || tag.starts_with("eval/loss_");
}

std::string shortNumber(double value) { return base::shortNumber(value, 3); }

std::string percent(double fraction) {
  const double value = 100 * fraction;
  char text[32];
  std::snprintf(text, sizeof text, value < 9.95 ? "%.2g" : "%.0f", value);
  return std::string(text) + " %";
}

Alert nonFinite(std::int64_t step, std::string_view tag, double value) {
  const std::string what = std::isnan(value) ? "NaN" : "infinite";
  return {"non_finite", step,
          std::string(tag) + " is " + what + " at step " + std::to_string(step) +
              ". Begin again from the checkpoint before it (train RUN --from STEP) with a lower "
              "solver.base_lr, a longer solver.warmup_steps or solver.clip_grad_norm."};
}

Alert lossJump(std::int64_t step, double loss, double usual) {
  return {"loss_jump", step,
          "Training loss jumped to " + shortNumber(loss) + " at step " + std::to_string(step) +
              ", " + shortNumber(loss / usual) + " times its usual " + shortNumber(usual) +
              ". If it stays there, begin again from the checkpoint before it (train RUN --from "
              "STEP) with a lower solver.base_lr or with solver.clip_grad_norm."};
}

/// Text member of an event; empty when it is not there.
std::string textOf(const nlohmann::json& event, const char* name) {
  const auto found = event.find(name);
  return found != event.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

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

std::vector<Alert> AlertDetector::add(const Record& record) {
  std::vector<Alert> alerts;
  for (const auto& [tag, value] : record.scalars) addScalar(record.step, tag, value, alerts);
  endOfScalars(record.step, alerts);
  if (record.kind == Record::Kind::Event) addEvent(record.step, record.json, alerts);
  if (record.kind == Record::Kind::SessionStart) goBackTo(record.step);
  return alerts;
}

std::vector<Alert> AlertDetector::add(const RecordView& record,
                                      const std::vector<std::string>& tags) {
  std::vector<Alert> alerts;
  for (const ScalarView& scalar : record.scalars) {
    addScalar(record.step, tags[scalar.tag], scalar.value, alerts);
  }
  endOfScalars(record.step, alerts);
  if (record.kind == Record::Kind::Event) addEvent(record.step, record.json, alerts);
  if (record.kind == Record::Kind::SessionStart) goBackTo(record.step);
  return alerts;
}

void AlertDetector::addScalar(std::int64_t step, std::string_view tag, double value,
                              std::vector<Alert>& alerts) {
  if (tag.starts_with(SlowRank::kTagPrefix)) slowRank_.add(tag, value);
  if (!isLoss(tag)) return;
  if (!std::isfinite(value)) {
    if (!nonFiniteRaised_) alerts.push_back(nonFinite(step, tag, value));
    nonFiniteRaised_ = true;
    return;
  }
  if (tag == kTrainLoss) addTrainLoss(step, value, alerts);
  if (tag == kHeldOutLoss) addHeldOutLoss(step, value, alerts);
}

void AlertDetector::endOfScalars(std::int64_t step, std::vector<Alert>& alerts) {
  if (auto text = slowRank_.endOfRecord()) alerts.push_back({"slow_rank", step, *std::move(text)});
}

void AlertDetector::addTrainLoss(std::int64_t step, double loss, std::vector<Alert>& alerts) {
  train_.push_back({step, loss});
  if (usualLoss_.size() >= kMedianNeeds) {
    const double usual = usualLoss_.median();
    if (loss > kJumpFactor * usual && usual > 0 && !jumpRaised_) {
      alerts.push_back(lossJump(step, loss, usual));
      jumpRaised_ = true;
    }
    if (loss < kCalmFactor * usual) jumpRaised_ = false;
  }
  usualLoss_.add(loss);
}

/// Of the second half of the steps since the last evaluation, so that the fall within them counts
/// little. NaN without steps.
double AlertDetector::recentTrainLoss() const {
  const auto begin = train_.begin() + static_cast<std::ptrdiff_t>(train_.size() / 2);
  const double sum =
      std::accumulate(begin, train_.end(), 0.0,
                      [](double total, const TrainLoss& train) { return total + train.loss; });
  return sum / static_cast<double>(train_.end() - begin);
}

void AlertDetector::addHeldOutLoss(std::int64_t step, double loss, std::vector<Alert>& alerts) {
  heldOut_.push_back({step, loss, recentTrainLoss()});
  train_.clear();
  const auto lowest =
      std::min_element(heldOut_.begin(), heldOut_.end(),
                       [](const HeldOut& a, const HeldOut& b) { return a.loss < b.loss; });
  const auto rising = static_cast<std::size_t>(heldOut_.end() - lowest) - 1;
  if (rising == 0) overfittingRaised_ = false;
  const HeldOut& last = heldOut_.back();
  const bool isOverfitting = rising >= kRisingEvaluations &&
                             last.loss >= kRiseFactor * lowest->loss &&
                             last.trainLoss < lowest->trainLoss;
  if (!isOverfitting || overfittingRaised_) return;
  overfittingRaised_ = true;
  alerts.push_back({"overfitting", step,
                    "Held-out loss rose " + percent(last.loss / lowest->loss - 1) + " over " +
                        std::to_string(rising) + " evaluations while training loss fell " +
                        percent(1 - last.trainLoss / lowest->trainLoss) + ". " +
                        whereTheBestIs(lowest->step)});
}

std::string AlertDetector::whereTheBestIs(std::int64_t lowestStep) const {
  if (!bestCheckpoint_.empty()) return "The best checkpoint is " + bestCheckpoint_ + ".";
  return "It was lowest at step " + std::to_string(lowestStep) + ".";
}

void AlertDetector::addEvent(std::int64_t step, std::string_view json, std::vector<Alert>& alerts) {
  const auto mentions = [json](const char* word) {
    return json.find(word) != std::string_view::npos;
  };
  if (!mentions("checkpoint") && !mentions("write_failed")) return;
  const nlohmann::json event = nlohmann::json::parse(json, nullptr, false);
  if (!event.is_object()) return;
  const std::string type = textOf(event, "type");
  const std::string kind = textOf(event, "kind");
  if (type == "log" && (kind == "checkpoint_failed" || kind == "write_failed")) {
    alerts.push_back({kind, step, textOf(event, "text")});
  }
  if (type == "checkpoint" && event.value("best", nlohmann::json()) == true) {
    const std::string path = textOf(event, "path");
    bestCheckpoint_ = path.substr(path.rfind('/') + 1);
    bestStep_ = step;
  }
}

/// What lies at `step` and after never was.
void AlertDetector::goBackTo(std::int64_t step) {
  std::erase_if(heldOut_, [&](const HeldOut& evaluation) { return evaluation.step >= step; });
  std::erase_if(train_, [&](const TrainLoss& train) { return train.step >= step; });
  if (bestStep_ >= step) bestCheckpoint_.clear();
  usualLoss_ = {};
  slowRank_.forget();
  nonFiniteRaised_ = overfittingRaised_ = jumpRaised_ = false;
}

}  // namespace lockstep::events
