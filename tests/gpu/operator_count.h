#pragma once

#include <cstdint>
#include <string>

namespace lockstep::gpu {

/// Counts the operators that run while it lives, on all threads: LibTorch's innermost ones, without
/// those that only look at memory in another way or reserve it, and ours, without what their CPU
/// forms call. On a GPU each of these is at least one kernel, so this tells about the launches of a
/// step where there is no GPU. One at a time.
class OperatorCount {
 public:
  OperatorCount();
  ~OperatorCount();
  OperatorCount(const OperatorCount&) = delete;

  std::int64_t total() const;
  /// Of ours alone.
  std::int64_t ours() const;
  /// Those for which the host would wait for a GPU, `aten::nonzero 2`; empty: none.
  std::string waits() const;
  /// Those of LibTorch's whose kernels on a GPU add floats up in any order, likewise.
  std::string atomics() const;
  /// The commonest, `aten::mul 120, aten::add 90`.
  std::string commonest(std::size_t count) const;

 private:
  std::uint64_t handle_;
};

}  // namespace lockstep::gpu
