#include "engine/train/early_stop.h"

#include "engine/base/number_text.h"

namespace lockstep::train {

void countForEarlyStop(const config::EvaluationConfig& config, const eval::Evaluation& evaluation,
                       std::optional<run_folder::EarlyStopState>& state) {
  const std::string& metric = config.stopMetric();
  if (metric.empty()) return;
  const std::optional<double> value = eval::metricValue(evaluation, metric);
  if (!value) return;
  const bool isFirst = !state || state->metric != metric;
  if (isFirst || eval::isBetter(metric, *value, state->value, config.earlyStop.minDelta)) {
    state = {metric, *value, evaluation.step, 0};
  } else {
    ++state->waited;
  }
  state->latest = value;
}

std::string earlyStopReason(const config::EvaluationConfig& config,
                            const run_folder::TrainingState& state) {
  const config::EarlyStopConfig& stop = config.earlyStop;
  const run_folder::EarlyStopState& counted = *state.earlyStop;
  if (state.hasReachedTarget(config)) {
    return counted.metric + " has reached " + base::shortNumber(*counted.latest) +
           ", evaluation.early_stop.target is " + base::shortNumber(*stop.target);
  }
  const std::string margin =
      stop.minDelta > 0 ? " by more than " + base::shortNumber(stop.minDelta) : "";
  return stop.metric + " has not improved" + margin + " in " +
         base::counted(static_cast<std::uint64_t>(counted.waited), "evaluation") + " since " +
         base::shortNumber(counted.value) + " at step " + std::to_string(counted.step);
}

}  // namespace lockstep::train
