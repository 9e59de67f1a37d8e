#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/choices.h"

namespace lockstep::dist {

/// Averages gradients over the ranks as DistributedDataParallel does: buckets are all-reduced while
/// the backward pass still runs. Every rank runs the same number of micro-batches per step.
/// Gradients must be zeroed in place.
class GradientAverage {
 public:
  virtual ~GradientAverage() = default;
  /// Discards what was accumulated in a step that is not finished.
  virtual void reset() = 0;
  /// Backward pass of one micro-batch, which accumulates gradients; after the last micro-batch they
  /// are the means over the ranks. A parameter that the loss does not depend on counts as zeros.
  /// `figures` [n] float32, detached, are summed over the micro-batches and averaged with the
  /// gradients.
  virtual void backward(const at::Tensor& loss, const at::Tensor& figures,
                        bool isLastMicroBatch) = 0;
  /// After the last micro-batch: [n] float32, mean over the ranks of the sums over the
  /// micro-batches.
  virtual at::Tensor figures() const = 0;
  /// How long the last micro-batch waited for the all-reduce after its own backward pass; on a GPU,
  /// which the host does not synchronise with, the time of two steps before.
  virtual double waitSeconds() const = 0;
};

/// Heartbeats between ranks on different machines, because a collective only fails or hangs when a
/// peer is lost. Every second each rank writes its status, and when it exits the reason, to rank
/// 0's store. Rank 0 reads those of the ranks on other machines, and these read rank 0's. Any
/// thread; never blocks for longer than a lock.
class PeerMonitor {
 public:
  virtual ~PeerMonitor() = default;
  /// Sets the status that is sent with this rank's heartbeats.
  virtual void publish(const std::string& status) = 0;
  /// Publishes why this rank exits, so that the others need not wait for the timeout; blocks up to
  /// four seconds until the store has it.
  virtual void publishExit(const std::string& reason) = 0;

  struct LostPeer {
    int rank = 0;
    std::string status;      ///< of its last heartbeat; empty: there was none
    std::string exitReason;  ///< empty if it could not publish one
    double secondsSinceHeartbeat = 0;
  };
  /// A rank on another machine that is lost: it published an exit reason, or its last heartbeat is
  /// older than kTimeoutSeconds.
  virtual std::optional<LostPeer> lostPeer() const = 0;

  static constexpr double kTimeoutSeconds = 6;
};

/// The ranks of a run, like torch.distributed's default process group. Every rank makes the same
/// calls in the same order. Calls block unless noted otherwise, and throw when another rank is
/// gone.
class World {
 public:
  virtual ~World() = default;
  virtual int rank() const = 0;  ///< 0 … size-1
  virtual int size() const = 0;
  /// Broadcast: returns rank 0's bytes on every rank.
  virtual std::string broadcastBytes(const std::string& bytes) = 0;
  /// On rank 0 the bytes of every rank, in order of rank; empty on the other ranks.
  virtual std::vector<std::string> gather(const std::string& bytes) = 0;
  /// Copies rank 0's tensors into those of the other ranks.
  virtual void broadcast(const std::vector<at::Tensor>& tensors) = 0;
  /// All-reduce: whether `value` is true on any rank.
  virtual bool anyRank(bool value) = 0;
  /// Starts the same all-reduce asynchronously. Does not block.
  virtual void beginAnyRank(bool value) = 0;
  /// Waits for the all-reduce that was started last and returns its result.
  virtual bool finishAnyRank() = 0;
  /// Averages the gradients of `parameters` during backward passes, and `figureCount` figures along
  /// with them. Without a `backend`: NCCL when every rank has its own GPU, else Gloo.
  virtual std::unique_ptr<GradientAverage> averageGradients(
      const std::vector<at::Tensor>& parameters, std::int64_t figureCount,
      std::optional<config::Backend> backend) = 0;
  /// A function that all-reduces a tensor in place (sum). It may be called within a backward pass
  /// that averages gradients: both use one communicator, in the order of the pass.
  virtual std::function<void(at::Tensor&)> sumOverRanks(at::Device device,
                                                        std::optional<config::Backend> backend) = 0;
  /// Heartbeats to and from ranks on other machines; null where all ranks are on this machine.
  virtual PeerMonitor* peerMonitor() = 0;
};

/// A world of size 1: no process group, every call returns immediately.
std::unique_ptr<World> makeSingleRankWorld();

/// Called before a collective (waiting is true) and after it. The name is a string literal.
using CollectiveObserver = std::function<void(const char* name, bool waiting)>;

/// Time within which all machines of a cluster have to start; as torchrun's join_timeout.
inline constexpr std::chrono::minutes kJoinTimeout{10};

/// This process in the world. A node is a supervisor with its ranks; ranks are numbered by node and
/// local rank.
struct WorldOptions {
  int node = 0, nodes = 1;
  int localRank = 0, localRanks = 1;
  std::string masterAddress{};  ///< MASTER_ADDR; empty: rank 0 is on this machine
  int masterPort = 0;           ///< MASTER_PORT; 0: rank 0 chooses one (one node only)
  bool storeIsServed = false;   ///< the launcher hosts the TCPStore at that port, as torchrun does
  std::chrono::milliseconds joinTimeout{kJoinTimeout};  ///< of the whole rendezvous
  std::function<void(int port)> onListening{};          ///< rank 0's store accepts connections now
  CollectiveObserver onCollective{};
};

/// Rendezvous: waits until all nodes have joined. Throws Error that names the missing node. Ranks
/// connect to one another at their first collective. A world of size 1 needs no network.
std::unique_ptr<World> joinWorld(const WorldOptions& options);

}  // namespace lockstep::dist
