#pragma once

#include <cstdint>
#include <vector>

#include "app/runs/open/run_controller.h"

namespace lockstep::tests {

/// The steps at which a run has a training loss.
inline std::vector<std::int64_t> lossSteps(const app::RunController& run) {
  std::vector<std::int64_t> steps;
  const auto* series = run.history().metrics().series("train/loss_total");
  for (std::size_t i = 0; series && i < series->size(); ++i) steps.push_back(series->step(i));
  return steps;
}

inline std::size_t lossCount(const app::RunController& run) { return lossSteps(run).size(); }

}  // namespace lockstep::tests
