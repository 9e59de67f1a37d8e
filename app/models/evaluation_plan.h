#pragma once

#include <QString>

#include "engine/run_folder/run_folder.h"

namespace lockstep::app {

/// Which evaluations a run makes, as its config.yaml says.
struct EvaluationPlan {
  bool hasHeldOut = true;  ///< dataset.val is set
  bool hasAp = true;       ///< evaluation.ap_every is not 0
  bool operator==(const EvaluationPlan&) const = default;
};

/// Throws Error if the run's config.yaml is missing or invalid.
EvaluationPlan readEvaluationPlan(const run_folder::Layout& layout);

/// Why a run has no AP so far. `hasEnded`: it does not train now.
QString noApText(const EvaluationPlan& plan, bool hasEnded);

}  // namespace lockstep::app
