#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/choices.h"

namespace lockstep::dist {

/// Averages gradients over the ranks, in buckets that travel while the backward pass still runs.
/// Every rank runs the same number of parts a step. Gradients have to be zeroed in place.
class GradientAverage {
 public:
  virtual ~GradientAverage() = default;
  /// Forgets the parts of a step that does not come to its end.
  virtual void beginAnew() = 0;
  /// Backward pass of one part of a step, whose gradients are added to those of the parts before;
  /// after the last part they are the means over the ranks. A parameter that has no part in the
  /// loss joins with zeros. `figures` [n] float32 without a graph are added up over the parts, and
  /// averaged with the gradients.
  virtual void backward(const at::Tensor& loss, const at::Tensor& figures, bool isLastPart) = 0;
  /// After the last part: [n] float32, mean over the ranks of the sums over the parts.
  virtual at::Tensor figures() const = 0;
  /// How long the last part waited for other ranks after its own backward pass; on a GPU, which the
  /// host does not wait for, that of two steps before.
  virtual double waitSeconds() const = 0;
};

/// What ranks on different machines know of one another besides collectives, which only break or
/// hang: every rank says each second where it is, and its last word, in rank 0's store. Rank 0
/// reads those of the ranks on other machines, these read rank 0's. Any thread; never blocks for
/// longer than a lock.
class PeerWatch {
 public:
  virtual ~PeerWatch() = default;
  /// What others may read from now on.
  virtual void say(const std::string& standing) = 0;
  /// Why this rank ends, so that nobody takes it for lost; waits up to two seconds until it is out.
  virtual void sayLast(const std::string& word) = 0;

  struct Loss {
    int rank = 0;
    std::string standing;  ///< the last that it said; empty: nothing
    std::string lastWord;  ///< why it ended, when it could say so
    double silentSeconds = 0;
  };
  /// A rank on another machine that is lost: it ended with a word, or was not heard of for longer
  /// than kSilenceSeconds.
  virtual std::optional<Loss> loss() const = 0;

  static constexpr double kSilenceSeconds = 6;
};

/// The ranks that work together. Every rank makes the same calls in the same order. Blocking
/// unless said otherwise; a call throws when another rank has gone away.
class World {
 public:
  virtual ~World() = default;
  virtual int rank() const = 0;  ///< 0 … size-1; rank 0 decides
  virtual int size() const = 0;
  /// Rank 0's bytes, on every rank.
  virtual std::string share(const std::string& bytes) = 0;
  /// Bytes of every rank in order of rank; on ranks other than 0 empty.
  virtual std::vector<std::string> gather(const std::string& bytes) = 0;
  /// Copies tensors of rank 0 into those of all ranks.
  virtual void broadcast(const std::vector<at::Tensor>& tensors) = 0;
  /// Whether any rank says so.
  virtual bool isSoAnywhere(bool isSo) = 0;
  /// Starts to tell all ranks whether any of them wishes something. Does not block.
  virtual void beginAgreement(bool wishes) = 0;
  /// Whether any rank wished something in the agreement begun last.
  virtual bool finishAgreement() = 0;
  /// Averages the gradients of `parameters` while backward passes run, and with them `figureCount`
  /// figures. Without a `backend`: NCCL when every rank has a GPU of its own, else Gloo.
  virtual std::unique_ptr<GradientAverage> averageGradients(
      const std::vector<at::Tensor>& parameters, std::int64_t figureCount,
      std::optional<config::Backend> backend) = 0;
  /// A function that replaces a tensor by its sum over the ranks, also within a backward pass that
  /// averages gradients: both share a communicator, in the order of the pass.
  virtual std::function<void(at::Tensor&)> sumOverRanks(at::Device device,
                                                        std::optional<config::Backend> backend) = 0;
  /// Says what this rank does to ranks on other machines and hears of them; null where all ranks
  /// are on this machine.
  virtual PeerWatch* peerWatch() = 0;
};

/// A world of one rank: no process group, every call is immediate.
std::unique_ptr<World> makeWorldOfOne();

/// Told before a collective (waiting) and after it. The name is a string literal.
using CollectiveNote = std::function<void(const char* name, bool waiting)>;

/// This process's place. A node is a supervisor with its ranks; the world are the ranks of all
/// nodes in order of node and local rank.
struct WorldOptions {
  int node = 0, nodes = 1;
  int localRank = 0, localRanks = 1;
  std::string masterAddress{};  ///< where rank 0 is; empty: on this machine
  int masterPort = 0;           ///< of rank 0's store; 0: rank 0 chooses one (one node only)
  bool storeIsServed = false;   ///< the launcher serves a store at that port
  std::function<void(int port)> onListening{};  ///< rank 0's store answers now
  CollectiveNote onCollective{};
};

/// Waits until all nodes are there. Throws Error that says who is missing. The ranks connect to one
/// another at their first collective. A world of one rank needs no network.
std::unique_ptr<World> joinWorld(const WorldOptions& options);

}  // namespace lockstep::dist
