// A world of several ranks: c10d process groups behind World.
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
#include "engine/dist/store_watch.h"

namespace lockstep::dist {
namespace {

using config::Backend;
using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

at::Tensor bytesTensor(const std::string& bytes) {
  // Only read from: what is sent is not changed.
  return at::from_blob(const_cast<char*>(bytes.data()), {static_cast<std::int64_t>(bytes.size())},
                       at::kByte);
}

/// Where a GPU sits in its machine: launchers may show every rank another GPU as the first.
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
      : meeting_(meet(options)),
        note_(options.onCollective ? options.onCollective : [](const char*, bool) {}) {
    if (options.nodes > 1) watch_ = makeWatch(options);
  }

  int rank() const override { return meeting_.rank; }
  int size() const override { return meeting_.size; }

  std::string share(const std::string& bytes) override {
    c10d::ProcessGroup& group = control();
    at::Tensor count = at::full({1}, static_cast<std::int64_t>(bytes.size()), at::kLong);
    wait("share", [&] { return broadcastOn(group, count); });
    std::string shared = rank() == 0 ? bytes : std::string(count.item<std::int64_t>(), '\0');
    at::Tensor content = bytesTensor(shared);
    if (!shared.empty()) wait("share", [&] { return broadcastOn(group, content); });
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
      // Whatever its strides and device are, its elements travel in their order.
      at::Tensor content = tensor.detach().cpu().contiguous();
      wait("broadcast", [&] { return broadcastOn(group, content); });
      if (rank() != 0) tensor.detach().copy_(content);
    }
  }

  bool isSoAnywhere(bool isSo) override {
    c10d::ProcessGroup& group = control();
    at::Tensor said = at::full({1}, isSo ? 1 : 0, at::kLong);
    std::vector<at::Tensor> tensors{said};
    wait("agreement", [&] { return group.allreduce(tensors, {c10d::ReduceOp::MAX}); });
    return said.item<std::int64_t>() != 0;
  }

  void beginAgreement(bool wishes) override {
    agreed_ = at::full({1}, wishes ? 1 : 0, at::kLong);
    std::vector<at::Tensor> tensors{agreed_};
    agreement_ = control().allreduce(tensors, {c10d::ReduceOp::MAX});
  }

  bool finishAgreement() override {
    wait("agreement", [&] { return std::exchange(agreement_, {}); });
    return agreed_.item<std::int64_t>() != 0;
  }

  std::unique_ptr<GradientAverage> averageGradients(const std::vector<at::Tensor>& parameters,
                                                    std::int64_t figureCount,
                                                    std::optional<Backend> backend) override {
    const at::Device device = parameters.at(0).device();
    return std::make_unique<ReducedGradients>(parameters, figureCount,
                                              groupOfSteps(usesNccl(device, backend)), note_);
  }

  std::function<void(at::Tensor&)> sumOverRanks(at::Device device,
                                                std::optional<Backend> backend) override {
    const Group group = groupOfSteps(usesNccl(device, backend));
    return [this, group](at::Tensor& tensor) {
      std::vector<at::Tensor> tensors{tensor};
      wait("statistics", [&] { return group->allreduce(tensors); });
    };
  }

  PeerWatch* peerWatch() override { return watch_.get(); }

 private:
  using Work = c10::intrusive_ptr<c10d::Work>;

  /// Runs a collective to its end. A note that stays `waiting` tells that it broke.
  template <typename Start>
  void wait(const char* name, const Start& start) {
    note_(name, true);
    if (const Work work = start()) work->wait();
    note_(name, false);
  }

  static Work broadcastOn(c10d::ProcessGroup& group, at::Tensor& tensor) {
    std::vector<at::Tensor> tensors{tensor};
    return group.broadcast(tensors);
  }

  std::unique_ptr<PeerWatch> makeWatch(const WorldOptions& options) {
    std::vector<int> watched;
    if (options.node != 0) watched = {0};
    if (meeting_.rank == 0)
      for (int other = options.localRanks; other < meeting_.size; ++other) watched.push_back(other);
    return std::make_unique<StoreWatch>(meeting_.connect(), meeting_.rank, watched);
  }

