// Steps of Mask R-CNN R50-FPN on a GPU, on the batches that gpu_step.py left in a folder, one
// command a line on standard input:
//   train FILE N    N training steps on the batch; answers the seconds of each in turn
//   detect FILE N   the same for detections
//   memory          answers the most bytes in use since it was asked last
// usage: gpu_step CLASSES float32|bfloat16|float16 [cuda|recorded|cpu]     recorded: as CUDA graphs
#include <torch/cuda.h>
#include <torch/script.h>
#include <torch/types.h>
#ifdef LOCKSTEP_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#endif

#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "engine/model/cuda_recorder.h"
#include "engine/model/mask_rcnn.h"
#include "engine/solver/weight_update.h"
#include "tests/support/masks.h"

using namespace lockstep;

namespace {

struct Batch {
  at::Tensor images;
  std::vector<ops::ImageSize> sizes;
  ops::GtBatch gts;
  std::vector<std::uint64_t> keys;
};

Batch readBatch(const std::string& file, const at::Device& device) {
  std::map<std::string, at::Tensor> tensors;
  for (const auto& item : torch::jit::load(file).named_buffers()) tensors[item.name] = item.value;
  Batch batch{tensors.at("images").to(device), {}, {}, {}};
  const at::Tensor sizes = tensors.at("sizes");
  std::vector<ops::GtInstances> gts;
  for (std::int64_t i = 0; i < sizes.size(0); ++i) {
    const std::string number = std::to_string(i);
    batch.sizes.push_back({sizes[i][0].item<std::int64_t>(), sizes[i][1].item<std::int64_t>()});
    gts.push_back({tensors.at("boxes_" + number), tensors.at("classes_" + number),
                   tests::cropped(tensors.at("masks_" + number))});
    batch.keys.push_back(static_cast<std::uint64_t>(i));
  }
  batch.gts = ops::batchGroundTruth(gts).to(device);
  return batch;
}

/// Frozen norms, stem and first stage, as with pretrained weights.
config::ModelConfig modelConfig() {
  config::ModelConfig config;
  config.norm = "frozen_batch";
  config.freezeStages = 2;
  return config;
}

class Stepper {
 public:
  Stepper(std::int64_t classes, at::ScalarType precision, const at::Device& device, bool isRecorded)
      : device_(device), model_(std::make_shared<model::MaskRcnn>(modelConfig(), classes, 1)) {
    model_->to(device);
    model_->setComputeType(precision);
#ifdef LOCKSTEP_CUDA
    if (isRecorded) model_->recordSteps(model::cudaRecorder());
#else
    static_cast<void>(isRecorded);
#endif
    std::vector<solver::Parameter> parameters;
    for (const model::ParameterInfo& info : model_->trainableParameters())
      parameters.push_back({info.name, info.tensor, info.inBackbone, false, false});
    update_ = std::make_unique<solver::WeightUpdate>(config::SolverConfig(), std::move(parameters),
                                                     precision == at::kHalf);
  }

  void train(const Batch& batch) {
    model_->train();
    update_->zeroGradients();
    const at::Tensor total =
        model_->losses(batch.images, batch.sizes, batch.gts, batch.keys).total({});
    update_->scaled(total).backward();
    update_->apply(1e-4, at::isfinite(total.detach()).logical_not().to(at::kFloat));
  }

  void detect(const Batch& batch) {
    model_->eval();
    const at::NoGradGuard noGradients;
    model_->detect(batch.images, batch.sizes);
  }

  void wait() const {
    if (device_.is_cuda()) torch::cuda::synchronize();
  }

 private:
  at::Device device_;
  std::shared_ptr<model::MaskRcnn> model_;
  std::unique_ptr<solver::WeightUpdate> update_;
};

std::int64_t mostBytes(const at::Device& device) {
  std::int64_t bytes = 0;
#ifdef LOCKSTEP_CUDA
  if (device.is_cuda()) {
    bytes = c10::cuda::CUDACachingAllocator::getDeviceStats(device.index()).allocated_bytes[0].peak;
    c10::cuda::CUDACachingAllocator::resetPeakStats(device.index());
  }
#else
  static_cast<void>(device);
#endif
  return bytes;
}

void answer(Stepper& stepper, const std::string& line, const at::Device& device) {
  char what[16], file[1024];
  int count = 0;
  if (line == "memory") {
    std::printf("%lld\n", static_cast<long long>(mostBytes(device)));
  } else if (std::sscanf(line.c_str(), "%15s %1023s %d", what, file, &count) == 3) {
    const Batch batch = readBatch(file, device);
    for (int i = 0; i < count; ++i) {
      stepper.wait();
      const auto begin = std::chrono::steady_clock::now();
      std::string(what) == "train" ? stepper.train(batch) : stepper.detect(batch);
      stepper.wait();
      std::printf("%.6f ",
                  std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::printf("\n");
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, at::ScalarType> precisions{
      {"float32", at::kFloat}, {"bfloat16", at::kBFloat16}, {"float16", at::kHalf}};
  const std::string where = argc == 4 ? argv[3] : "cuda";
  if ((argc != 3 && argc != 4) || !precisions.contains(argv[2])) {
    std::fputs("usage: gpu_step CLASSES float32|bfloat16|float16 [cuda|recorded|cpu]\n", stderr);
    return 2;
  }
  if (where != "cpu" && !torch::cuda::is_available()) {
    std::puts("SKIP: no GPU");
    return 77;
  }
  const at::Device device = where == "cpu" ? at::Device(at::kCPU) : at::Device(at::kCUDA, 0);
  at::globalContext().setAllowTF32CuDNN(true);
  at::globalContext().setAllowTF32CuBLAS(true);
  Stepper stepper(std::stoll(argv[1]), precisions.at(argv[2]), device, where == "recorded");
  for (std::string line; std::getline(std::cin, line);) answer(stepper, line, device);
}
