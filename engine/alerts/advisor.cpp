#include "engine/alerts/advisor.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/alerts/rule.h"
#include "engine/config/load.h"
#include "engine/events/tags.h"

namespace lockstep::alerts {
namespace {

constexpr Rule kRules[] = {&gradientImbalance,  &weightNormJump, &learningRateTooHigh,
                           &learningRateTooLow, &shortWarmup,    &plateau,
                           &anchorMismatch,     &classNotFound,  &dataStarved,
                           &constantClipping,   &deadPart,       &explodingPart};

constexpr std::int64_t kReviewSteps = 50;
constexpr double kReviewShare = 0.05;

/// Whether the rules read the tag: all but the many figures of machines and of single objects.
bool isRead(std::string_view tag) {
  namespace tags = events::tags;
  constexpr std::array kPrefixes{"train/",       "solver/", "grad_norm/part/",
                                 "weight_norm/", "rpn/",    "update_ratio/"};
  return std::ranges::any_of(kPrefixes,
                             [tag](const char* prefix) { return tag.starts_with(prefix); }) ||
         tag == tags::kDataSeconds || tag == tags::kStepSeconds || tag.starts_with(tags::kMaskAp);
}

/// Whether an experiment can set it: not if the key or value is not built yet.
bool isSettable(const std::string& key, const std::string& value) {
  return !key.empty() && !config::loadExperimentText("", {}, {key + "=" + value}).hasErrors();
}

protocol::Alert alertOf(Finding finding) {
  protocol::Alert alert;
  alert.kind = finding.kind;
  alert.severity = protocol::Severity::Warning;
  alert.text = std::move(finding.problem);
  alert.tags = std::move(finding.tags);
  alert.from = finding.from;
  alert.to = finding.to;
  if (isSettable(finding.key, finding.value)) {
    alert.key = std::move(finding.key);
    alert.value = std::move(finding.value);
  } else if (!finding.key.empty()) {
    return alert;
  }
  if (!finding.remedy.empty()) alert.text += " " + finding.remedy;
  return alert;
}

}  // namespace

std::vector<protocol::Alert> Advisor::add(const protocol::Event& event) {
  raised_.clear();
  std::visit([this](const auto& held) { handle(held); }, event);
  return std::move(raised_);
}

void Advisor::handle(const protocol::Config& config) {
  config::LoadedExperiment loaded = config::loadExperimentText(config.experiment, {});
  if (loaded.isComplete) experiment_ = std::move(loaded.experiment);
}

void Advisor::handle(const protocol::Scalars& scalars) {
  bool isTrained = false, isEvaluated = false;
  for (const auto& [tag, value] : scalars.values) {
    isTrained = isTrained || tag == events::tags::kTrainTotalLoss;
    isEvaluated = isEvaluated || tag == events::tags::kMaskAp;
    if (isRead(tag)) curves_.add(scalars.step, tag, value);
  }
  if (isTrained) step_ = scalars.step;
  if (isEvaluated || (isTrained && step_ >= nextReview_)) review();
}

void Advisor::handle(const protocol::State& state) {
  if (state.state == protocol::RunState::Finished || state.state == protocol::RunState::Stopped)
    review();
}

void Advisor::review() {
  nextReview_ =
      step_ +
      std::max(kReviewSteps, static_cast<std::int64_t>(kReviewShare * static_cast<double>(step_)));
  const RunSoFar run{curves_, experiment_, step_};
  for (const Rule rule : kRules) {
    auto finding = rule(run);
    if (!finding) continue;
    const std::string id = std::string(base::textOf(finding->kind)) + " " + finding->subject;
    if (raisedAt_.emplace(id, step_).second) raised_.push_back(alertOf(*std::move(finding)));
  }
}

void Advisor::forgetFrom(std::int64_t firstDroppedStep) {
  curves_.forgetFrom(firstDroppedStep);
  step_ = std::min(step_, firstDroppedStep - 1);
  nextReview_ = std::min(nextReview_, step_ + kReviewSteps);
  std::erase_if(raisedAt_, [&](const auto& raised) { return raised.second >= firstDroppedStep; });
}

}  // namespace lockstep::alerts
