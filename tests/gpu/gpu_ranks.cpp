// Gradients averaged over ranks on one GPU: a group of one over NCCL, and two processes over Gloo.
// usage: gpu_ranks [cuda|cpu]      cpu: two processes on the CPU. Exits 77 if there is no GPU.
//        gpu_ranks rank DEVICE PORT    rank 1 of the two, which the first starts
#include <sys/wait.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#ifdef LOCKSTEP_CUDA
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "engine/dist/reduced_gradients.h"
#endif
#include "engine/dist/group_backends.h"
#include "engine/dist/world.h"
#include "engine/model/cuda_graph.h"
#include "tests/gpu/check.h"
#include "tests/gpu/scene.h"

namespace lockstep::gpu {
namespace {

using tests::Training;

/// The images of a rank.
data::Batch partOf(int rank, const at::Device& device) {
  const std::vector<int> counts = rank == 0 ? std::vector<int>{5, 0} : std::vector<int>{9, 2};
  return makeScene(counts, {192, 256}, 20 + static_cast<std::uint64_t>(rank)).to(device);
}

at::Device deviceOf(const std::string& name) {
  return name == "cpu" ? at::Device(at::kCPU) : at::Device(at::kCUDA, 0);
}

void averageOwnPart(Training& training, dist::World& world, const at::Device& device) {
  const auto average = world.averageGradients(training.parameters(), 1, config::Backend::Gloo);
  average->backward(training.losses(partOf(world.rank(), device)).total({}),
                    at::ones({1}, at::TensorOptions(at::kFloat).device(device)), true);
}

/// Largest difference over all parameters, relative to the largest value of each.
double gradientDifference(const Training& one, const Training& other) {
  double most = 0;
  for (std::size_t i = 0; i < one.parameters().size(); ++i) {
    most = std::max(most,
                    relativeDifference(one.parameters()[i].grad(), other.parameters()[i].grad()));
  }
  return most;
}

int runSecondRank(const std::string& device, int port) {
  const auto world = dist::joinWorld({.localRank = 1, .localRanks = 2, .masterPort = port});
  Training training(deviceOf(device), smallTraining());
  averageOwnPart(training, *world, deviceOf(device));
  return 0;
}

/// The other rank, in its own process.
pid_t startSecondRank(const std::string& device, int port) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::execl("/proc/self/exe", "gpu_ranks", "rank", device.c_str(), std::to_string(port).c_str(),
          static_cast<char*>(nullptr));
  std::_Exit(127);
}

/// Compared with one rank that accumulates both micro-batches.
Finding twoRanksAreOneThatAccumulates(const at::Device& device) {
  if (!dist::hasGloo()) return {true, "built without Gloo (libgloo-dev)", /*isSkipped=*/true};
  const std::string name = device.is_cpu() ? "cpu" : "cuda";
  pid_t child = -1;
  const auto world =
      dist::joinWorld({.localRank = 0, .localRanks = 2, .onListening = [&](int port) {
                         child = startSecondRank(name, port);
                       }});
  Training ranks(device, smallTraining()), alone(device, smallTraining());
  averageOwnPart(ranks, *world, device);
  for (int part = 0; part < 2; ++part)
    (alone.losses(partOf(part, device)).total({}) / 2).backward();
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) return {false, "the other rank failed"};
  return within("gradients", gradientDifference(ranks, alone), 1e-5);
}

#ifdef LOCKSTEP_CUDA
c10::intrusive_ptr<c10d::ProcessGroup> groupOfOne() {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  const auto group = c10::make_intrusive<c10d::ProcessGroup>(store, 0, 1);
  dist::addNccl(*group, {store, 0, 1});
  return group;
}
#endif

/// Gradients of several steps all-reduced with NCCL, with or without CUDA graphs, compared with
/// plain ones.
Finding aGroupOfOneOverNccl(const at::Device& device, [[maybe_unused]] bool isRecorded) {
  if (device.is_cpu()) return {true, "for a GPU alone", /*isSkipped=*/true};
#ifdef LOCKSTEP_CUDA
  const c10::impl::VirtualGuardImpl devices(at::kCUDA);
  const c10::StreamGuard beside(devices.getStreamFromGlobalPool(device));
  Training reduced(device, smallTraining()), plain(device, smallTraining());
  if (isRecorded) reduced.model().useCudaGraphs(model::cudaGraphCapture());
  dist::ReducedGradients average(reduced.parameters(), 1, groupOfOne(), [](const char*, bool) {});
  const data::Batch part = partOf(0, device);
  double most = 0;
  for (int step = 0; step < 5; ++step) {
    reduced.zeroGradients();
    average.backward(reduced.losses(part).total({}),
                     at::ones({1}, at::TensorOptions(at::kFloat).device(device)), true);
    plain.gradients(part);
    most = std::max(most, gradientDifference(reduced, plain));
  }
  const Finding gradients = within("gradients", most, 1e-5);
  if (!isRecorded) return both(gradients, {average.waitSeconds() >= 0, "wait times are reported"});
  const model::CudaGraphFunction& graphs = *reduced.model().cudaGraphs();
  return both(gradients,
              {graphs.failure().empty() && graphs.capturedShapes() == 1,
               std::to_string(graphs.capturedShapes()) + " captured " + graphs.failure()});
#else
  return {false, "built without CUDA"};
#endif
}

}  // namespace
}  // namespace lockstep::gpu

int main(int argc, char** argv) {
  using namespace lockstep::gpu;
  makeLibrariesExact();
  if (argc == 4 && std::strcmp(argv[1], "rank") == 0)
    return runSecondRank(argv[2], std::atoi(argv[3]));
  const std::string device = argc == 2 ? argv[1] : "cuda";
  if (device != "cpu" && !torch::cuda::is_available()) {
    std::puts("SKIP: no GPU");
    return 77;
  }
  const std::vector<Check> checks{
      {"a group of one over NCCL",
       [](const at::Device& on) { return aGroupOfOneOverNccl(on, /*isRecorded=*/false); }},
      {"the same, recorded",
       [](const at::Device& on) { return aGroupOfOneOverNccl(on, /*isRecorded=*/true); }},
      {"two ranks over Gloo", twoRanksAreOneThatAccumulates}};
  return runAll(checks, deviceOf(device), argv);
}
