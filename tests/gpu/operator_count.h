#pragma once

#include <cstdint>
#include <string>

namespace lockstep::gpu {

/// Counts the operators that run during its lifetime, on all threads: LibTorch's innermost ones,
/// without views and allocations, and ours, without what their CPU implementations call. On a GPU
/// each of these is at least one kernel, so this estimates the kernel launches of a step without a
/// GPU. Only one may exist at a time.
class OperatorCount {
 public:
  OperatorCount();
  ~OperatorCount();
  OperatorCount(const OperatorCount&) = delete;

  std::int64_t total() const;
  /// Only ours.
  std::int64_t ours() const;
  /// Operators that would synchronise with a GPU, `aten::nonzero 2`; empty: none.
  std::string synchronisations() const;
  /// LibTorch's operators that are non-deterministic on a GPU, likewise.
  std::string atomics() const;
  /// The most frequent ones, `aten::mul 120, aten::add 90`.
  std::string mostFrequent(std::size_t count) const;

 private:
  std::uint64_t handle_;
};

}  // namespace lockstep::gpu
