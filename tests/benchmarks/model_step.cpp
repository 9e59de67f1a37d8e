// Steps of our model on the batches and weights that model_step.py left in a folder, one command a
// line on standard input:
//   train N    one training step on batch N; answers its seconds, its processor seconds and the
//              sum of its losses
//   stats N    the same, with tensor statistics due (monitor.tensor_stats_every)
//   detect N   detections with full-size masks; answers the same with how many there are
// usage: model_step FOLDER CONFIG.yaml THREADS PRECISION [TRACE.json]
// TRACE: where LibTorch's operators spend their time
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
#include "engine/ops/paste_masks.h"
#include "tests/support/training.h"

using namespace lockstep;

namespace {

class Stepper {
 public:
  /// Weights and batches of the folder; the computing type of runtime.precision.
  Stepper(const std::filesystem::path& folder, const config::Experiment& experiment)
      : Stepper(folder, experiment, checkpoint::readSafetensors(folder / "weights.safetensors")) {}

  double train(const data::Batch& batch, bool withStatistics) {
    training_.model().train();
    return training_.step(batch, 0.01, withStatistics).sum().item<double>();
  }

  double detect(const data::Batch& batch) {
    training_.model().eval();
    const at::InferenceMode inference;
    const auto detections = training_.model().detect(batch.images, batch.sizes);
    std::size_t count = 0;
    for (std::size_t i = 0; i < detections.size(); ++i) {
      count +=
          ops::pasteMasks(detections[i].maskProbs, detections[i].boxesXyxy, batch.sizes[i]).size();
    }
    return static_cast<double>(count);
  }

  data::Batch batch(int number) const {
    const auto file = folder_ / ("batch-" + std::to_string(number) + ".safetensors");
    const auto tensors = checkpoint::readSafetensors(file).tensors;
    return tests::batchOf({tensors.begin(), tensors.end()});
  }

 private:
  Stepper(const std::filesystem::path& folder, const config::Experiment& experiment,
          const checkpoint::SafetensorsFile& weights)
      : folder_(folder),
        training_(at::kCPU,
                  {.model = experiment.model,
                   .classes = weights.find("roi_heads.box_predictor.cls_score.bias")->size(0),
                   .solver = experiment.solver,
                   .type = experiment.runtime.precision == config::Precision::Bf16 ? at::kBFloat16
                                                                                   : at::kFloat}) {
    const at::NoGradGuard noGrad;
    for (auto& [name, tensor] : training_.model().namedState())
      tensor.copy_(weights.find(name)->view(tensor.sizes()));
  }

  std::filesystem::path folder_;
  tests::Training training_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) {
    std::fprintf(stderr, "usage: model_step FOLDER CONFIG.yaml THREADS PRECISION [TRACE.json]\n");
    return 2;
  }
  at::set_num_threads(std::stoi(argv[3]));
  config::Experiment experiment = config::loadExperiment(argv[2]).experiment;
  experiment.runtime.precision = base::parseEnum<config::Precision>(argv[4]);
  Stepper stepper(argv[1], experiment);
  std::unique_ptr<torch::autograd::profiler::RecordProfile> trace;
  if (argc == 6) trace = std::make_unique<torch::autograd::profiler::RecordProfile>(argv[5]);
  std::string command;
  int number = 0;
  while (std::cin >> command >> number) {
    const data::Batch batch = stepper.batch(number);
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t cpuBegin = std::clock();
    const double result =
        command == "detect" ? stepper.detect(batch) : stepper.train(batch, command == "stats");
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    const double cpuSeconds = static_cast<double>(std::clock() - cpuBegin) / CLOCKS_PER_SEC;
    std::cout << seconds.count() << ' ' << cpuSeconds << ' ' << result << std::endl;
  }
  return 0;
}