  /// The group of what is told, not summed in a step. The first collective connects it: where a
  /// rank is gone by then that takes for ever, and the world is there already to hear of it from
  /// the watch.
  c10d::ProcessGroup& control() {
    if (!control_) control_ = makeGroup("control", /*nccl=*/false);
    return *control_;
  }

  /// The group of what a step sums, gradients and statistics: two communicators of NCCL at work on
  /// one GPU may each wait for the other. A backward pass visits its nodes in the same order on
  /// every rank, heads before backbone, and so come its collectives.
  Group groupOfSteps(bool nccl) {
    Group& group = nccl ? ncclOfSteps_ : glooOfSteps_;
    if (!group) group = makeGroup("steps", nccl);
    return group;
  }

  /// A group of all ranks, made by all at the same point.
  Group makeGroup(const std::string& name, bool nccl) {
    const auto store =
        c10::make_intrusive<c10d::PrefixStore>(name + std::to_string(groups_++), meeting_.store);
    const auto group = c10::make_intrusive<c10d::ProcessGroup>(store, rank(), size());
    const GroupPlace place{store, rank(), size(), meeting_.localAddress};
    note_("connect", true);
    nccl ? addNccl(*group, place) : addGloo(*group, place);
    note_("connect", false);
    return group;
  }

  /// NCCL wants a GPU for every rank: two ranks on one GPU meet over Gloo.
  bool usesNccl(at::Device device, std::optional<Backend> backend) {
    const std::string own = device.is_cuda() ? base::hostName() + " " + busAddressOf(device) : "";
    const std::vector<std::string> all = gather(own);
    const std::set<std::string> different(all.begin(), all.end());
    const bool isPossible = different.size() == all.size() && !different.contains("");
    const Backend best = isPossible ? Backend::Nccl : Backend::Gloo;
    const bool nccl = share(base::textOf(best)) == base::textOf(Backend::Nccl);
    if (backend == Backend::Nccl && !nccl) {
      throw base::mendable(
          "runtime.backend: nccl needs a GPU of its own for every rank; use auto or gloo, or fewer "
          "workers");
    }
    return nccl && backend != Backend::Gloo;
  }

  Rendezvous meeting_;
  CollectiveNote note_;
  std::unique_ptr<PeerWatch> watch_;
  Group control_, ncclOfSteps_, glooOfSteps_;
  Work agreement_;
  at::Tensor agreed_;
  int groups_ = 0;
};

/// Supervisors watch the ranks and end them, all and at once: c10d's own watch must neither end a
/// process first, so that the wrong rank seems to have failed (torchrun sets the first variable to
/// do that), nor give up a collective and let the step go on with what is in its buffers, nor write
/// reports.
void keepC10dFromEndingProcesses() {
  for (const char* name : {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "TORCH_NCCL_BLOCKING_WAIT",
                           "TORCH_NCCL_ENABLE_MONITORING", "TORCH_NCCL_RETHROW_CUDA_ERRORS",
                           "TORCH_NCCL_PROPAGATE_ERROR", "TORCH_NCCL_DUMP_ON_TIMEOUT"})
    ::setenv(name, "0", /*overwrite=*/1);
}

/// The user's own variables count more.
void makeC10dQuiet() {
  // It logs pages of what it throws as well.
  constexpr int kFatalOnly = 3;
  if (std::getenv("TORCH_CPP_LOG_LEVEL") == nullptr) FLAGS_caffe2_log_level = kFatalOnly;
  // Its record of collectives takes no lock, while ranks may share a process.
  ::setenv("TORCH_FR_BUFFER_SIZE", "0", /*overwrite=*/0);
}

/// Before the first group of the process, whose ranks may be threads.
void prepareC10d() {
  static std::once_flag once;
  std::call_once(once, [] {
    makeC10dQuiet();
    keepC10dFromEndingProcesses();
  });
}

}  // namespace

std::unique_ptr<World> joinWorld(const WorldOptions& options) {
  if (options.nodes == 1 && options.localRanks == 1) return makeWorldOfOne();
  prepareC10d();
  return std::make_unique<ProcessGroupWorld>(options);
}

}  // namespace lockstep::dist
