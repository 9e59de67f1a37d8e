#include "app/runs/list/run_pace.h"

namespace lockstep::app {
namespace {

bool isWorking(const run_folder::RunInfo& info) {
  return info.state == protocol::RunState::Running || info.state == protocol::RunState::Evaluating;
}

}  // namespace

void RunPace::update(const run_folder::RunInfo& before, const run_folder::RunInfo& now) {
  const bool isContinued = isWorking(before) && before.attempt == now.attempt;
  if (!isContinued) {
    first_.reset();
  } else if (!first_) {
    first_ = {before.step, before.updated};
  }
}

std::optional<double> RunPace::secondsLeft(const run_folder::RunSummary& run) const {
  const run_folder::RunInfo& info = run.info;
  if (!first_ || !run.alive || !isWorking(info)) return std::nullopt;
  const auto steps = static_cast<double>(info.step - first_->step);
  const double seconds = info.updated - first_->time;
  if (steps <= 0 || seconds <= 0) return std::nullopt;
  return static_cast<double>(info.maxSteps - info.step) * seconds / steps;
}

}  // namespace lockstep::app
