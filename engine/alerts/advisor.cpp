#include "engine/alerts/advisor.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/config/load.h"
#include "engine/events/tags.h"

namespace lockstep::alerts {
namespace {

/// Those first after which the rest says nothing of the cause.
constexpr Rule kRules[] = {&learningRateTooHigh, &explodingPart,      &deadPart,
                           &gradientImbalance,   &learningRateTooLow, &shortWarmup,
                           &weightNormJump,      &constantClipping,   &dataStarved,
                           &anchorMismatch,      &classNotFound,      &plateau};

/// Whether the rules read the tag: all but the many figures of machines and of single objects.
bool isRead(std::string_view tag) {
  namespace tags = events::tags;
  constexpr std::array kPrefixes{"train/",       "solver/", "grad_norm/part/",
                                 "weight_norm/", "rpn/",    "update_ratio/"};
  return std::ranges::any_of(kPrefixes,
                             [tag](const char* prefix) { return tag.starts_with(prefix); }) ||
         tag == tags::kDataSeconds || tag == tags::kStepSeconds || tag.starts_with(tags::kMaskAp) ||
         tag.starts_with(tags::kBoxAp);
}

/// Whether the experiment can be given this value: not if the key or value is not built yet.
bool isSettable(const std::string& experiment, const std::string& key, const std::string& value) {
  return !key.empty() &&
         !config::loadExperimentText(experiment, {}, {key + "=" + value}).hasErrors();
}

protocol::Alert adviceOf(Finding finding, const std::string& experiment) {
  protocol::Alert alert;
  alert.kind = finding.kind;
  alert.severity = protocol::Severity::Warning;
  alert.text = std::move(finding.problem);
  alert.tags = std::move(finding.tags);
  alert.from = finding.from;
  alert.to = finding.to;
  if (isSettable(experiment, finding.key, finding.value)) {
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

std::vector<protocol::Alert> Advisor::finish() {
  raised_.clear();
  review();
  return std::move(raised_);
}

void Advisor::handle(const protocol::Config& config) {
  if (config.experiment == experimentText_) return;
  config::LoadedExperiment loaded = config::loadExperimentText(config.experiment, {});
  if (!loaded.isComplete) return;
  experimentText_ = config.experiment;
  experiment_ = std::move(loaded.experiment);
  since_ = step_;
  brokeDownAt_.reset();
  raisedAt_.clear();
}

void Advisor::handle(const protocol::Scalars& scalars) {
  bool isTrained = false, isEvaluated = false;
  for (const auto& [tag, value] : scalars.values) {
    if (tag == events::tags::kFindLrLoss) return;
    isTrained = isTrained || tag == events::tags::kTrainTotalLoss;
    isEvaluated = isEvaluated || tag == events::tags::kMaskAp || tag == events::tags::kBoxAp;
  }
  for (const auto& [tag, value] : scalars.values)
    if (isRead(tag)) curves_.add(scalars.step, tag, value);
  if (isTrained) step_ = scalars.step;
  if (isEvaluated || (isTrained && step_ >= nextReview_)) review();
}

void Advisor::handle(const protocol::State& state) {
  using protocol::RunState;
  if (state.state == RunState::Finished || state.state == RunState::Stopped ||
      state.state == RunState::Failed)
    review();
}

void Advisor::review() {
  nextReview_ = step_ + kReviewSteps;
  const RunSoFar run = this->run();
  for (const Rule rule : kRules) {
    if (brokeDownAt_) return;
    auto finding = rule(run);
    if (!finding) continue;
    if (finding->isBreakdown) brokeDownAt_ = step_;
    const std::string id = std::string(base::textOf(finding->kind)) + " " + finding->subject;
    if (raisedAt_.emplace(id, step_).second)
      raised_.push_back(adviceOf(*std::move(finding), experimentText_));
  }
}

void Advisor::forgetFrom(std::int64_t firstDroppedStep) {
  curves_.forgetFrom(firstDroppedStep);
  step_ = std::min(step_, firstDroppedStep - 1);
  since_ = std::min(since_, step_);
  nextReview_ = std::min(nextReview_, step_ + kReviewSteps);
  if (brokeDownAt_ >= firstDroppedStep) brokeDownAt_.reset();
  std::erase_if(raisedAt_, [&](const auto& raised) { return raised.second >= firstDroppedStep; });
}

}  // namespace lockstep::alerts
