#include "engine/train/step_replay.h"

#include <torch/types.h>

#include <ranges>

#include "engine/base/json_writer.h"
#include "engine/config/losses.h"
#include "engine/model/activation_watch.h"
#include "engine/solver/gradient_clip.h"

namespace lockstep::train {
namespace {

bool isFinite(const at::Tensor& tensor) { return at::isfinite(tensor).all().item<bool>(); }

struct BatchRun {
  eval::LossValues losses{};
  std::string firstNotFinite;  ///< a layer or a loss; empty: none
};

/// One micro-batch forward, and backward if `withBackward`.
BatchRun runBatch(model::MaskRcnn& model, const data::Batch& batch, const StepSource& source,
                  bool withBackward) {
  BatchRun run;
  const model::ActivationWatch watch([&](const std::string& name, const at::Tensor& output) {
    if (run.firstNotFinite.empty() && !isFinite(output)) run.firstNotFinite = name;
  });
  const model::Losses losses =
      model.losses(batch.images, batch.sizes, batch.gts, batch.samplingKeys);
  const at::Tensor total = losses.total(source.lossWeights);
  std::size_t i = 0;
  for (const auto& [name, loss] : losses.named()) {
    run.losses[i++] = loss.item<double>();
    if (run.firstNotFinite.empty() && !isFinite(loss)) run.firstNotFinite = name;
  }
  run.losses[i] = total.item<double>();
  if (run.firstNotFinite.empty() && !isFinite(total)) run.firstNotFinite = config::kTotalLoss;
  if (withBackward) (total / source.sampler.accumulate()).backward();
  return run;
}

std::string gradientNotFinite(const std::vector<model::ParameterInfo>& parameters) {
  for (const model::ParameterInfo& parameter : parameters | std::views::reverse) {
    const at::Tensor& gradient = parameter.tensor.grad();
    if (gradient.defined() && !isFinite(gradient)) return "gradient of " + parameter.name;
  }
  return {};
}

data::Batch microBatchOf(const StepSource& source, std::int64_t step, int microBatch) {
  return source.loader.loadTraining(source.sampler.imagesOf(step, microBatch)).to(source.device);
}

/// Losses of the whole step; its gradients are left in the parameters.
BatchRun runStep(model::MaskRcnn& model, const StepSource& source, std::int64_t step) {
  for (const model::ParameterInfo& parameter : model.trainableParameters())
    parameter.tensor.mutable_grad().reset();
  BatchRun whole;
  const int microBatches = source.sampler.accumulate();
  for (int k = 0; k < microBatches; ++k) {
    const BatchRun run =
        runBatch(model, microBatchOf(source, step, k), source, /*withBackward=*/true);
    for (std::size_t i = 0; i < run.losses.size(); ++i)
      whole.losses[i] += run.losses[i] / microBatches;
    if (whole.firstNotFinite.empty()) whole.firstNotFinite = run.firstNotFinite;
  }
  if (whole.firstNotFinite.empty())
    whole.firstNotFinite = gradientNotFinite(model.trainableParameters());
  return whole;
}

}  // namespace

StepReplay replayStep(model::MaskRcnn& model, const StepSource& source, std::int64_t step) {
  const BatchRun run = runStep(model, source, step);
  StepReplay replay{step, run.losses, 0, {}, run.firstNotFinite};
  std::vector<at::Tensor> parameters;
  for (const model::ParameterInfo& parameter : model.trainableParameters())
    parameters.push_back(parameter.tensor);
  replay.gradientNorm = solver::clipGradientNorm(parameters, 0).norm.item<double>();
  const at::NoGradGuard noGradient;
  for (int k = 0; k < source.sampler.accumulate(); ++k) {
    for (const data::Sampler::Draw& draw : source.sampler.imagesOf(step, k)) {
      const data::Batch alone = source.loader.loadTraining({&draw, 1}).to(source.device);
      replay.perImage.push_back(
          {alone.ids[0], runBatch(model, alone, source, /*withBackward=*/false).losses});
    }
  }
  return replay;
}

std::string firstNotFinite(model::MaskRcnn& model, const StepSource& source, std::int64_t step) {
  return runStep(model, source, step).firstNotFinite;
}

protocol::ReplayResult resultOf(const StepReplay& replay, const coco::Dataset& dataset) {
  const auto figuresOf = [](const eval::LossValues& losses) {
    return protocol::figuresOf(config::kLossNames, losses);
  };
  protocol::ReplayResult result{.losses = figuresOf(replay.losses),
                                .gradientNorm = replay.gradientNorm,
                                .firstNotFinite = replay.firstNotFinite};
  for (const eval::ImageLosses& image : replay.perImage) {
    result.perImage.push_back({image.imageId.value,
                               dataset.images()[dataset.imageIndex(image.imageId)].fileName,
                               figuresOf(image.values)});
  }
  return result;
}

}  // namespace lockstep::train
