#include <torch/torch.h>

#include <memory>
#include <optional>

#include "engine/model/cuda_recorder.h"
#include "engine/model/mask_rcnn.h"
#include "tests/gpu/check.h"
#include "tests/gpu/no_waiting.h"
#include "tests/gpu/operator_count.h"
#include "tests/gpu/scene.h"
#include "tests/gpu/training.h"

namespace lockstep::gpu {
namespace {

Scene scene() { return makeScene({5, 0, 17}, {256, 320}, 7); }

Finding gradientsAreTheSame(const at::Device& device) {
  Scene made = scene();
  made.images = made.images.to(at::kDouble);
  Training here(at::kCPU, at::kDouble), there(device, at::kDouble);
  const model::Losses expected = here.gradients(made), got = there.gradients(made.to(device));
  double losses = 0, gradients = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    losses =
        std::max(losses, relativeDifference(got.named()[i].second, expected.named()[i].second));
  }
  for (std::size_t i = 0; i < here.parameters().size(); ++i) {
    gradients = std::max(
        gradients, relativeDifference(there.parameters()[i].grad(), here.parameters()[i].grad()));
  }
  return both(within("losses", losses, 1e-4), within("gradients", gradients, 1e-3));
}

Finding stepsRepeat(const at::Device& device) {
  const Scene made = scene().to(device);
  std::vector<at::Tensor> first;
  for (int run = 0; run < 3; ++run) {
    Training training(device);
    for (int i = 0; i < 4; ++i) training.step(made);
    for (std::size_t i = 0; i < training.parameters().size(); ++i) {
      if (run == 0) {
        first.push_back(training.parameters()[i].detach().clone());
      } else if (!at::equal(first[i], training.parameters()[i])) {
        return {false, "another run has other weights"};
      }
    }
  }
  return {true, "three runs of four steps, the same weights"};
}

Finding aStepWaitsForNothing(const at::Device& device) {
  const Scene made = scene().to(device);
  Training training(device);
  for (int i = 0; i < 3; ++i) training.step(made);
  try {
    const NoWaiting guard(device);
    for (int i = 0; i < 3; ++i) training.step(made);
  } catch (const c10::Error& error) {
    return {false, error.what_without_backtrace()};
  }
  return {true,
          device.is_cuda() ? "no host synchronisation in three steps" : "nothing to wait for"};
}

/// Of a R50-FPN in bfloat16 with frozen norms, stem and first stage, whatever the size of the
/// images.
Finding operatorsOfAStep(const at::Device& device) {
  config::ModelConfig config;
  config.norm = "frozen_batch";
  config.freezeStages = 2;
  const Scene made = makeScene({3, 0}, {128, 160}, 5).to(device);
  Training training(device, at::kBFloat16, config);
  training.step(made);
  const OperatorCount count;
  training.step(made);
  const std::string waits = count.waits();
  return {waits.empty(), std::to_string(count.total()) + ", of them ours " +
                             std::to_string(count.ours()) + ", to wait for " +
                             (waits.empty() ? "none" : waits) + "; " + count.commonest(6)};
}

/// A step in halves beside one in float32.
Finding halvesStayNear(const at::Device& device, at::ScalarType type) {
  const Scene made = scene().to(device);
  Training wide(device), half(device, type);
  const double difference = relativeDifference(half.step(made), wide.step(made));
  const at::Tensor first = half.step(made);  // the update was one
  // Without norms that follow the data, features of random weights are large, and so are
  // differences.
  return both(within("losses", difference, 0.1),
              {at::isfinite(first).all().item<bool>(), "finite after the update"});
}

Finding bfloat16StaysNear(const at::Device& device) {
  return halvesStayNear(device, at::kBFloat16);
}

Finding float16StaysNear(const at::Device& device) {
  if (device.is_cpu()) return {true, "for a GPU alone"};
  return halvesStayNear(device, at::kHalf);
}

Finding recordedStepsAreTheSame(const at::Device& device) {
#ifdef LOCKSTEP_CUDA
  if (device.is_cuda()) {
    const Scene wide = scene().to(device), tall = makeScene({3, 8}, {320, 256}, 9).to(device);
    Training plain(device), recorded(device);
    recorded.model().recordSteps(model::cudaRecorder());
    for (const Scene* each : {&wide, &wide, &tall, &wide, &tall, &tall, &wide}) {
      const double difference = relativeDifference(recorded.step(*each), plain.step(*each));
      if (difference > 1e-5) return within("losses", difference, 1e-5);
    }
    const model::RecordedFunction& steps = *recorded.model().recordedSteps();
    return {steps.failure().empty() && steps.recordedShapes() == 2,
            std::to_string(steps.recordedShapes()) + " sizes recorded " + steps.failure()};
  }
#endif
  return {device.is_cpu(), "for a GPU alone"};
}

Finding detectionsAreTheSame(const at::Device& device) {
  const at::NoGradGuard noGradients;
  const Scene made = scene();
  Training here(at::kCPU), there(device);
  here.model().eval();
  there.model().eval();
  const auto expected = here.model().detect(made.images, made.sizes);
  const auto got = there.model().detect(made.to(device).images, made.sizes);
  std::int64_t repeated = 0, count = 0;
  for (std::size_t n = 0; n < expected.size(); ++n) {
    const at::Tensor boxes = got[n].boxesXyxy.cpu(), classes = got[n].classes.cpu(),
                     scores = got[n].scores.cpu();
    for (std::int64_t d = 0; d < expected[n].scores.size(0); ++d, ++count) {
      repeated += ((boxes - expected[n].boxesXyxy[d]).abs().amax(1) < 0.1)
                      .logical_and(classes == expected[n].classes[d])
                      .logical_and((scores - expected[n].scores[d]).abs() < 1e-3)
                      .any()
                      .item<bool>();
    }
  }
  return {count > 20 && repeated >= count * 98 / 100,
          std::to_string(repeated) + " of " + std::to_string(count) + " repeated"};
}

}  // namespace

std::vector<Check> stepChecks() {
  return {{"losses and gradients, float64", gradientsAreTheSame},
          {"steps repeat", stepsRepeat},
          {"a step waits for nothing", aStepWaitsForNothing},
          {"operators of a step, R50-FPN", operatorsOfAStep},
          {"bfloat16", bfloat16StaysNear},
          {"float16 with a loss scale", float16StaysNear},
          {"recorded steps", recordedStepsAreTheSame},
          {"detections", detectionsAreTheSame}};
}

}  // namespace lockstep::gpu
