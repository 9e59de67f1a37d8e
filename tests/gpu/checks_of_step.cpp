#include <torch/torch.h>

#include <memory>
#include <optional>

#include "engine/model/mask_rcnn.h"
#include "engine/solver/gradient_clip.h"
#include "engine/solver/optimizer.h"
#include "tests/gpu/check.h"
#include "tests/gpu/no_waiting.h"
#include "tests/gpu/scene.h"

namespace lockstep::gpu {
namespace {

constexpr std::int64_t kClasses = 6;

/// A model with its optimizer on a device.
class Training {
 public:
  explicit Training(const at::Device& device, at::ScalarType type = at::kFloat)
      : model_(std::make_shared<model::MaskRcnn>(smallModel(), kClasses, 1)) {
    model_->to(device, type);
    model_->setRowShapes(model::RowShapes::Fixed);
    model_->train();
    std::vector<solver::Parameter> parameters;
    for (const model::ParameterInfo& info : model_->trainableParameters()) {
      parameters.push_back({info.name, info.tensor, info.inBackbone,
                            info.role == model::ParameterInfo::Role::Norm,
                            info.role == model::ParameterInfo::Role::Bias});
      tensors_.push_back(info.tensor);
    }
    optimizer_ = solver::makeOptimizer({}, std::move(parameters));
    notFinite_ = at::zeros({}, at::TensorOptions(at::kFloat).device(device));
  }

  model::MaskRcnn& model() { return *model_; }
  const std::vector<at::Tensor>& parameters() const { return tensors_; }

  model::Losses gradients(const Scene& scene) {
    optimizer_->zeroGradients();
    const model::Losses losses = model_->losses(scene.images, scene.sizes, scene.gts, scene.keys);
    losses.total({}).backward();
    return losses;
  }
  /// Everything of a step but the loading. Returns its losses [5].
  at::Tensor step(const Scene& scene) {
    const model::Losses losses = gradients(scene);
    const at::Tensor norm = solver::clipGradientNorm(tensors_, 10);
    notFinite_ = at::maximum(notFinite_, (~at::isfinite(norm)).to(at::kFloat));
    optimizer_->step(0.01, notFinite_);
    std::vector<at::Tensor> values;
    for (const auto& [name, loss] : losses.named()) values.push_back(loss.detach());
    return at::stack(values);
  }

 private:
  std::shared_ptr<model::MaskRcnn> model_;
  std::unique_ptr<solver::Optimizer> optimizer_;
  std::vector<at::Tensor> tensors_;
  at::Tensor notFinite_;
};

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
          {"detections", detectionsAreTheSame}};
}

}  // namespace lockstep::gpu
