#include "engine/cli/training_plan.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/base/atomic_file.h"
#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/host.h"
#include "engine/base/input_file.h"
#include "engine/cli/fork.h"
#include "engine/cli/input_path.h"
#include "engine/cli/output_path.h"
#include "engine/cli/training_experiment.h"
#include "engine/config/load.h"
#include "engine/config/lr_range_test.h"
#include "engine/config/resumed_keys.h"
#include "engine/pack/packed_run.h"
#include "engine/queue/waiting_runs.h"
#include "engine/run_folder/rescued_checkpoint.h"
#include "engine/run_folder/run_experiment.h"
#include "engine/supervisor/stop_signals.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

/// What cannot be given with --find-lr.
void refuseBesideRangeTest(const TrainOptions& options) {
  if (options.resume || options.acceptData || !options.from.empty()) {
    throw UserError("--find-lr starts a run of its own: omit --resume, --from and --accept-data");
  }
  if (run_folder::isRunFolder(options.target)) {
    throw UserError("--find-lr: needs an experiment file; " + options.target +
                    " is a run: give its config.yaml");
  }
}

void refuseImpossible(const TrainOptions& options) {
  base::requireClock();
  checkWorkers(options.ranks);
  if (!pathExists(options.target)) {
    throw UserError(options.target + ": no such experiment file or run folder");
  }
  if (pack::isPackedRun(options.target)) {
    throw UserError(options.target +
                    ": is a packed run, which is only read; tar -xf takes its config.yaml out");
  }
  if (options.findLr) refuseBesideRangeTest(options);
  const bool forks = !options.from.empty();
  if (forks && options.resume)
    throw UserError("--from starts a new run, --resume continues one: give only one of them");
  if (options.acceptData && !options.resume)
    throw UserError("--accept-data: is for resumed runs; add --resume");
  if (!isFolder(options.target)) {
    if (options.resume && options.output.empty()) {
      throw UserError("--resume: " + options.target +
                      " is an experiment file; give the run folder instead, or --output RUN_DIR");
    }
    if (!forks) return;
    throw UserError("--from " + options.from + ": needs a run folder; " + options.target +
                    " is an experiment file");
  }
  if (!run_folder::isRunFolder(options.target)) {
    throw UserError(run_folder::notARunMessage(options.target));
  }
  if (forks) return;
  if (!options.output.empty()) {
    throw UserError("--output " + options.output +
                    ": a run is resumed in its own folder; omit --output");
  }
  if (!options.resume) {
    throw UserError(options.target +
                    ": is a run: add --resume to continue it, or --from STEP to start a new run "
                    "from its checkpoint");
  }
}

bool hasCheckpoint(const fs::path& folder) {
  return !run_folder::checkpointFolders(run_folder::Layout(folder)).empty() ||
         run_folder::findRescuedCheckpoint(run_folder::Layout(realPath(folder)));
}

/// Whether every entry of the folder may belong to a run. Mounted volumes have a lost+found.
bool holdsOnlyARun(const fs::path& folder) {
  return std::ranges::all_of(base::entriesOf(folder), [](const fs::path& entry) {
    const std::string name = entry.filename().string();
    return name.starts_with(".") || name == "lost+found" || run_folder::belongsToRun(name);
  });
}

void refuseTakenOutput(const TrainOptions& options) {
  if (options.output.empty()) return;
  refuseNamesOfRuns(options.output, "--output " + options.output + ": cannot be created");
  if (options.resume || !pathExists(options.output)) return;
  const bool isRun = run_folder::isRunFolder(options.output) ||
                     (isFolder(options.output) && holdsOnlyARun(options.output));
  throw UserError("--output " + options.output + ": already exists" +
                  (isRun ? "; " : " and is not a run folder; ") +
                  (isRun && options.from.empty() && !options.findLr
                       ? "add --resume to continue it, or choose another folder"
                       : "choose another folder"));
}

