#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace lockstep::ops {

/// While it lives, CPU operations of the calling thread may use so many intra-op threads, itself
/// among them, where their results have the bits that one thread gives; the others stay on that
/// one, which at::set_num_threads(1) has to see to. Inside of another it may only add some.
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

/// Whether the calling thread has any besides itself, which LibTorch uses alone, and records no
/// gradients.
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
  bool isOn_;
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
  static constexpr std::size_t kMost = 4096;  ///< then all are forgotten

  std::mutex mutex_;
  std::map<Case, State> cases_;
};

/// What LibTorch computes with an order of additions of its own: products along the channels of x
/// and of weight [O,C,...], plus bias.
struct LibraryCall {
  enum class Operation { Conv2d, Linear };  ///< x [N,C,H,W]; x [...,C]

  Operation operation;
  std::vector<std::int64_t> settings;  ///< besides sizes
  at::Tensor x, weight;
  std::optional<at::Tensor> bias;
  /// One dense tensor.
  std::function<at::Tensor(const at::Tensor& x, const at::Tensor& weight,
                           const std::optional<at::Tensor>& bias)>
      compute;
};

/// The call's result, if hasSpareThreads(): on them where that changes no bit. That is tried with
/// numbers whose sum is nothing but the rounding of its order; what is found out holds for the
/// process.
at::Tensor onSpareThreads(const LibraryCall& call);

}  // namespace cpu

}  // namespace lockstep::ops
