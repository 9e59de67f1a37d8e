#include "engine/cli/training_plan.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "engine/base/atomic_file.h"
#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/host.h"
#include "engine/cli/fork.h"
#include "engine/cli/input_path.h"
#include "engine/cli/output_path.h"
#include "engine/cli/training_experiment.h"
#include "engine/config/load.h"
#include "engine/run_folder/rescued_checkpoint.h"
#include "engine/run_folder/run_experiment.h"
#include "engine/supervisor/machine.h"
#include "engine/supervisor/stop_signals.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

void refuseImpossible(const TrainOptions& options) {
  checkWorkers(options.ranks);
  if (!isThere(options.target)) {
    throw base::mendable(options.target + ": no such configuration or run folder");
  }
  const bool forks = !options.from.empty();
  if (forks && options.resume)
    throw base::mendable("--from begins a new run, --resume goes on with one: say one of them");
  if (options.acceptData && !options.resume)
    throw base::mendable("--accept-data: is for a run that goes on; say --resume with it");
  if (!isFolder(options.target)) {
    if (!forks) return;
    throw base::mendable("--from " + options.from + ": is a step of a run; " + options.target +
                         " is an experiment file");
  }
  if (!run_folder::isRunFolder(options.target)) {
    throw base::mendable(run_folder::noRunText(options.target));
  }
  if (forks) return;
  if (!options.output.empty()) {
    throw base::mendable("--output " + options.output +
                         ": a run goes on in its own folder; leave --output out");
  }
  if (!options.resume) {
    throw base::mendable(options.target +
                         ": is a run: say --resume to go on with it, or --from STEP to "
                         "begin another from its checkpoint");
  }
}

/// Keys that a run may change when it goes on.
bool mayChange(const std::string& key) {
  constexpr std::array kPrefixes = {"evaluation.", "checkpoint.", "monitor.", "runtime."};
  return key == "solver.max_steps" || key == "dataset.bad_images" ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](const char* prefix) { return key.starts_with(prefix); });
}

bool hasCheckpoint(const fs::path& folder) {
  return !run_folder::checkpointFolders(run_folder::Layout(folder)).empty() ||
         run_folder::findRescuedCheckpoint(run_folder::Layout(realPath(folder)));
}

/// Whether everything in the folder may be a run's. A mounted volume brings a lost+found.
bool holdsOnlyARun(const fs::path& folder) {
  return std::ranges::all_of(entriesOf(folder), [](const fs::path& entry) {
    const std::string name = entry.filename().string();
    return name.starts_with(".") || name == "lost+found" || run_folder::belongsToRun(name);
  });
}

void refuseTakenOutput(const TrainOptions& options) {
  if (options.output.empty()) return;
  refuseNamesOfRuns(options.output, "--output " + options.output + ": cannot be made");
  if (options.resume || !isThere(options.output)) return;
  throw base::mendable("--output " + options.output + ": exists already; " +
                       (options.from.empty() ? "say --resume to go on with it, or name another "
                                               "folder"
                                             : "name another folder"));
}

/// The folder this run goes on in; nothing when a new one is to be made.
std::optional<fs::path> existingFolder(const TrainOptions& options) {
  if (isFolder(options.target)) return options.target;
  if (options.output.empty() || !options.resume || !isThere(options.output)) return std::nullopt;
  if (!isFolder(options.output)) throw base::mendable("--output " + options.output + ": is a file");
  if (!run_folder::isRunFolder(options.output) && !holdsOnlyARun(options.output)) {
    throw base::mendable("--output " + options.output + ": holds other files and is no run folder");
  }
  return options.output;
}

run_folder::RunLock lockRun(const run_folder::Layout& layout) {
  auto lock = run_folder::RunLock::tryAcquire(layout);
  if (lock) return std::move(*lock);
  std::string owner = "another process";
  try {
    const auto info = run_folder::readRunInfo(layout);
    if (info.pid > 0) owner = "process " + std::to_string(info.pid);
  } catch (const Error&) {
    // It has not written its run.json yet; the lock is its own all the same.
  }
  throw base::mendable(layout.folder().string() + ": " + owner + " is running this run already");
}

/// Throws with a list of the keys that a run in progress may not change.
void refuseChanges(const run_folder::Layout& layout, const config::Experiment& experiment) {
  if (!isThere(layout.config())) return;
  const config::Experiment saved = run_folder::readRunExperiment(layout);
  std::string list;
  for (const config::ConfigDifference& change : config::difference(saved, experiment)) {
    if (!mayChange(change.key))
      list += "\n  " + change.key + ": " + change.left + " -> " + change.right;
  }
  if (list.empty()) return;
  throw base::mendable(layout.folder().string() +
                       ": cannot go on with other values (only solver.max_steps, "
                       "dataset.bad_images, evaluation, checkpoint, monitor and "
                       "runtime may change); train into another folder or take these back:" +
                       list);
}

