#include "engine/train/early_stop.h"

#include "engine/base/number_text.h"

namespace lockstep::train {

void countForEarlyStop(const config::EarlyStopConfig& config, const eval::Evaluation& evaluation,
                       std::optional<run_folder::EarlyStopState>& state) {
  if (config.metric.empty()) return;
  const std::optional<double> value = eval::metricValue(evaluation, config.metric);
  if (!value) return;
  const bool isFirst = !state || state->metric != config.metric;
  if (isFirst || eval::isBetter(config.metric, *value, state->value, config.minDelta)) {
    state = {config.metric, *value, evaluation.step, 0};
  } else {
    ++state->waited;
  }
}

std::string earlyStopReason(const config::EarlyStopConfig& config,
                            const run_folder::EarlyStopState& state) {
  const std::string margin =
      config.minDelta > 0 ? " by more than " + base::shortNumber(config.minDelta) : "";
  return config.metric + " has not improved" + margin + " in " + std::to_string(state.waited) +
         " evaluations since " + base::shortNumber(state.value) + " at step " +
         std::to_string(state.step);
}

}  // namespace lockstep::train
