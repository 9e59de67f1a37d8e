#pragma once

#include "engine/eval/evaluation.h"
#include "engine/run_folder/training_state.h"

namespace lockstep::train {

/// Counts an evaluation for evaluation.early_stop: a metric that improves by more than min_delta
/// resets the count of evaluations without improvement. An evaluation without the metric does not
/// count. A run that resumes with another metric starts counting again.
void countForEarlyStop(const config::EvaluationConfig& config, const eval::Evaluation& evaluation,
                       std::optional<run_folder::EarlyStopState>& state);

/// `segm/AP has not improved by more than 0.01 in 5 evaluations since 0.512 at step 300`, or
/// `segm/AP has reached 0.512, evaluation.early_stop.target is 0.5`. state.stopsEarly() holds.
std::string earlyStopReason(const config::EvaluationConfig& config,
                            const run_folder::TrainingState& state);

}  // namespace lockstep::train
