#include <cstdio>
#include <cstdlib>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/base/shortened_text.h"
#include "engine/cli/commands.h"
#include "engine/cli/input_path.h"
#include "engine/cli/replay.h"
#include "engine/cli/training_plan.h"
#include "engine/cli/training_summary.h"
#include "engine/config/load.h"
#include "engine/config/lr_range_test.h"
#include "engine/supervisor/cluster_environment.h"
#include "engine/supervisor/detach.h"
#include "engine/supervisor/follower_run.h"
#include "engine/supervisor/run_log.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::cli {
namespace {

/// Records in run.json alone a failure that the run could not record itself.
void markAsFailed(const run_folder::Layout& layout, const std::string& reason) {
  run_folder::RunInfo info = run_folder::readRunInfo(layout);
  if (info.state == protocol::RunState::Failed) return;
  info.state = protocol::RunState::Failed;
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

/// Runs the training. Any failure is recorded in the run folder; the first error is rethrown.
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

int trainDetached(const TrainingPlan& plan) {
  const run_folder::Layout& layout = plan.setup.layout;
  const auto detached = supervisor::runDetached(
      layout.engineLog(),
      [&](const std::function<void()>& onListening) { return runTraining(plan, onListening); });
  if (detached.isParent) std::printf("%s\n", layout.folder().c_str());
  return detached.status;
}

/// runtime.stall_seconds where this node has the experiment file; else only node 0 detects a stall.
supervisor::StallLimits limitsOfFollower(const TrainOptions& options) {
  supervisor::StallLimits limits;
  const std::filesystem::path file = isFolder(options.target)
                                         ? run_folder::Layout(options.target).config()
                                         : std::filesystem::path(options.target);
  if (!isFile(file)) return limits;
  const config::LoadedExperiment loaded = config::loadExperiment(file, options.overrides);
  limits.stall = std::chrono::duration<double>(loaded.experiment.runtime.stallSeconds);
  return limits;
}

/// Runs the ranks of a node other than 0: rank 0 has experiment, dataset and run folder.
int follow(const TrainOptions& options) {
  const auto program = supervisor::workerProgramBesideThis();
  return static_cast<int>(supervisor::runFollower(
      {program, ranksOfFollower(options.ranks), limitsOfFollower(options)}));
}

/// LOCKSTEP_CHECKPOINT_PATIENCE in seconds, for launchers with a short grace period between SIGTERM
/// and SIGKILL.
double checkpointPatience(const char* variable) {
  if (variable == nullptr || *variable == '\0') return TrainOptions{}.checkpointPatience;
  char* end = nullptr;
  const double seconds = std::strtod(variable, &end);
  constexpr double kDay = 24 * 60 * 60;
  if (*end != '\0' || !(seconds >= 0 && seconds <= kDay)) {
    throw UserError(std::string("LOCKSTEP_CHECKPOINT_PATIENCE is '") + base::shortened(variable) +
                    "', which is not a number of seconds from 0 to 86400 (a day)");
  }
  return seconds;
}

int train(const TrainOptions& options) {
  if (!options.replay.empty()) return replayStep(options);
  if (options.ranks.cluster.node > 0) return follow(options);
  if (options.target.empty()) throw UserError("train: give an experiment file or a run folder");
  if (options.detach) supervisor::closeInheritedDescriptors();
  const TrainingPlan plan = planTraining(options);
  const std::string folder = plan.setup.layout.folder().string();
  if (!plan.finished.empty()) {
    base::logInfo("engine", folder + ": " + plan.finished);
    std::fputs(
        options.detach ? (folder + "\n").c_str() : summariseTraining(plan.setup.layout).c_str(),
        stdout);
    return static_cast<int>(ExitStatus::Done);
  }
  if (options.detach) return trainDetached(plan);
  base::logInfo("engine", "run folder: " + folder);
  return runTraining(plan, nullptr);
}

}  // namespace

void addTrainCommand(Command& program) {
  Command command = program.command("train", "Train an experiment, or resume a run");
  auto options = std::make_shared<TrainOptions>();
  command
      .option("target", options->target, "Experiment file, or run folder with --resume or --from")
      .metavar("CONFIG|RUN");
  command.overrides(options->overrides, "solver.max_steps=200");
  command
      .option("--output", options->output,
              "Run folder to create (default: a new one in $LOCKSTEP_RUNS or ./runs)")
      .metavar("RUN_DIR");
  command.flag(
      "--resume", options->resume,
      "Resume RUN, or the run in --output, from its latest checkpoint; with --output, start "
      "it if there is none");
  command.flag(
      "--accept-data", options->acceptData,
      "Continue although the annotations differ from those of the checkpoint (requires --resume)");
  command
      .option("--from", options->from,
              "Start a new run from a checkpoint of RUN (best, last or a step), keeping its "
              "optimizer state and curves; --set changes keys")
      .metavar("STEP");
  command.flag(
      "--find-lr", options->findLr,
      "Learning-rate range test instead of a training, in a run of its own without checkpoints: "
      "raises the learning rate exponentially until the loss diverges, in at most 140 steps, and "
      "prints a base_lr");
  static_assert(config::kRangeTestSteps == 140);
  command
      .option("--replay", options->replay,
              "Recompute the batch of a non-finite step from the replay.json of a run")
      .metavar("F");
  command
      .option("--workers", options->ranks.workers,
              "Number of ranks (processes) on this machine; not data-loading threads (default: "
              "runtime.workers, or one per GPU, or one on the CPU)")
      .metavar("N");
  command.flag("--detach", options->detach, "Run in the background; prints the run folder");
  command.run([options] {
    options->ranks.cluster =
        supervisor::detectCluster([](const char* name) { return std::getenv(name); });
    options->checkpointPatience = checkpointPatience(std::getenv("LOCKSTEP_CHECKPOINT_PATIENCE"));
    return train(*options);
  });
}

}  // namespace lockstep::cli
