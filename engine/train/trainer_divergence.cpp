// What a trainer does when a loss or a gradient is not finite.
#include <torch/types.h>

#include "engine/base/atomic_file.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/config/load.h"
#include "engine/train/exception_text.h"
#include "engine/train/step_replay.h"
#include "engine/train/trainer.h"

namespace lockstep::train {

Error Trainer::diverged(const StepRecorder::Fault& fault) {
  enter("diverged");
  run_folder::ReplayFile replay{fault.step,    fault.text, {},
                                fault.figures, "",         config::writeExperiment(experiment_)};
  for (const ImageId id : fault.imageIds) replay.imageIds.push_back(id.value);
  std::string text = fault.text + ": no update was applied";
  try {
    // Weights first: looking for the layer runs the batch again.
    const auto partial = layout_.partialDivergence(fault.step);
    std::filesystem::remove_all(partial);
    std::filesystem::create_directories(partial);
    checkpoint::writeSafetensors(partial / run_folder::kReplayWeights, model_->namedState(),
                                 checkpoint::toMetadata(modelFacts(experiment_.model, trainSet_)));
    replay.firstNotFinite = firstNotFinite(
        *model_, {*trainLoader_, *sampler_, experiment_.solver.lossWeights, device_}, fault.step);
    run_folder::writeReplayFile(partial / run_folder::kReplayFile, replay);
    base::syncToDisk(partial);
    context_.observer.onDivergence({fault.step, partial.string()});
    if (!replay.firstNotFinite.empty()) text += ". First not finite: " + replay.firstNotFinite;
    text += ". To run this batch again: lockstep-engine train --replay " +
            (layout_.divergence(fault.step) / run_folder::kReplayFile).string();
  } catch (const std::exception& error) {
    text += ". It cannot be run again: " + exceptionText(error);
  }
  return Error(
      text +
      ". Begin again from the newest checkpoint with a lower solver.base_lr, a longer "
      "solver.warmup_steps or solver.clip_grad_norm (train RUN --from last --set ...), and "
      "look at these images' annotations");
}

}  // namespace lockstep::train
