#include "engine/cli/replay.h"

#include <cstdio>

#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/base/log.h"
#include "engine/base/number_text.h"
#include "engine/cli/input_path.h"
#include "engine/cli/machine_choice.h"
#include "engine/config/load.h"
#include "engine/run_folder/replay_file.h"
#include "engine/supervisor/one_shot_job.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

/// ` loss_classifier=0.31 … loss_total=NaN`
std::string lossesText(const std::vector<protocol::Figure>& losses) {
  std::string text;
  for (const auto& [name, value] : losses) text += " " + name + "=" + base::shortNumber(value);
  return text;
}

void refuseOtherOptions(const TrainOptions& options) {
  if (options.target.empty() && options.output.empty() && options.from.empty() && !options.resume &&
      !options.detach && !options.findLr) {
    return;
  }
  throw UserError("--replay takes no CONFIG or RUN and no option except --set");
}

protocol::ReplayResult recompute(const TrainOptions& options,
                                 const run_folder::ReplayFile& replay) {
  config::LoadedExperiment loaded =
      config::loadExperimentText(replay.configYaml, options.replay, options.overrides);
  std::erase_if(loaded.issues,
                [](const config::ConfigIssue& issue) { return issue.key == "model.weights"; });
  loaded.throwOnError();
  config::Experiment& experiment = loaded.experiment;
  experiment.model.weights.clear();
  // One worker on this machine computes the shares of the run's ranks one after another.
  const auto workers = experiment.runtime.workers;
  experiment.runtime.backend.reset();
  const auto program = supervisor::workerProgramBesideThis();
  const supervisor::LocalRanks ranks = resolveMachine(experiment, program, {.workers = 1});
  experiment.runtime.workers = workers;
  const fs::path weights = realPath(options.replay).parent_path() / run_folder::kReplayWeights;
  if (!isFile(weights))
    throw UserError(weights.string() + ": is missing; it belongs beside " + options.replay);
  const protocol::ReplayJob job{
      {config::writeExperiment(experiment), weights.string(), replay.step}, replay.badImages};
  return supervisor::runOneShotJob(program, job, ranks);
}

}  // namespace

int replayStep(const TrainOptions& options) {
  refuseOtherOptions(options);
  const std::string error = base::inputFileError(options.replay, "a replay's file");
  if (!error.empty()) throw UserError("--replay " + options.replay + ": " + error);
  const run_folder::ReplayFile replay = run_folder::readReplayFile(options.replay);
  base::logInfo("engine", "error of the run: " + replay.message);
  const protocol::ReplayResult result = recompute(options, replay);
  std::printf("step=%lld%s grad_norm=%s\n", static_cast<long long>(replay.step),
              lossesText(result.losses).c_str(), base::shortNumber(result.gradientNorm).c_str());
  for (const protocol::ReplayResult::Image& image : result.perImage) {
    std::printf("image %lld alone (%s):%s\n", static_cast<long long>(image.imageId),
                image.fileName.c_str(), lossesText(image.losses).c_str());
  }
  const std::string& first = result.firstNotFinite;
  std::printf("%s\n",
              first.empty() ? "everything is finite" : ("first non-finite: " + first).c_str());
  return static_cast<int>(first.empty() ? ExitStatus::Done : ExitStatus::Failed);
}

}  // namespace lockstep::cli
