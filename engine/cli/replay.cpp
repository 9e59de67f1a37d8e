#include "engine/cli/replay.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/base/log.h"
#include "engine/base/number_text.h"
#include "engine/cli/input_path.h"
#include "engine/cli/machine_choice.h"
#include "engine/config/load.h"
#include "engine/config/losses.h"
#include "engine/protocol/json_text.h"
#include "engine/run_folder/replay_file.h"
#include "engine/supervisor/one_shot_job.h"
#include "engine/supervisor/worker_process.h"

namespace lockstep::cli {
namespace {

/// `loss_classifier=0.31 … loss_total=NaN`
std::string lossesText(const nlohmann::ordered_json& figures) {
  std::string text;
  for (const auto& [name, value] : figures.items()) {
    const auto number = protocol::numberOf(value);
    if (!config::isLoss(name) || !number) continue;
    text += " " + name + "=" + base::shortNumber(*number);
  }
  return text;
}

void refuseOtherOptions(const TrainOptions& options) {
  if (options.target.empty() && options.output.empty() && options.from.empty() && !options.resume &&
      !options.detach) {
    return;
  }
  throw base::mendable(
      "--replay runs one batch again from its file alone; leave the rest out "
      "(--set may change keys)");
}

protocol::Job replayJob(const TrainOptions& options, const run_folder::ReplayFile& replay) {
  config::LoadedExperiment loaded =
      config::loadExperimentText(replay.configYaml, options.replay, options.overrides);
  std::erase_if(loaded.issues,
                [](const config::ConfigIssue& issue) { return issue.key == "model.weights"; });
  loaded.throwIfFaulty();
  config::Experiment& experiment = loaded.experiment;
  experiment.model.weights.clear();
  // The ranks of the run are done in turn, by one on this machine.
  const auto workers = experiment.runtime.workers;
  experiment.runtime.backend.reset();
  const supervisor::LocalRanks ranks =
      resolveMachine(experiment, supervisor::workerProgramBesideThis(), {.workers = 1});
  experiment.runtime.workers = workers;
  protocol::Job job;
  job.kind = "replay";
  ranks.giveGpu(/*rank=*/0, job);
  job.weights = (realPath(options.replay).parent_path() / run_folder::kReplayWeights).string();
  if (!isFile(job.weights))
    throw base::mendable(job.weights + ": is missing; it lies beside " + options.replay);
  job.step = replay.step;
  job.badImages = replay.badImages;
  job.configYaml = config::writeExperiment(experiment);
  return job;
}

}  // namespace

int replayStep(const TrainOptions& options) {
  refuseOtherOptions(options);
  const std::string fault = base::inputFileFault(options.replay, "a replay's file");
  if (!fault.empty()) throw base::mendable("--replay " + options.replay + ": " + fault);
  const run_folder::ReplayFile replay = run_folder::readReplayFile(options.replay);
  base::logInfo("engine", "the run said: " + replay.message);
  const auto result = nlohmann::ordered_json::parse(
      supervisor::runOneShotJob(supervisor::workerProgramBesideThis(), replayJob(options, replay)));
  std::printf(
      "step=%lld%s grad_norm=%s\n", static_cast<long long>(replay.step),
      lossesText(result.at("losses")).c_str(),
      base::shortNumber(protocol::numberOf(result.at("gradient_norm")).value_or(0)).c_str());
  for (const auto& image : result.at("per_image")) {
    std::printf("image %lld alone (%s):%s\n",
                static_cast<long long>(image.at("image_id").get<std::int64_t>()),
                image.at("file_name").get<std::string>().c_str(), lossesText(image).c_str());
  }
  const auto first = result.at("first_not_finite").get<std::string>();
  std::printf("%s\n",
              first.empty() ? "everything is finite" : ("first not finite: " + first).c_str());
  return static_cast<int>(first.empty() ? ExitStatus::Done : ExitStatus::Failed);
}

}  // namespace lockstep::cli
