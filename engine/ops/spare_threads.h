#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

namespace lockstep::ops {

/// While it lives, CPU operations of the calling thread may use so many intra-op threads, itself
/// among them, where their results have the bits that one thread gives. Others go on with those
/// that they have. Inside of another it may only add some.
class SpareThreads {
 public:
  explicit SpareThreads(int threads);
  SpareThreads(const SpareThreads&) = delete;
  SpareThreads& operator=(const SpareThreads&) = delete;
  ~SpareThreads();

 private:
  int before_;
};

namespace cpu {

/// Whether the calling thread has any besides itself, and records no gradients.
bool hasSpareThreads();

/// For operations that give the same bits on any number of threads: while it lives, those of the
/// calling thread use the spare ones, too.
class OnSpareThreads {
 public:
  OnSpareThreads();
  OnSpareThreads(const OnSpareThreads&) = delete;
  OnSpareThreads& operator=(const OnSpareThreads&) = delete;
  ~OnSpareThreads();

 private:
  int before_;
};

/// Which operations of a library give the same bits on several threads as on one, found out by
/// trying: what is known of them depends on their sizes. For any thread.
class KnownBits {
 public:
  /// Everything that the library chooses its algorithm by.
  using Case = std::vector<std::int64_t>;

  /// `compare` says; it is called when a case comes for the second time, as many come once. Until
  /// then they count as different.
  bool areSame(const Case& operation, const std::function<bool()>& compare);

 private:
  enum class State { Once, Same, Different };

  std::mutex mutex_;
  std::map<Case, State> cases_;
};

/// What LibTorch computes of x and weight with an order of additions of its own.
struct LibraryCall {
  enum class Operation { Conv2d, Linear };

  Operation operation;
  std::vector<std::int64_t> settings;  ///< besides the sizes of x and weight
  at::Tensor weight;
  /// Of any x of these sizes; one contiguous tensor, without gradients.
  std::function<at::Tensor(const at::Tensor& x)> compute;
};

/// call.compute(x), on the spare threads where that changes no bit, which is tried with random
/// numbers in the place of x.
at::Tensor onSpareThreads(const LibraryCall& call, const at::Tensor& x);

}  // namespace cpu

}  // namespace lockstep::ops
