#include "widgets/config_editor/learning_rate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lockstep::widgets {
namespace {

double scheduleFactor(const config::SolverConfig& solver, double done) {
  const double part = std::clamp(done / std::max(1.0, solver.maxSteps.count), 0.0, 1.0);
  if (solver.schedule == "cosine") return 0.5 * (1.0 + std::cos(std::numbers::pi * part));
  if (solver.schedule == "linear") return 1.0 - part;
  if (solver.schedule != "step") return 1.0;
  double factor = 1.0;
  for (const config::Duration& milestone : solver.milestones) {
    if (done >= milestone.count) factor *= solver.gamma;
  }
  return factor;
}

}  // namespace

double learningRateAt(const config::SolverConfig& solver, std::int64_t update) {
  const auto done = static_cast<double>(update - 1);
  double warmup = 1.0;
  if (done < solver.warmupSteps.count) {
    const double part = done / solver.warmupSteps.count;
    warmup = solver.warmupFactor * (1.0 - part) + part;
  }
  return solver.baseLr * warmup * scheduleFactor(solver, done);
}

}  // namespace lockstep::widgets
