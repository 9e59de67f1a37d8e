#include "engine/supervisor/training_progress.h"

#include <cmath>
#include <cstdio>

#include "engine/base/number_text.h"
#include "engine/config/losses.h"
#include "engine/events/tags.h"

namespace lockstep::supervisor {
namespace {

namespace tags = events::tags;
using base::shortNumber;

constexpr double kMeanSteps = 20;

std::optional<double> valueOf(const protocol::Scalars& scalars, const std::string& wanted) {
  for (const auto& [name, value] : scalars.values) {
    if (name == wanted) return value;
  }
  return std::nullopt;
}

/// ` loss_classifier=0.1 loss_box_reg=0.2`: what the heads contribute to the total.
std::string headLosses(const protocol::Scalars& scalars, std::string (&tagOf)(std::string_view)) {
  std::string text;
  for (const config::LossFacts& loss : config::kLosses)
    if (const auto value = valueOf(scalars, tagOf(loss.name)))
      text += " " + std::string(loss.name) + "=" + shortNumber(*value);
  return text;
}

}  // namespace

std::string durationText(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::max(seconds, 0.0)));
  const long long minutes = whole / 60, hours = whole / 3600, days = whole / 86400;
  char text[48];
  if (days > 0) {
    std::snprintf(text, sizeof text, "%lld d %lld h", days, hours % 24);
  } else if (hours > 0) {
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", hours, minutes % 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%lld:%02lld", minutes, whole % 60);
  }
  return text;
}

void TrainingProgress::add(const protocol::Scalars& scalars) {
  const auto loss = valueOf(scalars, tags::kTrainTotalLoss);
  if (!loss) return;
  step_ = scalars.step;
  lossTotal_ = *loss;
  headLosses_ = headLosses(scalars, tags::train);
  learningRate_ = valueOf(scalars, tags::kLearningRate).value_or(learningRate_);
  const double seconds = valueOf(scalars, tags::kStepSeconds).value_or(0);
  const double images = valueOf(scalars, tags::kImagesPerSecond).value_or(0) * seconds;
  if (!std::isfinite(seconds) || !std::isfinite(images)) return;
  const double share = hasStep_ ? 1 / kMeanSteps : 1;
  stepSeconds_ += share * (seconds - stepSeconds_);
  images_ += share * (images - images_);
  hasStep_ = true;
}

double TrainingProgress::imagesPerSecond() const {
  return stepSeconds_ > 0 ? images_ / stepSeconds_ : 0;
}

double TrainingProgress::etaSeconds() const {
  return stepSeconds_ > 0 ? stepSeconds_ * static_cast<double>(maxSteps_ - step_) : -1;
}

std::optional<std::string> TrainingProgress::dueLine() const {
  const bool endsInterval = logEvery_ > 0 && step_ % logEvery_ == 0;
  if (!hasStep_ || (!endsInterval && step_ != maxSteps_)) return std::nullopt;
  return "step=" + std::to_string(step_) + " max_steps=" + std::to_string(maxSteps_) +
         " loss_total=" + shortNumber(lossTotal_) + " lr=" + shortNumber(learningRate_) +
         " images_per_second=" + shortNumber(imagesPerSecond()) +
         " eta_seconds=" + shortNumber(std::round(std::max(etaSeconds(), 0.0))) + headLosses_;
}

std::string TrainingProgress::statusText() const {
  char rate[32];
  std::snprintf(rate, sizeof rate, "%.1f", imagesPerSecond());
  return "step " + std::to_string(step_) + "/" + std::to_string(maxSteps_) + "  loss " +
         shortNumber(lossTotal_) + "  lr " + shortNumber(learningRate_) + "  " + rate +
         " images/s  " + (etaSeconds() < 0 ? "" : durationText(etaSeconds()) + " left");
}

std::string evaluationLine(const protocol::Scalars& scalars) {
  const auto loss = valueOf(scalars, tags::kEvalTotalLoss);
  const auto segm = valueOf(scalars, tags::kMaskAp), bbox = valueOf(scalars, tags::kBoxAp);
  if (!loss && !segm && !bbox) return {};
  std::string line = "evaluation step=" + std::to_string(scalars.step);
  if (loss) line += " loss_total=" + shortNumber(*loss);
  if (segm) line += " segm/AP=" + shortNumber(*segm);
  if (bbox) line += " bbox/AP=" + shortNumber(*bbox);
  return line + headLosses(scalars, tags::eval);
}

}  // namespace lockstep::supervisor
