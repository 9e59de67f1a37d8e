#include "engine/cli/training_process.h"

#include <cstdio>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/cli/input_path.h"
#include "engine/cli/training_summary.h"
#include "engine/supervisor/run_log.h"

namespace lockstep::cli {
namespace {

/// Records in run.json alone a failure that the run could not record itself.
void markAsFailed(const run_folder::Layout& layout, const std::string& reason) {
  run_folder::RunInfo info = run_folder::readRunInfo(layout);
  if (info.state == protocol::RunState::Failed) return;
  info.state = protocol::RunState::Failed;
  info.queuePosition.reset();
  info.error.emplace().message = reason;
  info.error->host = info.host;
  info.error->step = info.step;
  info.error->cause = protocol::FailureCause::Supervisor;
  run_folder::writeRunInfo(layout, info);
}

/// What standard output gets of a run that has ended.
std::string summaryOf(const supervisor::TrainingSetup& setup, ExitStatus status) {
  if (!setup.info.isRangeTest) return summariseTraining(setup.layout);
  return status == ExitStatus::Done ? summariseRangeTest(setup.layout) : "";
}

}  // namespace

int runTraining(const TrainingPlan& plan, const std::function<void()>& onListening) {
  try {
    const ExitStatus status = supervisor::TrainingRun(plan.setup).run(onListening);
    std::fputs(summaryOf(plan.setup, status).c_str(), stdout);
    std::fflush(stdout);
    return static_cast<int>(status);
  } catch (const std::exception& error) {
    if (!pathExists(plan.setup.layout.runJson())) throw;  // there is no run folder to record it in
    supervisor::RunLog(plan.setup.layout.engineLog()).writeToFile(error.what());
    try {
      markAsFailed(plan.setup.layout, error.what());
    } catch (const Error& another) {
      base::logWarning("engine", another.what());
    }
    throw;
  }
}

supervisor::Detached trainDetached(const TrainingPlan& plan) {
  const run_folder::Layout& layout = plan.setup.layout;
  const auto detached = supervisor::runDetached(
      layout.engineLog(),
      [&](const std::function<void()>& onListening) { return runTraining(plan, onListening); });
  if (detached.isParent) {
    std::printf("%s\n", layout.folder().c_str());
    std::fflush(stdout);
  }
  return detached;
}

}  // namespace lockstep::cli
