// Steps of Mask R-CNN R50-FPN on a GPU, on the batches that gpu_step.py left in a folder, one
// command a line on standard input:
//   train FILE N      N training steps on the batch; answers the seconds of each in turn
//   detect FILE N     the same for detections
//   profile FILE OUT  writes the kernels of 3 training steps, one a line: milliseconds, count and
//                     name, with tabs between; answers the sum of milliseconds
//   memory            answers the most bytes in use since it was asked last
// usage: gpu_step CLASSES float32|bfloat16|float16 [cuda|recorded|cpu] [fixed|compact]
//   recorded: with CUDA graphs. fixed, compact: rows of the heads, if other than the device's own.
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/autograd/profiler_kineto.h>
#include <torch/cuda.h>
#include <torch/script.h>
#include <torch/types.h>
#ifdef LOCKSTEP_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#endif

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "engine/model/cuda_graph.h"
#include "tests/support/training.h"

using namespace lockstep;

namespace {

data::Batch readBatch(const std::string& file, const at::Device& device) {
  std::map<std::string, at::Tensor> tensors;
  for (const auto& item : torch::jit::load(file).named_buffers()) tensors[item.name] = item.value;
  return tests::batchOf(tensors).to(device);
}

class Stepper {
 public:
  Stepper(const tests::TrainingSetup& setup, const at::Device& device, bool isRecorded)
      : device_(device), training_(device, setup) {
    if (isRecorded) training_.model().useCudaGraphs(model::cudaGraphCapture());
  }

  void train(const data::Batch& batch) {
    training_.model().train();
    training_.step(batch, 1e-4);
    const model::CudaGraphFunction* graphs = training_.model().cudaGraphs();
    if (graphs != nullptr && !graphs->failure().empty())
      throw std::runtime_error("gpu_step: steps are not captured: " + graphs->failure());
  }

  void detect(const data::Batch& batch) {
    training_.model().eval();
    const at::NoGradGuard noGradients;
    training_.model().detect(batch.images, batch.sizes);
  }

  void wait() const {
    if (device_.is_cuda()) torch::cuda::synchronize();
  }

 private:
  at::Device device_;
  tests::Training training_;
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

/// Writes the kernels' time in a few training steps; returns their sum in milliseconds.
double writeKernels(Stepper& stepper, const data::Batch& batch, const std::string& out) {
  namespace profiler = torch::profiler::impl;
  const profiler::ProfilerConfig config(profiler::ProfilerState::KINETO);
  const std::set<profiler::ActivityType> activities{profiler::ActivityType::CUDA};
  torch::autograd::profiler::prepareProfiler(config, activities);
  torch::autograd::profiler::enableProfiler(config, activities);
  for (int i = 0; i < 3; ++i) stepper.train(batch);
  stepper.wait();
  const auto profile = torch::autograd::profiler::disableProfiler();
  if (!profile) throw std::runtime_error("gpu_step: another process profiles the GPU");
  struct Share {
    double milliseconds = 0;
    int count = 0;
  };
  std::map<std::string, Share> shares;
  double sum = 0;
  for (const auto& event : profile->events()) {
    if (event.deviceType() != at::kCUDA) continue;
    Share& share = shares[event.name()];
    const double milliseconds = static_cast<double>(event.durationNs()) / 1e6;
    share.milliseconds += milliseconds;
    ++share.count;
    sum += milliseconds;
  }
  std::ofstream file(out);
  for (const auto& [name, share] : shares)
    file << share.milliseconds << '\t' << share.count << '\t' << name << '\n';
  return sum;
}

void answer(Stepper& stepper, const std::string& line, const at::Device& device) {
  char what[16], file[1024], out[1024];
  int count = 0;
  if (line == "memory") {
    std::printf("%lld\n", static_cast<long long>(mostBytes(device)));
  } else if (std::sscanf(line.c_str(), "profile %1023s %1023s", file, out) == 2) {
    std::printf("%.6f\n", writeKernels(stepper, readBatch(file, device), out));
  } else if (std::sscanf(line.c_str(), "%15s %1023s %d", what, file, &count) == 3) {
    const data::Batch batch = readBatch(file, device);
    for (int i = 0; i < count; ++i) {
      stepper.wait();
      const auto begin = std::chrono::steady_clock::now();
      std::string(what) == "train" ? stepper.train(batch) : stepper.detect(batch);
      stepper.wait();
      std::printf("%.6f ",
                  std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::printf("\n");
  } else {
    throw std::invalid_argument("gpu_step: unknown command '" + line + "'");
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, at::ScalarType> precisions{
      {"float32", at::kFloat}, {"bfloat16", at::kBFloat16}, {"float16", at::kHalf}};
  const std::map<std::string, model::RowShapes> shapes{{"fixed", model::RowShapes::Fixed},
                                                       {"compact", model::RowShapes::Compact}};
  if (argc < 3 || argc > 5 || !precisions.contains(argv[2]) ||
      (argc == 5 && !shapes.contains(argv[4]))) {
    std::fputs(
        "usage: gpu_step CLASSES float32|bfloat16|float16 [cuda|recorded|cpu] [fixed|compact]\n",
        stderr);
    return 2;
  }
  const std::string where = argc > 3 ? argv[3] : "cuda";
  if (where != "cpu" && !torch::cuda::is_available()) {
    std::puts("SKIP: no GPU");
    return 77;
  }
  const at::Device device = where == "cpu" ? at::Device(at::kCPU) : at::Device(at::kCUDA, 0);
  at::globalContext().setAllowTF32CuDNN(true);
  at::globalContext().setAllowTF32CuBLAS(true);
  if (where == "recorded") {
    const c10::impl::VirtualGuardImpl devices(at::kCUDA);
    devices.exchangeStream(devices.getStreamFromGlobalPool(device));
  }
  tests::TrainingSetup setup{.model = tests::modelAsPretrained(),
                             .classes = std::stoll(argv[1]),
                             .type = precisions.at(argv[2])};
  if (argc == 5) setup.rowShapes = shapes.at(argv[4]);
  Stepper stepper(setup, device, where == "recorded");
  for (std::string line; std::getline(std::cin, line);) answer(stepper, line, device);
}