run_folder::RunInfo makeInfo(const run_folder::Layout& layout, const TrainingExperiment& training) {
  const config::Experiment& experiment = training.experiment;
  run_folder::RunInfo info;
  info.ranks = training.ranks.worldSize();
  info.name = experiment.name;
  info.created = base::wallTimeSeconds();
  info.pid = ::getpid();
  info.host = base::hostName();
  info.socket = run_folder::socketPath(layout.folder().string()).string();
  info.maxSteps = experiment.solver.maxSteps.steps();
  info.stepsPerEpoch = training.stepsPerEpoch;
  return info;
}

void writeFolder(const supervisor::TrainingSetup& setup) {
  base::writeFileAtomically(setup.layout.config(), config::writeExperiment(setup.experiment));
  run_folder::writeRunInfo(setup.layout, setup.info);
}

TrainingPlan planNew(const TrainOptions& options, TrainingExperiment training,
                     const fs::path& workerProgram) {
  supervisor::holdStopSignals();  // the folder is made whole, and the run obeys them
  const run_folder::Layout made =
      options.output.empty()
          ? run_folder::createRunFolder(run_folder::runsFolder(), training.experiment.name)
          : run_folder::createRunFolderAt(options.output);
  try {
    const run_folder::Layout layout(realPath(made.folder()));
    auto lock = lockRun(layout);
    auto info = makeInfo(layout, training);
    TrainingPlan plan{{layout,
                       std::move(training.experiment),
                       std::move(info),
                       std::nullopt,
                       {},
                       workerProgram,
                       std::move(training.ranks)},
                      std::move(lock)};
    writeFolder(plan.setup);
    return plan;
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(made.folder(), ignored);  // nothing half-made stays
    throw;
  }
}

void refuseFewerSteps(const run_folder::Layout& layout, std::int64_t step, std::int64_t maxSteps) {
  if (maxSteps >= step) return;
  throw base::mendable(layout.folder().string() + ": its checkpoint is of step " +
                       std::to_string(step) + ": solver.max_steps cannot be less, and is " +
                       std::to_string(maxSteps));
}

/// Why a finished run has nothing left to do; empty when it has.
std::string nothingLeft(const run_folder::Layout& layout, std::int64_t step,
                        const config::Experiment& experiment) {
  if (step >= experiment.solver.maxSteps.steps())
    return "has reached its last step; raise solver.max_steps to go on";
  const bool stopsEarly = step > 0 && run_folder::readTrainingState(layout.checkpoint(step))
                                          .stopsEarly(experiment.evaluation.earlyStop);
  return stopsEarly ? "has stopped early; raise evaluation.early_stop.patience to go on" : "";
}

/// What other data there are than those of the checkpoint; empty: none, or it does not know them.
/// Throws unless they are accepted.
std::string acceptedData(const fs::path& checkpoint, const run_folder::DataFingerprints& data,
                         bool isAccepted) {
  const auto before = run_folder::readTrainingState(checkpoint).data;
  const std::string difference = before ? run_folder::dataDifference(*before, data) : "";
  if (difference.empty()) return {};
  const std::string text = "the data are not those of " + checkpoint.string() + ": " + difference;
  if (isAccepted) return text + " (accepted)";
  throw base::mendable(text +
                       "; put the annotations back that it was trained with, or say --accept-data "
                       "to go on with these");
}

/// The last checkpoint, where the folder did not take it.
void fetchRescued(const run_folder::Layout& layout, std::vector<std::string>& remarks) {
  const auto rescued = run_folder::findRescuedCheckpoint(layout);
  if (!rescued) return;
  run_folder::fetchRescuedCheckpoint(layout, *rescued);
  remarks.push_back("the checkpoint of step " + std::to_string(rescued->step) +
                    " was fetched from " + rescued->folder.string());
}

/// What is known of the run before this attempt; nothing of one that has none.
std::optional<run_folder::RunInfo> infoBefore(const run_folder::Layout& layout,
                                              std::vector<std::string>& remarks) {
  try {
    return run_folder::readRunInfo(layout);
  } catch (const Error& error) {
    auto rebuilt = run_folder::rebuildRunInfo(layout);
    if (rebuilt) {
      remarks.push_back(std::string(error.what()) +
                        "; run.json is made anew from the event log: attempt " +
                        std::to_string(rebuilt->attempt + 1) + ", begun " +
                        base::timestampIso8601(rebuilt->created));
    }
    return rebuilt;
  }
}

