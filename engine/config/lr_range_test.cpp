#include "engine/config/lr_range_test.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/number_text.h"

namespace lockstep::config {
namespace {

constexpr double kLowestLr = 1e-6, kHighestLr = 10;

constexpr double kAverageDecay = 0.9;     ///< of the exponential average
constexpr double kDivergenceFactor = 4;   ///< times its minimum
constexpr double kSmoothingSteps = 10;    ///< standard deviation of the Gaussian: half a decade
constexpr double kRise = 1.4;             ///< of the curve from its minimum to the valley's edge
constexpr double kEdgeMargin = 2;         ///< between base_lr and that edge
constexpr double kDivergenceMargin = 8;   ///< between base_lr and the divergence
constexpr std::size_t kFewestSteps = 10;  ///< that can be judged
constexpr int kDigits = 3;                ///< printed: a step is 12 %

/// The first step that has diverged.
std::optional<std::size_t> divergenceOf(const std::vector<RangeTestStep>& steps) {
  float lowest = std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const float loss = steps[i].smoothedLoss;
    // Written so that NaN diverges.
    if (!(std::isfinite(loss) && loss <= kDivergenceFactor * lowest)) return i;
    lowest = std::min(lowest, loss);
  }
  return std::nullopt;
}

/// The steps up to the divergence that have a loss.
std::vector<RangeTestStep> judgedSteps(const std::vector<RangeTestStep>& steps,
                                       std::optional<std::size_t> divergence) {
  if (!divergence) return steps;
  const bool hasLoss = std::isfinite(steps[*divergence].smoothedLoss);
  return {steps.begin(),
          steps.begin() + static_cast<std::ptrdiff_t>(*divergence + (hasLoss ? 1 : 0))};
}

/// log(loss), smoothed over the steps on both sides.
std::vector<double> smoothedLogLosses(const std::vector<RangeTestStep>& steps) {
  std::vector<double> smoothed;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    double sum = 0, weights = 0;
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const double distance = (static_cast<double>(k) - static_cast<double>(i)) / kSmoothingSteps;
      const double weight = std::exp(-0.5 * distance * distance);
      const double loss = std::max<double>(steps[k].loss, std::numeric_limits<float>::min());
      sum += weight * std::log(loss);
      weights += weight;
    }
    smoothed.push_back(sum / weights);
  }
  return smoothed;
}

}  // namespace

LearningRateSweep rangeTestSweep(std::int64_t steps) { return {kLowestLr, kHighestLr, steps}; }

Experiment rangeTestOf(Experiment experiment) {
  experiment.dataset.val = {};
  experiment.solver.maxSteps = {static_cast<double>(kRangeTestSteps)};
  experiment.solver.schedule = Schedule::Constant;
  experiment.solver.warmupSteps = {0};
  experiment.solver.emaDecay = 0;
  experiment.evaluation.earlyStop.metric.clear();
  experiment.checkpoint.every = {0};
  experiment.monitor.tensorStatsEvery = {0};
  experiment.monitor.onEvent = {};
  return experiment;
}

void RangeTest::add(float learningRate, float loss, bool isFinite) {
  average_ = kAverageDecay * average_ + (1 - kAverageDecay) * loss;
  weight_ = kAverageDecay * weight_ + (1 - kAverageDecay);
  const auto smoothed = static_cast<float>(average_ / weight_);
  steps_.push_back(
      {learningRate, loss, isFinite ? smoothed : std::numeric_limits<float>::quiet_NaN()});
}

bool RangeTest::hasDiverged() const { return divergenceOf(steps_).has_value(); }

std::optional<LearningRateSuggestion> suggestLearningRates(
    const std::vector<RangeTestStep>& steps) {
  const std::optional<std::size_t> divergence = divergenceOf(steps);
  const std::vector<RangeTestStep> judged = judgedSteps(steps, divergence);
  if (judged.size() < kFewestSteps) return std::nullopt;
  const std::vector<double> curve = smoothedLogLosses(judged);
  const auto rateAt = [&](auto place) -> double {
    return judged[static_cast<std::size_t>(place - curve.begin())].learningRate;
  };
  const auto lowest = std::ranges::min_element(curve);
  const auto risen = std::find_if(lowest, curve.end(),
                                  [&](double loss) { return loss > *lowest + std::log(kRise); });
  const double middle = (curve.front() + *lowest) / 2;
  const auto half =
      std::find_if(curve.begin(), lowest, [&](double loss) { return loss <= middle; });

  const double baseLr = risen == curve.end() ? rateAt(lowest) : rateAt(risen) / kEdgeMargin;
  LearningRateSuggestion suggestion{baseLr, rateAt(half), std::nullopt};
  if (divergence) {
    suggestion.diverges = steps[*divergence].learningRate;
    suggestion.baseLr = std::min(suggestion.baseLr, *suggestion.diverges / kDivergenceMargin);
  }
  return suggestion;
}

std::string LearningRateSuggestion::text() const {
  return "base_lr=" + base::shortNumber(baseLr, kDigits) +
         " steepest=" + base::shortNumber(steepest, kDigits) +
         " diverges=" + (diverges ? base::shortNumber(*diverges, kDigits) : "none");
}

}  // namespace lockstep::config
