#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace lockstep::model {

/// The memory and the version counter of a tensor at one point in time. It keeps the memory alive,
/// so that no other tensor is allocated there.
class TensorVersion {
 public:
  explicit TensorVersion(const at::Tensor& tensor);

  /// Whether the tensor still has the same memory.
  bool hasMemoryOf(const at::Tensor& tensor) const;
  /// Whether it also has not been written to since.
  bool isCurrentOf(const at::Tensor& tensor) const;
  const at::Tensor& memory() const { return memory_; }

 private:
  at::Tensor memory_;
  std::int64_t version_;
};

std::vector<TensorVersion> versionsOf(const std::vector<at::Tensor>& tensors);

/// Caches tensors that are computed from others, until one of the sources is replaced or written
/// to. Any thread.
class TensorCache {
 public:
  using Compute = std::function<std::vector<at::Tensor>()>;
  /// The result of compute(), which is called if the sources have changed since the last call.
  /// Nothing is cached if sources require gradients.
  std::vector<at::Tensor> get(const std::vector<at::Tensor>& sources, const Compute& compute);

 private:
  std::mutex mutex_;  ///< guards the members below
  std::vector<TensorVersion> sources_;
  std::vector<at::Tensor> tensors_;
};

/// While it exists, collects the tensors that TensorCaches and CachedWeights return on the thread
/// that created it: a capture that reads them must keep them alive. Watches may be nested; only the
/// innermost one collects.
class TensorCacheWatch {
 public:
  TensorCacheWatch();
  ~TensorCacheWatch();
  TensorCacheWatch(const TensorCacheWatch&) = delete;
  TensorCacheWatch& operator=(const TensorCacheWatch&) = delete;

  /// The innermost of this thread; nullptr when there is none.
  static TensorCacheWatch* current();

  void add(const std::vector<at::Tensor>& tensors);
  const std::vector<at::Tensor>& tensors() const { return tensors_; }

 private:
  std::vector<at::Tensor> tensors_;
  TensorCacheWatch* outer_;
};

}  // namespace lockstep::model