/// The existing run folder to resume in; empty when a new one is to be created.
std::optional<fs::path> existingFolder(const TrainOptions& options) {
  if (isFolder(options.target)) return options.target;
  if (options.output.empty() || !options.resume || !pathExists(options.output)) return std::nullopt;
  if (!isFolder(options.output)) throw UserError("--output " + options.output + ": is a file");
  if (!run_folder::isRunFolder(options.output) && !holdsOnlyARun(options.output)) {
    throw UserError("--output " + options.output +
                    ": contains other files and is not a run folder");
  }
  return options.output;
}

run_folder::RunLock lockRun(const run_folder::Layout& layout) {
  auto lock = run_folder::RunLock::tryAcquire(layout);
  if (lock) return std::move(*lock);
  std::string owner = "another process", doing = "being trained by ";
  try {
    const auto info = run_folder::readRunInfo(layout);
    if (info.pid > 0) owner = "process " + std::to_string(info.pid);
    if (run_folder::isInQueue(info)) doing = "in the queue, in ";
  } catch (const Error&) {
    // The other process has the lock, but has not written run.json yet.
  }
  throw UserError(layout.folder().string() + ": this run is already " + doing + owner);
}

/// Throws UserError for a pipe or a device in the place of a file of the run.
void refuseSpecialFiles(const fs::path& folder) {
  for (const fs::path& entry : base::entriesOf(folder)) {
    std::error_code unknown;
    const fs::file_status status = fs::status(entry, unknown);
    if (fs::is_other(status) && run_folder::belongsToRun(entry.filename()))
      throw UserError(entry.string() + ": " + base::inputFileError(entry, "a regular file") +
                      "; move it away");
  }
}

void refuseRangeTest(const run_folder::Layout& layout) {
  bool isRangeTest = false;
  try {
    const auto info = run_folder::readRunInfo(layout);
    isRangeTest = info.isRangeTest && !run_folder::isInQueue(info);  // which has not begun
  } catch (const Error&) {
    // It is missing or corrupt, and rebuilt later.
  }
  if (!isRangeTest) return;
  throw UserError(
      layout.folder().string() +
      ": is a learning-rate range test, which cannot be resumed; start another one with "
      "--find-lr");
}

/// Throws UserError with a list of the changed keys that a resumed run may not change.
void refuseChanges(const run_folder::Layout& layout, const config::Experiment& experiment) {
  if (!pathExists(layout.config())) return;
  const config::Experiment saved = run_folder::readRunExperiment(layout);
  std::string list;
  for (const config::ConfigDifference& change : config::difference(saved, experiment)) {
    if (!config::mayChangeOnResume(change.key))
      list += "\n  " + change.key + ": " + change.left + " -> " + change.right;
  }
  if (list.empty()) return;
  throw UserError(
      layout.folder().string() +
      ": these keys cannot change on resume (only solver.max_steps, dataset.bad_images, cache, "
      "cache_limit and loader_threads, evaluation, checkpoint, monitor and runtime can); revert "
      "them, or start a new "
      "run with --from:" +
      list);
}

/// Of overrides that leave an experiment with errors, it names those that a resumed run refuses,
/// not the keys that no longer fit them. Throws UserError.
void refuseOverrides(const run_folder::Layout& layout, const TrainOptions& options) {
  if (!isFolder(options.target) || !pathExists(layout.config())) return;
  const auto loaded = config::loadExperiment(layout.config(), options.overrides);
  if (loaded.hasErrors()) refuseChanges(layout, loaded.experiment);
}

std::string runName(const TrainOptions& options, const config::Experiment& experiment) {
  return experiment.name + (options.findLr ? "-find-lr" : "");
}

run_folder::RunInfo makeInfo(const TrainOptions& options, const run_folder::Layout& layout,
                             const TrainingExperiment& training) {
  const config::Experiment& experiment = training.experiment;
  run_folder::RunInfo info;
  info.ranks = training.ranks.worldSize();
  info.name = runName(options, experiment);
  info.isRangeTest = options.findLr;
  info.created = base::wallTimeSeconds();
  info.pid = ::getpid();
  info.host = base::hostName();
  info.socket = run_folder::socketPath(layout.folder().string()).string();
  info.maxSteps = experiment.solver.maxSteps.steps();
  info.stepsPerEpoch = training.stepsPerEpoch;
  if (options.queue) info.queuePosition = static_cast<int>(queue::waitingRuns().size()) + 1;
  return info;
}

