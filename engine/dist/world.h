#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::dist {

/// The ranks that train together. Every rank makes the same calls in the same order. Blocking
/// unless said otherwise.
class World {
 public:
  virtual ~World() = default;
  virtual int rank() const = 0;  ///< 0 … size-1; rank 0 decides
  virtual int size() const = 0;
  /// Replaces each parameter's gradient by its mean over the ranks.
  virtual void averageGradients(const std::vector<at::Tensor>& parameters) = 0;
  /// Copies tensors of rank 0 into those of all ranks (weights at the start).
  virtual void broadcast(const std::vector<at::Tensor>& tensors) = 0;
  /// Starts to tell all ranks what rank 0 wants: 8 bytes. Does not block; what other ranks pass is
  /// ignored.
  virtual void beginAgreement(std::uint64_t wish) = 0;
  /// Rank 0's wish of the agreement begun last.
  virtual std::uint64_t finishAgreement() = 0;
  /// Bytes of every rank in order of rank; on ranks other than 0 empty.
  virtual std::vector<std::string> gather(const std::string& bytes) = 0;
};

/// A world of one rank: no process group, every call is immediate.
std::unique_ptr<World> makeWorldOfOne();

}  // namespace lockstep::dist
