#include "engine/train/divergence.h"

#include <torch/types.h>

#include <sstream>

#include "engine/base/atomic_file.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/weights_layout.h"
#include "engine/config/load.h"
#include "engine/run_folder/replay_file.h"
#include "engine/run_folder/run_folder.h"
#include "engine/train/exception_text.h"
#include "engine/train/loaded_model.h"
#include "engine/train/step_replay.h"

namespace lockstep::train {
namespace {

using protocol::Phase;

namespace fs = std::filesystem;

/// What one rank found of the step.
struct RankReport {
  std::vector<std::int64_t> imageIds;
  std::string firstNotFinite;  ///< empty: nothing was found

  /// `3 4 5`, and in the next line the layer.
  std::string encoded() const {
    std::string text;
    for (const std::int64_t id : imageIds) text += std::to_string(id) + " ";
    return text + "\n" + firstNotFinite;
  }
  static RankReport decoded(const std::string& text) {
    RankReport report;
    std::istringstream ids(text.substr(0, text.find('\n')));
    for (std::int64_t id = 0; ids >> id;) report.imageIds.push_back(id);
    report.firstNotFinite = text.substr(text.find('\n') + 1);
    return report;
  }
};

std::string joined(const std::vector<std::int64_t>& ids) {
  std::string text;
  for (const std::int64_t id : ids) text += (text.empty() ? "" : ", ") + std::to_string(id);
  return text;
}

/// Returns what went wrong; empty: nothing.
std::string writeReplayWeights(const Training& training, const model::MaskRcnn& model,
                               std::int64_t step) {
  const fs::path partial = training.layout.partialDivergence(step);
  try {
    fs::remove_all(partial);
    fs::create_directories(partial);
    checkpoint::writeSafetensors(
        partial / run_folder::kReplayWeights, checkpoint::inFileShapes(model.namedState()),
        checkpoint::toMetadata(modelFacts(training.experiment, training.data.trainSet)));
  } catch (const std::exception& error) {
    return exceptionText(error);
  }
  return {};
}

/// `replayError`: why the step cannot be replayed from `file`; empty: it can.
std::string messageOf(const run_folder::ReplayFile& replay, const fs::path& file,
                      const std::string& replayError, bool hasCheckpoint) {
  std::string text = replay.message + ": no update was applied";
  if (!replay.firstNotFinite.empty()) text += ". First non-finite: " + replay.firstNotFinite;
  if (replayError.empty()) {
    text += ". To recompute this batch: lockstep-engine train --replay " + file.string();
  } else {
    text += ". The batch cannot be recomputed: " + replayError;
  }
  return text + (hasCheckpoint ? ". Restart from the latest checkpoint" : ". Restart") +
         " with a lower solver.base_lr, a longer solver.warmup_steps or solver.clip_grad_norm" +
         (hasCheckpoint ? " (train RUN --from last --set ...)" : "") +
         ", and check these images' annotations";
}

/// `reports`: of every rank. `replayError`: why the step cannot be replayed; empty: nothing so far.
/// Returns the message of the error.
std::string writeReplay(const Training& training, const StepRecorder::NonFiniteStep& step,
                        const std::vector<std::string>& reports, std::string replayError) {
  run_folder::ReplayFile replay{step.step,
                                "",
                                {},
                                training.state.badImages,
                                step.figures,
                                "",
                                config::writeExperiment(training.experiment)};
  for (const std::string& text : reports) {
    const RankReport report = RankReport::decoded(text);
    replay.imageIds.insert(replay.imageIds.end(), report.imageIds.begin(), report.imageIds.end());
    if (replay.firstNotFinite.empty()) replay.firstNotFinite = report.firstNotFinite;
  }
  replay.message = "step " + std::to_string(step.step) + ": " + step.what + " on images " +
                   joined(replay.imageIds);
  const fs::path partial = training.layout.partialDivergence(step.step);
  try {
    if (replayError.empty()) {
      run_folder::writeReplayFile(partial / run_folder::kReplayFile, replay);
      base::syncToDisk(partial);
      training.send(protocol::DivergenceReady{step.step, partial.string()});
    }
  } catch (const std::exception& error) {
    replayError = exceptionText(error);
  }
  return messageOf(replay, training.layout.divergence(step.step) / run_folder::kReplayFile,
                   replayError, !run_folder::checkpointSteps(training.layout).empty());
}

}  // namespace

Error divergenceError(const Training& training, model::MaskRcnn& model,
                      const StepRecorder::NonFiniteStep& step) {
  training.enter(Phase::Diverged);
  std::string replayError;
  // The weights first: looking for the layer runs the batch again, which changes batch norm's
  // statistics.
  if (training.isRankZero()) replayError = writeReplayWeights(training, model, step.step);
  RankReport own;
  for (const ImageId id : step.imageIds) own.imageIds.push_back(id.value);
  try {
    own.firstNotFinite = firstNotFinite(model,
                                        {*training.data.trainLoader, *training.data.sampler,
                                         training.experiment.solver.lossWeights, training.device},
                                        step.step);
  } catch (const std::exception& error) {
    replayError = exceptionText(error);
  }
  dist::World& world = training.context.world;
  const std::vector<std::string> reports = world.gather(own.encoded());
  return Error(world.broadcastBytes(
      training.isRankZero() ? writeReplay(training, step, reports, replayError) : ""));
}

}  // namespace lockstep::train
