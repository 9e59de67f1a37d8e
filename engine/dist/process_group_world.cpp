// World with several ranks, over c10d process groups.
#include <c10/util/Logging.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <set>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#ifdef LOCKSTEP_CUDA
#include <c10/cuda/CUDAException.h>
#include <cuda_runtime_api.h>
#endif

#include "engine/base/error.h"
#include "engine/base/host.h"
#include "engine/dist/group_backends.h"
#include "engine/dist/reduced_gradients.h"
#include "engine/dist/rendezvous.h"
#include "engine/dist/store_monitor.h"

namespace lockstep::dist {
namespace {

using config::Backend;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

at::Tensor bytesTensor(const std::string& bytes) {
  // const_cast: a tensor that is sent is only read.
  return at::from_blob(const_cast<char*>(bytes.data()), {static_cast<std::int64_t>(bytes.size())},
                       at::kByte);
}

/// The PCI bus id of a GPU, because with CUDA_VISIBLE_DEVICES each rank's device 0 may be another
/// GPU.
std::string busAddressOf([[maybe_unused]] const at::Device& device) {
  std::array<char, 32> address{};
#ifdef LOCKSTEP_CUDA
  C10_CUDA_CHECK(
      cudaDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()), device.index()));
#endif
  return address.data();
}

class ProcessGroupWorld : public World {
 public:
  explicit ProcessGroupWorld(const WorldOptions& options)
      : rendezvous_(joinRendezvous(options)),
        observer_(options.onCollective ? options.onCollective : [](const char*, bool) {}) {
    if (options.nodes > 1) monitor_ = makeMonitor(options);
  }

  int rank() const override { return rendezvous_.rank; }
  int size() const override { return rendezvous_.size; }

  std::string broadcastBytes(const std::string& bytes) override {
    c10d::ProcessGroup& group = control();
    at::Tensor count = at::full({1}, static_cast<std::int64_t>(bytes.size()), at::kLong);
    wait("broadcast", [&] { return broadcastOn(group, count); });
    std::string shared = rank() == 0 ? bytes : std::string(count.item<std::int64_t>(), '\0');
    at::Tensor content = bytesTensor(shared);
    if (!shared.empty()) wait("broadcast", [&] { return broadcastOn(group, content); });
    return shared;
  }

  std::vector<std::string> gather(const std::string& bytes) override {
    c10d::ProcessGroup& group = control();
    const at::Tensor own = at::full({1}, static_cast<std::int64_t>(bytes.size()), at::kLong);
    std::vector<std::vector<at::Tensor>> counts(1);
    for (int i = 0; i < size(); ++i) counts[0].push_back(at::zeros({1}, at::kLong));
    std::vector<at::Tensor> sent{own};
    wait("gather", [&] { return group.allgather(counts, sent); });
    if (rank() != 0) {
      std::vector<at::Tensor> content{bytesTensor(bytes)};
      if (!bytes.empty()) wait("gather", [&] { return group.send(content, 0, rank()); });
      return {};
    }
    std::vector<std::string> gathered{bytes};
    for (int from = 1; from < size(); ++from) {
      std::string& received = gathered.emplace_back(counts[0][from].item<std::int64_t>(), '\0');
      std::vector<at::Tensor> content{bytesTensor(received)};
      if (!received.empty()) wait("gather", [&] { return group.recv(content, from, from); });
    }
    return gathered;
  }

  void broadcast(const std::vector<at::Tensor>& tensors) override {
    c10d::ProcessGroup& group = control();
    for (const at::Tensor& tensor : tensors) {
      // Contiguous on the CPU: strides and device may differ between ranks.
      at::Tensor content = tensor.detach().cpu().contiguous();
      wait("broadcast", [&] { return broadcastOn(group, content); });
      if (rank() != 0) tensor.detach().copy_(content);
    }
  }

  bool anyRank(bool value) override {
    c10d::ProcessGroup& group = control();
    at::Tensor flag = at::full({1}, value ? 1 : 0, at::kLong);
    std::vector<at::Tensor> tensors{flag};
    wait("all_reduce", [&] { return group.allreduce(tensors, {c10d::ReduceOp::MAX}); });
    return flag.item<std::int64_t>() != 0;
  }

  void beginAnyRank(bool value) override {
    anyRankValue_ = at::full({1}, value ? 1 : 0, at::kLong);
    std::vector<at::Tensor> tensors{anyRankValue_};
    anyRankWork_ = control().allreduce(tensors, {c10d::ReduceOp::MAX});
  }

  bool finishAnyRank() override {
    wait("all_reduce", [&] { return std::exchange(anyRankWork_, {}); });
    return anyRankValue_.item<std::int64_t>() != 0;
  }

  std::unique_ptr<GradientAverage> averageGradients(const std::vector<at::Tensor>& parameters,
                                                    std::int64_t figureCount,
                                                    std::optional<Backend> backend) override {
    const at::Device device = parameters.at(0).device();
    return std::make_unique<ReducedGradients>(parameters, figureCount,
                                              groupOfSteps(usesNccl(device, backend)), observer_);
  }

  std::function<void(at::Tensor&)> sumOverRanks(at::Device device,
                                                std::optional<Backend> backend) override {
    const Group group = groupOfSteps(usesNccl(device, backend));
    return [this, group](at::Tensor& tensor) {
      std::vector<at::Tensor> tensors{tensor};
      wait("statistics", [&] { return group->allreduce(tensors); });
    };
  }

