#include "engine/cli/training_process.h"

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/base/open_folder.h"
#include "engine/base/standard_streams.h"
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
  const base::OpenFolder folder(plan.setup.layout.folder());
  try {
    const ExitStatus status = supervisor::TrainingRun(plan.setup).run(onListening);
    // The command at the run's end may have moved the folder.
    if (folder.isInPlace()) base::printResult(summaryOf(plan.setup, status));
    return static_cast<int>(status);
  } catch (const std::exception& error) {
    if (!folder.isInPlace()) throw;  // there is no run folder to record it in
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
  if (detached.isParent) base::printResult(layout.folder().string() + "\n");
  return detached;
}

}  // namespace lockstep::cli
