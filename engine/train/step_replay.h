#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/data/sample_loader.h"
#include "engine/data/sampler.h"
#include "engine/eval/evaluation.h"
#include "engine/model/mask_rcnn.h"
#include "engine/protocol/jobs.h"

namespace lockstep::train {

/// Losses and gradients of a step's batch on the weights from before that step.
struct StepReplay {
  std::int64_t step = 0;
  eval::LossValues losses{};                ///< means over the micro-batches
  double gradientNorm = 0;                  ///< before clipping
  std::vector<eval::ImageLosses> perImage;  ///< each image alone, augmented as in the batch
  std::string firstNotFinite;               ///< as firstNotFinite() gives it
};

/// What a step is computed from; references must outlive it.
struct StepSource {
  const data::SampleLoader& loader;
  const data::Sampler& sampler;
  const config::LossWeights& lossWeights;
  at::Device device;
};

/// Runs the batch of `step` forward and backward without an update, then each image alone. The
/// model is in training mode and is left with other gradients and statistics. Throws Error.
StepReplay replayStep(model::MaskRcnn& model, const StepSource& source, std::int64_t step);

/// Runs the batch of `step` until something is not finite: the first layer in the order of
/// computing (`backbone.body.layer1.0.bn2`), else a loss (`loss_mask`), else the parameter nearest
/// to the losses whose gradient is not (`gradient of rpn.head.conv.0.0.weight`). Empty: all is
/// finite.
std::string firstNotFinite(model::MaskRcnn& model, const StepSource& source, std::int64_t step);

/// As the worker sends it.
protocol::ReplayResult resultOf(const StepReplay& replay, const coco::Dataset& dataset);

}  // namespace lockstep::train