  PeerMonitor* peerMonitor() override { return monitor_.get(); }

 private:
  using Work = c10::intrusive_ptr<c10d::Work>;

  /// Runs a collective to completion. If it fails, the observer's last call stays `waiting`.
  template <typename Start>
  void wait(const char* name, const Start& start) {
    observer_(name, true);
    if (const Work work = start()) work->wait();
    observer_(name, false);
  }

  static Work broadcastOn(c10d::ProcessGroup& group, at::Tensor& tensor) {
    std::vector<at::Tensor> tensors{tensor};
    return group.broadcast(tensors);
  }

  std::unique_ptr<PeerMonitor> makeMonitor(const WorldOptions& options) {
    std::vector<int> monitored;
    if (options.node != 0) monitored = {0};
    if (rendezvous_.rank == 0)
      for (int other = options.localRanks; other < rendezvous_.size; ++other)
        monitored.push_back(other);
    return std::make_unique<StoreMonitor>(rendezvous_.connect(), rendezvous_.rank, monitored);
  }

  /// The group for everything but the sums of a training step. Its first collective connects it: if
  /// a rank is gone by then, that hangs, and the peer monitor already runs to report the lost rank.
  c10d::ProcessGroup& control() {
    if (!control_) control_ = makeGroup("control", /*nccl=*/false);
    return *control_;
  }

  /// One group for the sums of a training step, gradients and batch-norm statistics: two NCCL
  /// communicators in use on one GPU may deadlock. A backward pass runs its nodes in the same order
  /// on every rank, heads before backbone, so its collectives are issued in the same order.
  Group groupOfSteps(bool nccl) {
    Group& group = nccl ? ncclOfSteps_ : glooOfSteps_;
    if (!group) group = makeGroup("steps", nccl);
    return group;
  }

  /// A group of all ranks; every rank creates it at the same point.
  Group makeGroup(const std::string& name, bool nccl) {
    const auto store =
        c10::make_intrusive<c10d::PrefixStore>(name + std::to_string(groups_++), rendezvous_.store);
    const auto group = c10::make_intrusive<c10d::ProcessGroup>(store, rank(), size());
    const GroupOptions groupOptions{store, rank(), size(), rendezvous_.localAddress};
    observer_("connect", true);
    nccl ? addNccl(*group, groupOptions) : addGloo(*group, groupOptions);
    observer_("connect", false);
    return group;
  }

  /// NCCL needs one GPU per rank: ranks that share a GPU use Gloo.
  bool usesNccl(at::Device device, std::optional<Backend> backend) {
    const std::string own = device.is_cuda() ? base::hostName() + " " + busAddressOf(device) : "";
    const std::vector<std::string> all = gather(own);
    const std::set<std::string> different(all.begin(), all.end());
    const bool isPossible = different.size() == all.size() && !different.contains("");
    const Backend best = isPossible ? Backend::Nccl : Backend::Gloo;
    const bool nccl = broadcastBytes(base::textOf(best)) == base::textOf(Backend::Nccl);
    if (backend == Backend::Nccl && !nccl) {
      throw UserError(
          "runtime.backend: nccl needs one GPU per rank; use auto or gloo, or fewer "
          "workers");
    }
    return nccl && backend != Backend::Gloo;
  }

  Rendezvous rendezvous_;
  CollectiveObserver observer_;
  std::unique_ptr<PeerMonitor> monitor_;
  Group control_, ncclOfSteps_, glooOfSteps_;
  Work anyRankWork_;
  at::Tensor anyRankValue_;
  int groups_ = 0;
};

/// Supervisors monitor the ranks and kill all of them together: c10d's watchdog must neither abort
/// a process first, so that the wrong rank seems to have failed (torchrun sets the first variable
/// for that), nor abort a collective and let the step continue with whatever is in its buffers, nor
/// write dumps.
void keepC10dFromEndingProcesses() {
  for (const char* name : {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "TORCH_NCCL_BLOCKING_WAIT",
                           "TORCH_NCCL_ENABLE_MONITORING", "TORCH_NCCL_RETHROW_CUDA_ERRORS",
                           "TORCH_NCCL_PROPAGATE_ERROR", "TORCH_NCCL_DUMP_ON_TIMEOUT"})
    ::setenv(name, "0", /*overwrite=*/1);
}

/// Environment variables that the user has set take precedence.
void makeC10dQuiet() {
  // c10d also logs, at length, what it throws.
  constexpr int kFatalOnly = 3;
  if (std::getenv("TORCH_CPP_LOG_LEVEL") == nullptr) FLAGS_caffe2_log_level = kFatalOnly;
  // The flight recorder is not thread-safe, and in tests ranks share a process.
  ::setenv("TORCH_FR_BUFFER_SIZE", "0", /*overwrite=*/0);
}

/// Before the first group of the process; in tests several ranks are threads of one process.
void prepareC10d() {
  static std::once_flag once;
  std::call_once(once, [] {
    makeC10dQuiet();
    keepC10dFromEndingProcesses();
  });
}

}  // namespace

std::unique_ptr<World> joinWorld(const WorldOptions& options) {
  if (options.nodes == 1 && options.localRanks == 1) return makeSingleRankWorld();
  prepareC10d();
  return std::make_unique<ProcessGroupWorld>(options);
}

}  // namespace lockstep::dist
