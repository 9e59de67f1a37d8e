#include "engine/cli/training_experiment.h"

#include <algorithm>
#include <array>

#include "engine/base/error.h"
#include "engine/base/standard_streams.h"
#include "engine/cli/data_check.h"
#include "engine/cli/input_path.h"
#include "engine/cli/worker_check.h"
#include "engine/config/load.h"
#include "engine/run_folder/run_experiment.h"

namespace lockstep::cli {
namespace fs = std::filesystem;

namespace {

void refuseFp16OnCpu(const config::RuntimeConfig& runtime) {
  const bool isFp16 = runtime.precision == config::Precision::Fp16;
  if (!isFp16 || runtime.device != config::Device::Cpu) return;
  throw UserError(
      "runtime.precision: fp16 is for GPUs, and the training is on the CPU: use bf16 or fp32");
}

/// Whether a range test has no use for the key.
bool isUnusedInRangeTest(const config::ConfigIssue& issue) {
  return std::ranges::any_of(std::array{"solver.warmup_steps", "solver.milestones", "evaluation.",
                                        "checkpoint.", "monitor."},
                             [&](const char* prefix) { return issue.key.starts_with(prefix); });
}

void refuseWeights(const protocol::CheckResult& check) {
  if (check.weights)
    throw Error(check.weights->text, static_cast<ExitStatus>(check.weights->exitStatus));
}

/// What the person wrote: of a run's config.yaml, what that run was started from. Before anything
/// is resolved.
std::optional<run_folder::SourceFiles> sourceOf(const fs::path& target, const fs::path& file,
                                                const config::LoadedExperiment& loaded) {
  const run_folder::Layout run(file.parent_path());
  const bool isOfRun = file.filename() == run.config().filename();
  auto source = isOfRun ? run_folder::readSource(run) : std::nullopt;
  if (!source && isFolder(target)) return std::nullopt;
  if (!source) return run_folder::sourceOf(loaded);
  run_folder::addOverrides(*source, run_folder::overridesOf(loaded));
  return source;
}

}  // namespace

TrainingExperiment readExperiment(const TrainOptions& options, const fs::path& workerProgram,
                                  bool fromCheckpoint) {
  const fs::path target = options.target;
  if (isFolder(target)) run_folder::requireValidConfig(run_folder::Layout(target));
  const fs::path file = isFolder(target) ? run_folder::Layout(target).config() : target;
  config::LoadedExperiment loaded = config::loadExperiment(file, options.overrides);
  if (fromCheckpoint) {
    std::erase_if(loaded.issues,
                  [](const config::ConfigIssue& issue) { return issue.key == "model.weights"; });
  }
  loaded.throwOnError();
  auto source = sourceOf(target, file, loaded);
  if (options.findLr) std::erase_if(loaded.issues, isUnusedInRangeTest);
  // First, because the number of ranks determines the micro-batch.
  supervisor::LocalRanks ranks = resolveMachine(loaded.experiment, workerProgram, options.ranks);
  refuseFp16OnCpu(loaded.experiment.runtime);
  for (const config::ConfigIssue& issue : loaded.issues) base::printMessage(issue.format());
  DataCheck check = checkTrainingData(loaded, ranks.devices);
  config::resolveDurations(loaded.experiment, check.drawsPerEpoch);
  if (!check.classWeights.empty())
    loaded.experiment.solver.classWeights = {std::move(check.classWeights), ""};
  const double stepsPerEpoch =
      static_cast<double>(check.drawsPerEpoch) / loaded.experiment.solver.batchSize;
  return {std::move(loaded.experiment), std::move(ranks), std::move(check.data), stepsPerEpoch,
          std::move(source)};
}

void checkInitialWeights(const config::Experiment& experiment, const fs::path& workerProgram) {
  if (experiment.model.weights.empty()) return;
  refuseWeights(askWorkerCheck(experiment, workerProgram));
}

void checkCheckpoint(const config::Experiment& experiment, const fs::path& checkpoint,
                     const fs::path& workerProgram) {
  refuseWeights(askWorkerCheck(experiment, workerProgram, {.resumeFrom = checkpoint.string()}));
}

}  // namespace lockstep::cli