void writeFolder(const supervisor::TrainingSetup& setup,
                 const std::optional<run_folder::SourceFiles>& source) {
  base::writeFileAtomically(setup.layout.config(), config::writeExperiment(setup.experiment));
  if (source) run_folder::writeSource(setup.layout, *source);
  run_folder::writeRunInfo(setup.layout, setup.info);
}

TrainingPlan planNew(const TrainOptions& options, TrainingExperiment training,
                     const fs::path& workerProgram) {
  supervisor::holdStopSignals();  // until the folder is complete; the run then handles them
  const run_folder::Layout created =
      options.output.empty() ? run_folder::createRunFolder(run_folder::runsFolder(),
                                                           runName(options, training.experiment))
                             : run_folder::createRunFolderAt(options.output);
  try {
    const run_folder::Layout layout(realPath(created.folder()));
    auto lock = lockRun(layout);
    auto info = makeInfo(options, layout, training);
    TrainingPlan plan{{layout,
                       std::move(training.experiment),
                       std::move(info),
                       std::nullopt,
                       {},
                       workerProgram,
                       std::move(training.ranks)},
                      std::move(lock)};
    writeFolder(plan.setup, training.source);
    return plan;
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(created.folder(), ignored);  // no incomplete folder is left behind
    throw;
  }
}

void refuseFewerSteps(const run_folder::Layout& layout, std::int64_t step, std::int64_t maxSteps) {
  if (maxSteps >= step) return;
  throw UserError(layout.folder().string() + ": solver.max_steps is " + std::to_string(maxSteps) +
                  ", but the checkpoint is at step " + std::to_string(step) + "; give at least " +
                  std::to_string(step));
}

/// Why a finished run has nothing left to do; empty when it has steps to train.
std::string nothingLeft(const run_folder::Layout& layout, std::int64_t step,
                        const config::Experiment& experiment) {
  const std::int64_t maxSteps = experiment.solver.maxSteps.steps();
  if (step >= maxSteps) {
    return "already finished (step " + std::to_string(step) + " of " + std::to_string(maxSteps) +
           "); raise solver.max_steps with --set solver.max_steps=N to continue";
  }
  if (step == 0) return "";
  const auto state = run_folder::readTrainingState(layout.checkpoint(step));
  if (!state.stopsEarly(experiment.evaluation)) return "";
  return state.hasReachedTarget(experiment.evaluation)
             ? "already reached evaluation.early_stop.target; set another to continue"
             : "already stopped early; raise evaluation.early_stop.patience to continue";
}

/// How the data differ from those of the checkpoint; empty: they do not, or the checkpoint has no
/// fingerprints. Throws UserError if they differ and that is not accepted.
std::string acceptedData(const fs::path& checkpoint, const run_folder::DataFingerprints& data,
                         bool isAccepted) {
  const auto before = run_folder::readTrainingState(checkpoint).data;
  const std::string difference = before ? run_folder::dataDifference(*before, data) : "";
  if (difference.empty()) return {};
  const std::string text =
      "the data differ from those of " + checkpoint.string() + ": " + difference;
  if (isAccepted) return text + " (accepted)";
  throw UserError(text +
                  "; restore the annotations that it was trained with, or add --accept-data to "
                  "continue with these");
}

/// Moves a last checkpoint that could not be written to the run folder back into it.
void restoreRescued(const run_folder::Layout& layout, std::vector<std::string>& notes) {
  const auto rescued = run_folder::findRescuedCheckpoint(layout);
  if (!rescued) return;
  run_folder::restoreRescuedCheckpoint(layout, *rescued);
  notes.push_back("the checkpoint of step " + std::to_string(rescued->step) +
                  " was restored from " + rescued->folder.string());
}

