#include <csignal>
#include <cstdlib>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/base/shortened_text.h"
#include "engine/base/standard_streams.h"
#include "engine/cli/commands.h"
#include "engine/cli/device_list.h"
#include "engine/cli/input_path.h"
#include "engine/cli/replay.h"
#include "engine/cli/training_plan.h"
#include "engine/cli/training_process.h"
#include "engine/cli/training_summary.h"
#include "engine/config/load.h"
#include "engine/config/lr_range_test.h"
#include "engine/supervisor/cluster_environment.h"
#include "engine/supervisor/detach.h"
#include "engine/supervisor/follower_run.h"
#include "engine/supervisor/stop_signals.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::cli {
namespace {

/// Where this node has the experiment file, with its runtime.stall_seconds and device; else only
/// node 0 detects a stall, and GPUs are taken for used where there are some.
supervisor::FollowerSetup setupOfFollower(const TrainOptions& options) {
  supervisor::FollowerSetup setup{
      supervisor::workerProgramBesideThis(), ranksOfFollower(options.ranks), {}};
  setup.onGpus = !setup.ranks.devices.empty();
  const std::filesystem::path file = isFolder(options.target)
                                         ? run_folder::Layout(options.target).config()
                                         : std::filesystem::path(options.target);
  if (!isFile(file)) return setup;
  const config::LoadedExperiment loaded = config::loadExperiment(file, options.overrides);
  const config::RuntimeConfig& runtime = loaded.experiment.runtime;
  setup.limits.stall = std::chrono::duration<double>(runtime.stallSeconds);
  if (runtime.device == config::Device::Cpu) setup.onGpus = false;
  return setup;
}

/// Runs the ranks of a node other than 0: rank 0 has experiment, dataset and run folder.
int follow(const TrainOptions& options) {
  return static_cast<int>(supervisor::runFollower(setupOfFollower(options)));
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

/// What is only for one machine without a launcher.
void refuseUnderLauncher(const TrainOptions& options) {
  const std::string& launcher = options.ranks.cluster.launcher;
  if (launcher.empty()) return;
  if (options.queue) {
    throw UserError("--queue: is only for one machine without a launcher: under " + launcher +
                    " omit it");
  }
  if (!options.devices.empty()) {
    throw UserError("--devices: is only for one machine without a launcher: under " + launcher +
                    " choose GPUs with CUDA_VISIBLE_DEVICES");
  }
}

/// A stop signal while a worker checks the weights is no failure: no run has begun.
TrainingPlan planUntilStopped(const TrainOptions& options) {
  try {
    return planTraining(options);
  } catch (const Error& error) {
    if (error.status() != ExitStatus::Killed) throw;
    throw Error(error.what(), ExitStatus::Stopped);
  }
}

int train(TrainOptions options) {
  if (!options.replay.empty()) return replayStep(options);
  std::signal(SIGPIPE, SIG_IGN);  // a training goes on when nobody reads its output
  refuseUnderLauncher(options);
  supervisor::endOnStopSignals();
  if (options.ranks.cluster.node > 0) return follow(options);
  if (options.target.empty()) throw UserError("train: give an experiment file or a run folder");
  options.detach = options.detach || options.queue;
  if (options.detach) supervisor::closeInheritedDescriptors();
  if (!options.devices.empty()) {
    const auto overrides = overridesOfDevices(options.devices, options.ranks.workers.has_value(),
                                              supervisor::findGpus());
    options.overrides.insert(options.overrides.end(), overrides.begin(), overrides.end());
  }
  const TrainingPlan plan = planUntilStopped(options);
  const std::string folder = plan.setup.layout.folder().string();
  if (!plan.finished.empty()) {
    base::logInfo("engine", folder + ": " + plan.finished);
    base::printResult(options.detach ? folder + "\n" : summariseTraining(plan.setup.layout));
    return static_cast<int>(ExitStatus::Done);
  }
  if (options.detach) return trainDetached(plan).status;
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
  command
      .option("--devices", options->devices,
              "Devices to train on: cpu, or GPUs by index or UUID, separated by commas; one rank "
              "for each GPU (default: runtime.device and runtime.devices)")
      .metavar("LIST");
  command.flag("--detach", options->detach, "Run in the background; prints the run folder");
  command.flag("--queue", options->queue,
               "Run in the background once no other run of yours uses its devices; prints the run "
               "folder");
  command.run([options] {
    options->ranks.cluster =
        supervisor::detectCluster([](const char* name) { return std::getenv(name); });
    options->checkpointPatience = checkpointPatience(std::getenv("LOCKSTEP_CHECKPOINT_PATIENCE"));
    return train(*options);
  });
}

}  // namespace lockstep::cli
