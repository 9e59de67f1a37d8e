#pragma once

#include <QString>
#include <cstdint>
#include <optional>

#include "engine/run_folder/run_folder.h"

namespace lockstep::app {

/// Evaluations of a run, and other sizes, as its config.yaml says.
struct EvaluationPlan {
  bool hasHeldOut = true;                 ///< dataset.val is set
  std::optional<std::int64_t> apEvery{};  ///< evaluation.ap_every in steps; 0: never
  int maxImages = 0;                      ///< validation images that are evaluated; 0: all
  std::size_t mostDetections = 0;         ///< limit of AP per class and image; 0: unknown
  bool hasMasks = true;                   ///< model.masks; false: a detector of boxes
  int imagesPerStep = 0;                  ///< solver.batch_size; 0: unknown
  bool operator==(const EvaluationPlan&) const = default;
};

/// Throws Error if the run's config.yaml is missing or invalid.
EvaluationPlan readEvaluationPlan(const run_folder::Layout& layout);

/// Explanation of the figures of an evaluation: its step, its images and the limit of AP.
QString apScopeText(const EvaluationPlan& plan, qint64 step);
QString heldOutLossScopeText(const EvaluationPlan& plan, qint64 step);

/// Reason for a missing AP, or the step of the first one.
QString noApText(const EvaluationPlan& plan, const run_folder::RunInfo& info);

}  // namespace lockstep::app
