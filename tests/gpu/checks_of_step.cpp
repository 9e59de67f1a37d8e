#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/torch.h>

#include <functional>
#include <memory>
#include <optional>

#include "engine/model/cuda_graph.h"
#include "engine/model/mask_rcnn.h"
#include "tests/gpu/check.h"
#include "tests/gpu/no_waiting.h"
#include "tests/gpu/operator_count.h"
#include "tests/gpu/scene.h"

namespace lockstep::gpu {
namespace {

using tests::Training;

/// Small when the checks run on a CPU.
data::Batch sceneFor(const at::Device& device) {
  return device.is_cpu() ? makeScene({5, 0}, {96, 128}, 7) : makeScene({5, 0, 17}, {256, 320}, 7);
}

Finding gradientsAreTheSame(const at::Device& device) {
  data::Batch made = sceneFor(device);
  made.images = made.images.to(at::kDouble);
  Training here(at::kCPU, smallTraining(at::kDouble)), there(device, smallTraining(at::kDouble));
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

/// LibTorch itself checks for non-deterministic operators.
Finding operatorsAreDeterministic(const at::Device& device) {
  const data::Batch made = sceneFor(device).to(device);
  Training training(device, smallTraining());
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
  Finding finding{true, "LibTorch knows of none that is not"};
  try {
    training.step(made);
  } catch (const c10::Error& error) {
    finding = {false, error.what_without_backtrace()};
  }
  at::globalContext().setDeterministicAlgorithms(false, false);
  return finding;
}

Finding stepsRepeat(const at::Device& device) {
  const data::Batch made = sceneFor(device).to(device);
  const int runs = device.is_cpu() ? 2 : 3, steps = device.is_cpu() ? 2 : 4;
  std::vector<at::Tensor> first;
  for (int run = 0; run < runs; ++run) {
    Training training(device, smallTraining());
    for (int i = 0; i < steps; ++i) training.step(made);
    for (std::size_t i = 0; i < training.parameters().size(); ++i) {
      if (run == 0) {
        first.push_back(training.parameters()[i].detach().clone());
      } else if (!at::equal(first[i], training.parameters()[i])) {
        return {false, "another run has other weights"};
      }
    }
  }
  return {true,
          std::to_string(runs) + " runs of " + std::to_string(steps) + " steps, the same weights"};
}

Finding aStepWaitsForNothing(const at::Device& device) {
  const data::Batch made = sceneFor(device).to(device);
  Training training(device, smallTraining());
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

constexpr std::int64_t kMostOperators = 950, kMostOfStatistics = 30;

std::int64_t operatorsIn(const std::function<void()>& work) {
  const OperatorCount count;
  work();
  return count.total();
}

/// The number of kernel launches of an R50-FPN in bfloat16 with frozen norms, stem and first stage,
/// whatever the size of the images and the number of RoIs.
Finding operatorsOfAStep(const at::Device& device) {
  const at::ScalarType type = quickType(device);
  tests::TrainingSetup setup = smallTraining(type);
  setup.model = tests::modelAsPretrained();
  setup.model.boxHead.batchSizePerImage = 32;
  const data::Batch made = makeScene({3, 0}, {128, 160}, 5).to(device);
  Training training(device, setup);
  training.step(made, 0.01, true);  // allocates
  const std::int64_t withStatistics = operatorsIn([&] { training.step(made, 0.01, true); });
  const OperatorCount count;
  training.step(made);
  const std::int64_t ofStatistics = withStatistics - count.total();
  const std::string synchronisations = count.synchronisations(), atomics = count.atomics();
  return {synchronisations.empty() && atomics.empty() && count.total() <= kMostOperators &&
              ofStatistics <= kMostOfStatistics,
          std::string("in ") + c10::toString(type) + " " + std::to_string(count.total()) +
              ", of them ours " + std::to_string(count.ours()) + ", to wait for " +
              (synchronisations.empty() ? "none" : synchronisations) + ", that add in any order " +
              (atomics.empty() ? "none" : atomics) + "; " + count.mostFrequent(6) +
              "; for tensor statistics " + std::to_string(ofStatistics) + " more"};
}

/// A step in half precision compared with one in float32.
Finding halvesStayNear(const at::Device& device, at::ScalarType type) {
  const data::Batch made = sceneFor(device).to(device);
  Training wide(device, smallTraining()), half(device, smallTraining(type));
  const double difference = relativeDifference(half.step(made), wide.step(made));
  const at::Tensor first = half.step(made);  // the update was not skipped
  // With frozen norms, features of random weights are large, and so are
  // differences.
  return both(within("losses", difference, 0.1),
              {at::isfinite(first).all().item<bool>(), "finite after the update"});
}

Finding bfloat16StaysNear(const at::Device& device) {
  if (quickType(device) != at::kBFloat16)
    return {true, "this processor does not compute in it", /*isSkipped=*/true};
  return halvesStayNear(device, at::kBFloat16);
}

Finding float16StaysNear(const at::Device& device) {
  if (device.is_cpu()) return {true, "for a GPU alone", /*isSkipped=*/true};
  return halvesStayNear(device, at::kHalf);
}

Finding stepsInCudaGraphsAreTheSame(const at::Device& device) {
  if (device.is_cpu()) return {true, "for a GPU alone", /*isSkipped=*/true};
  const c10::impl::VirtualGuardImpl devices(device.type());
  const c10::StreamGuard beside(devices.getStreamFromGlobalPool(device));
  const data::Batch wide = sceneFor(device).to(device),
                    tall = makeScene({3, 8}, {320, 256}, 9).to(device);
  Training plain(device, smallTraining()), captured(device, smallTraining());
  captured.model().useCudaGraphs(model::cudaGraphCapture());
  for (const data::Batch* each : {&wide, &wide, &tall, &wide, &tall, &tall, &wide}) {
    const double difference = relativeDifference(captured.step(*each), plain.step(*each));
    if (difference > 1e-5) return within("losses", difference, 1e-5);
  }
  const model::CudaGraphFunction& graphs = *captured.model().cudaGraphs();
  return {graphs.failure().empty() && graphs.capturedShapes() == 2,
          std::to_string(graphs.capturedShapes()) + " sizes captured " + graphs.failure()};
}

Finding detectionsAreTheSame(const at::Device& device) {
  const at::NoGradGuard noGradients;
  const data::Batch made = sceneFor(device);
  Training here(at::kCPU, smallTraining()), there(device, smallTraining());
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
          {"operators are deterministic", operatorsAreDeterministic},
          {"steps repeat", stepsRepeat},
          {"a step waits for nothing", aStepWaitsForNothing},
          {"operators of a step, R50-FPN", operatorsOfAStep},
          {"bfloat16", bfloat16StaysNear},
          {"float16 with a loss scale", float16StaysNear},
          {"recorded steps", stepsInCudaGraphsAreTheSame},
          {"detections", detectionsAreTheSame}};
}

}  // namespace lockstep::gpu
