// Steps of our model on the batches and weights that model_step.py left in a folder, one command a
// line on standard input:
//   train N    one training step on batch N; answers its seconds, its processor seconds and the sum
//   of its losses detect N   detections with full-size masks; answers the same with how many there
//   are
// usage: model_step FOLDER CONFIG.yaml THREADS [TRACE.json]   TRACE: where LibTorch's operators
// spend their time
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/profiler_legacy.h>
#include <torch/torch.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <string>

#include "engine/checkpoint/safetensors.h"
#include "engine/config/load.h"
#include "engine/model/mask_rcnn.h"
#include "engine/ops/paste_masks.h"
#include "engine/solver/gradient_clip.h"
#include "engine/solver/optimizer.h"
#include "tests/support/masks.h"

using namespace lockstep;

namespace {

struct Batch {
  at::Tensor images;
  std::vector<ops::ImageSize> sizes;
  ops::GtBatch gts;
  std::vector<std::uint64_t> keys;
};

Batch readBatch(const std::filesystem::path& file) {
  const auto content = checkpoint::readSafetensors(file);
  Batch batch{*content.find("images"), {}, {}, {}};
  const at::Tensor sizes = *content.find("sizes");
  std::vector<ops::GtInstances> gts;
  for (std::int64_t i = 0; i < sizes.size(0); ++i) {
    const std::string number = std::to_string(i);
    batch.sizes.push_back({sizes[i][0].item<std::int64_t>(), sizes[i][1].item<std::int64_t>()});
    gts.push_back({*content.find("boxes." + number), *content.find("classes." + number),
                   tests::cropped(*content.find("masks." + number))});
    batch.keys.push_back(static_cast<std::uint64_t>(i));
  }
  batch.gts = ops::batchGroundTruth(gts);
  return batch;
}

std::vector<solver::Parameter> solverParameters(const model::MaskRcnn& model) {
  std::vector<solver::Parameter> parameters;
  for (const model::ParameterInfo& info : model.trainableParameters()) {
    parameters.push_back({info.name, info.tensor, info.inBackbone,
                          info.role == model::ParameterInfo::Role::Norm,
                          info.role == model::ParameterInfo::Role::Bias});
  }
  return parameters;
}

class Stepper {
 public:
  Stepper(const std::filesystem::path& folder, const config::Experiment& experiment)
      : folder_(folder), solver_(experiment.solver) {
    const auto weights = checkpoint::readSafetensors(folder / "weights.safetensors");
    const auto classes = weights.find("roi_heads.box_predictor.cls_score.bias")->size(0);
    model_ = std::make_unique<model::MaskRcnn>(experiment.model, classes, 1);
    const at::NoGradGuard noGrad;
    for (auto& [name, tensor] : model_->namedState()) tensor.copy_(*weights.find(name));
    optimizer_ = solver::makeOptimizer(solver_, solverParameters(*model_));
    for (const auto& parameter : optimizer_->parameters()) tensors_.push_back(parameter.tensor);
  }

  double train(const Batch& batch) {
    model_->train();
    const model::Losses losses = model_->losses(batch.images, batch.sizes, batch.gts, batch.keys);
    const at::Tensor total = losses.total(solver_.lossWeights);
    optimizer_->zeroGradients();
    total.backward();
    solver::clipGradientNorm(tensors_, solver_.clipGradNorm);
    optimizer_->step(0.01);
    return total.item<double>();
  }

  double detect(const Batch& batch) {
    model_->eval();
    const at::InferenceMode inference;
    const auto detections = model_->detect(batch.images, batch.sizes);
    std::size_t count = 0;
    for (std::size_t i = 0; i < detections.size(); ++i) {
      count +=
          ops::pasteMasks(detections[i].maskProbs, detections[i].boxesXyxy, batch.sizes[i]).size();
    }
    return static_cast<double>(count);
  }

  Batch batch(int number) const {
    return readBatch(folder_ / ("batch-" + std::to_string(number) + ".safetensors"));
  }

 private:
  std::filesystem::path folder_;
  config::SolverConfig solver_;
  std::unique_ptr<model::MaskRcnn> model_;
  std::unique_ptr<solver::Optimizer> optimizer_;
  std::vector<at::Tensor> tensors_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr, "usage: model_step FOLDER CONFIG.yaml THREADS [TRACE.json]\n");
    return 2;
  }
  at::set_num_threads(std::stoi(argv[3]));
  Stepper stepper(argv[1], config::loadExperiment(argv[2]).experiment);
  std::unique_ptr<torch::autograd::profiler::RecordProfile> trace;
  if (argc == 5) trace = std::make_unique<torch::autograd::profiler::RecordProfile>(argv[4]);
  std::string command;
  int number = 0;
  while (std::cin >> command >> number) {
    const Batch batch = stepper.batch(number);
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t cpuBegin = std::clock();
    const double result = command == "train" ? stepper.train(batch) : stepper.detect(batch);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    const double cpuSeconds = static_cast<double>(std::clock() - cpuBegin) / CLOCKS_PER_SEC;
    std::cout << seconds.count() << ' ' << cpuSeconds << ' ' << result << std::endl;
  }
  return 0;
}