TrainingPlan planResumed(const TrainOptions& options, const fs::path& folder,
                         TrainingExperiment training, const fs::path& workerProgram) {
  supervisor::holdStopSignals();
  const run_folder::Layout layout(realPath(run_folder::prepareRunFolder(folder).folder()));
  auto lock = lockRun(layout);
  refuseChanges(layout, training.experiment);
  auto info = makeInfo(layout, training);
  std::vector<std::string> remarks;
  fetchRescued(layout, remarks);
  run_folder::ResumePoint point = run_folder::findResumePoint(layout);
  refuseFewerSteps(layout, point.step, info.maxSteps);
  if (point.step > 0) {
    auto other = acceptedData(layout.checkpoint(point.step), training.data, options.acceptData);
    point.isOtherData = !other.empty();
    if (point.isOtherData) remarks.push_back(std::move(other));
  }
  std::string finished;
  std::optional<protocol::RunError> silentEnd;
  if (const auto before = infoBefore(layout, remarks)) {
    silentEnd = run_folder::silentEnd(*before);
    if (before->created > 0) info.created = before->created;
    info.started = before->started;
    info.attempt = before->attempt + 1;
    if (before->state == protocol::RunState::Finished && point.damaged.empty())
      finished = nothingLeft(layout, point.step, training.experiment);
  }
  info.step = point.step;
  TrainingPlan plan{{layout, std::move(training.experiment), std::move(info), point,
                     std::move(remarks), workerProgram, std::move(training.ranks)},
                    std::move(lock),
                    std::move(finished)};
  plan.setup.unexpectedExit = std::move(silentEnd);
  if (plan.finished.empty()) writeFolder(plan.setup);
  return plan;
}

/// The step that --from stands for.
std::int64_t forkStep(const run_folder::Layout& run, const std::string& from) {
  const fs::path folder = run_folder::resolveWeights(run, from).parent_path();
  for (const std::int64_t step : run_folder::checkpointSteps(run)) {
    if (run.checkpoint(step) == folder) return step;
  }
  throw base::mendable("--from " + from + ": is no step of " + run.folder().string());
}

std::string changesBetween(const config::Experiment& before, const config::Experiment& after) {
  std::string list;
  for (const config::ConfigDifference& change : config::difference(before, after)) {
    list += (list.empty() ? "" : ", ") + change.key + ": " + change.left + " -> " + change.right;
  }
  return list.empty() ? "nothing changed" : list;
}

TrainingPlan planForked(const TrainOptions& options, const fs::path& workerProgram) {
  const run_folder::Layout source(realPath(options.target));
  run_folder::ResumePoint point = run_folder::resumePointAt(source, forkStep(source, options.from));
  TrainingExperiment training = readExperiment(options, workerProgram, /*goesOn=*/true);
  const config::Experiment& experiment = training.experiment;
  refuseFewerSteps(source, point.step, experiment.solver.maxSteps.steps());
  checkCheckpoint(experiment, source.checkpoint(point.step), workerProgram);
  const run_folder::DataFingerprints data = training.data;
  const std::string changes = changesBetween(run_folder::readRunExperiment(source), experiment);
  TrainingPlan plan = planNew(options, std::move(training), workerProgram);
  try {
    copyHistory(source, plan.setup.layout, point);
    plan.setup.info.step = point.step;
    run_folder::writeRunInfo(plan.setup.layout, plan.setup.info);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(plan.setup.layout.folder(), ignored);
    throw;
  }
  plan.setup.resume = std::move(point);
  plan.setup.resumeLines = {"goes on from step " + std::to_string(plan.setup.info.step) + " of " +
                            source.folder().string() + ": " + changes};
  // Another run may learn from other data; that it does is said.
  const auto other =
      acceptedData(source.checkpoint(plan.setup.info.step), data, /*isAccepted=*/true);
  if (!other.empty()) plan.setup.resumeLines.push_back(other);
  return plan;
}

TrainingPlan planChecked(const TrainOptions& options) {
  const fs::path workerProgram = supervisor::workerProgramBesideThis();
  refuseTakenOutput(options);
  if (!options.from.empty()) return planForked(options, workerProgram);
  const auto folder = existingFolder(options);
  const bool goesOn = folder && hasCheckpoint(*folder);
  TrainingExperiment training = readExperiment(options, workerProgram, goesOn);
  if (!goesOn) checkStartWeights(training.experiment, workerProgram);
  if (folder) return planResumed(options, *folder, std::move(training), workerProgram);
  return planNew(options, std::move(training), workerProgram);
}

}  // namespace

TrainingPlan planTraining(const TrainOptions& options) {
  refuseImpossible(options);
  TrainingPlan plan = planChecked(options);
  plan.setup.checkpointPatience = options.checkpointPatience;
  return plan;
}

}  // namespace lockstep::cli
