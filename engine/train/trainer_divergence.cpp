// What a trainer does when a loss or a gradient is not finite.
#include <torch/types.h>

#include <sstream>

#include "engine/base/atomic_file.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/weights_layout.h"
#include "engine/config/load.h"
#include "engine/train/exception_text.h"
#include "engine/train/step_replay.h"
#include "engine/train/trainer.h"

namespace lockstep::train {
namespace {

using protocol::Phase;

namespace fs = std::filesystem;

/// What one rank knows of the step.
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

}  // namespace

Error Trainer::diverged(const StepRecorder::Fault& fault) {
  enter(Phase::Diverged);
  std::string trouble;
  // The weights first: looking for the layer runs the batch again, which changes batch norm's
  // statistics.
  if (isLeader()) trouble = writeReplayWeights(fault.step);
  RankReport own;
  for (const ImageId id : fault.imageIds) own.imageIds.push_back(id.value);
  try {
    own.firstNotFinite = firstNotFinite(
        *model_, {*trainLoader_, *sampler_, experiment_.solver.lossWeights, device_}, fault.step);
  } catch (const std::exception& error) {
    trouble = exceptionText(error);
  }
  const std::vector<std::string> reports = context_.world.gather(own.encoded());
  return Error(context_.world.share(isLeader() ? leaveReplay(fault, reports, trouble) : ""));
}

std::string Trainer::writeReplayWeights(std::int64_t step) const {
  const fs::path partial = layout_.partialDivergence(step);
  try {
    fs::remove_all(partial);
    fs::create_directories(partial);
    checkpoint::writeSafetensors(partial / run_folder::kReplayWeights,
                                 checkpoint::inFileShapes(model_->namedState()),
                                 checkpoint::toMetadata(modelFacts(experiment_.model, trainSet_)));
  } catch (const std::exception& error) {
    return exceptionText(error);
  }
  return {};
}

std::string Trainer::leaveReplay(const StepRecorder::Fault& fault,
                                 const std::vector<std::string>& reports, std::string trouble) {
  run_folder::ReplayFile replay{fault.step,
                                "",
                                {},
                                state_.badImages,
                                fault.figures,
                                "",
                                config::writeExperiment(experiment_)};
  for (const std::string& text : reports) {
    const RankReport report = RankReport::decoded(text);
    replay.imageIds.insert(replay.imageIds.end(), report.imageIds.begin(), report.imageIds.end());
    if (replay.firstNotFinite.empty()) replay.firstNotFinite = report.firstNotFinite;
  }
  replay.message = "step " + std::to_string(fault.step) + ": " + fault.what + " on images " +
                   joined(replay.imageIds);
  const fs::path partial = layout_.partialDivergence(fault.step);
  try {
    if (trouble.empty()) {
      run_folder::writeReplayFile(partial / run_folder::kReplayFile, replay);
      base::syncToDisk(partial);
      tell(protocol::DivergenceReady{fault.step, partial.string()});
    }
  } catch (const std::exception& error) {
    trouble = exceptionText(error);
  }
  std::string text = replay.message + ": no update was applied";
  if (!replay.firstNotFinite.empty()) text += ". First not finite: " + replay.firstNotFinite;
  if (trouble.empty()) {
    text += ". To run this batch again: lockstep-engine train --replay " +
            (layout_.divergence(fault.step) / run_folder::kReplayFile).string();
  } else {
    text += ". It cannot be run again: " + trouble;
  }
  return text +
         ". Begin again from the newest checkpoint with a lower solver.base_lr, a longer "
         "solver.warmup_steps or solver.clip_grad_norm (train RUN --from last --set ...), and "
         "look at these images' annotations";
}

}  // namespace lockstep::train