/// The run's state before this attempt; empty for a new run.
std::optional<run_folder::RunInfo> infoBefore(const run_folder::Layout& layout,
                                              std::vector<std::string>& notes) {
  try {
    return run_folder::readRunInfo(layout);
  } catch (const Error& error) {
    auto rebuilt = run_folder::rebuildRunInfo(layout);
    if (rebuilt) {
      notes.push_back(std::string(error.what()) +
                      "; run.json is rebuilt from the event log: attempt " +
                      std::to_string(rebuilt->attempt + 1) + ", started " +
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
  auto info = makeInfo(options, layout, training);
  std::vector<std::string> notes;
  restoreRescued(layout, notes);
  run_folder::ResumePoint point = run_folder::findResumePoint(layout);
  refuseFewerSteps(layout, point.step, info.maxSteps);
  if (point.step > 0) {
    auto other = acceptedData(layout.checkpoint(point.step), training.data, options.acceptData);
    point.isDataChanged = !other.empty();
    if (point.isDataChanged) notes.push_back(std::move(other));
  }
  std::string finished, bitsDifference;
  if (point.step > 0) {
    bitsDifference = run_folder::bitsDifference(
        run_folder::readTrainingState(layout.checkpoint(point.step)), training.experiment.runtime);
  }
  std::optional<protocol::RunError> unexpectedExit;
  if (const auto before = infoBefore(layout, notes)) {
    unexpectedExit = run_folder::unexpectedExit(*before);
    if (before->created > 0) info.created = before->created;
    info.started = before->started;
    info.attempt = before->attempt + 1;
    info.forkedFrom = before->forkedFrom;
    if (run_folder::isInQueue(*before)) {
      if (options.queue) info.queuePosition = before->queuePosition;
      info.isRangeTest = before->isRangeTest;
      info.name = before->name;
    }
    if (before->state == protocol::RunState::Finished && point.damaged.empty())
      finished = nothingLeft(layout, point.step, training.experiment);
  }
  info.step = point.step;
  TrainingPlan plan{{layout, std::move(training.experiment), std::move(info), point,
                     std::move(notes), workerProgram, std::move(training.ranks)},
                    std::move(lock),
                    std::move(finished)};
  plan.setup.unexpectedExit = std::move(unexpectedExit);
  plan.setup.bitsDifference = std::move(bitsDifference);
  if (plan.finished.empty()) writeFolder(plan.setup, training.source);
  return plan;
}

/// The step that --from names.
std::int64_t forkStep(const run_folder::Layout& run, const std::string& from) {
  const fs::path folder = run_folder::resolveWeights(run, from).parent_path();
  for (const std::int64_t step : run_folder::checkpointSteps(run)) {
    if (run.checkpoint(step) == folder) return step;
  }
  throw UserError("--from " + from + ": is not a checkpoint of " + run.folder().string());
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
  point.best.reset();  // the source's, not this run's
  TrainingExperiment training = readExperiment(options, workerProgram, /*fromCheckpoint=*/true);
  const config::Experiment& experiment = training.experiment;
  refuseFewerSteps(source, point.step, experiment.solver.maxSteps.steps());
  checkCheckpoint(experiment, source.checkpoint(point.step), workerProgram);
  const run_folder::DataFingerprints data = training.data;
  const std::string changes = changesBetween(run_folder::readRunExperiment(source), experiment);
  TrainingPlan plan = planNew(options, std::move(training), workerProgram);
  try {
    copyHistory(source, plan.setup.layout, point.step);
    plan.setup.info.step = point.step;
    plan.setup.info.forkedFrom = {source.folder().string(), point.step};
    run_folder::writeRunInfo(plan.setup.layout, plan.setup.info);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(plan.setup.layout.folder(), ignored);
    throw;
  }
  plan.setup.resume = std::move(point);
  plan.setup.resumeLines = {"starts from step " + std::to_string(plan.setup.info.step) + " of " +
                            source.folder().string() + ": " + changes};
  // A new run may train on other data, but that is logged.
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
  if (folder) {
    refuseSpecialFiles(*folder);
    refuseRangeTest(run_folder::Layout(*folder));
    refuseOverrides(run_folder::Layout(*folder), options);
  }
  const bool fromCheckpoint = folder && hasCheckpoint(*folder);
  TrainingExperiment training = readExperiment(options, workerProgram, fromCheckpoint);
  if (!fromCheckpoint) checkInitialWeights(training.experiment, workerProgram);
  if (options.findLr) training.experiment = config::rangeTestOf(std::move(training.experiment));
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
