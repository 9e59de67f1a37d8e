#pragma once

#include <QString>
#include <cstdint>
#include <optional>

#include "engine/run_folder/run_folder.h"

namespace lockstep::app {

/// Which evaluations a run makes and of what, and other sizes, as its config.yaml says.
struct EvaluationPlan {
  bool hasHeldOut = true;                 ///< dataset.val is set
  std::optional<std::int64_t> apEvery{};  ///< evaluation.ap_every in steps; 0: never
  int maxImages = 0;                      ///< validation images that are evaluated; 0: all
  std::size_t mostDetections = 0;         ///< of a class and image that AP counts; 0: unknown
  bool hasMasks = true;                   ///< model.masks; false: a detector of boxes
  int imagesPerStep = 0;                  ///< solver.batch_size; 0: unknown
  bool operator==(const EvaluationPlan&) const = default;
};

/// Throws Error if the run's config.yaml is missing or invalid.
EvaluationPlan readEvaluationPlan(const run_folder::Layout& layout);

/// What the metrics of an evaluation are of: the images, the step and the limit.
QString apScopeText(const EvaluationPlan& plan, qint64 step);
QString heldOutLossScopeText(const EvaluationPlan& plan, qint64 step);

/// Why a run has no AP so far, or the step of its first one.
QString noApText(const EvaluationPlan& plan, const run_folder::RunInfo& info);

}  // namespace lockstep::app
