#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace lockstep::model {

/// A tensor as it is now: its memory, which stays taken so that nothing else comes to lie there,
/// and its version, the number of times it was written to.
class TensorVersion {
 public:
  explicit TensorVersion(const at::Tensor& tensor);

  /// The tensor lies where it lay.
  bool hasMemoryOf(const at::Tensor& tensor) const;
  /// So it does, and nothing was written to it since.
  bool isCurrentOf(const at::Tensor& tensor) const;
  const at::Tensor& memory() const { return memory_; }

 private:
  at::Tensor memory_;
  std::int64_t version_;
};

std::vector<TensorVersion> versionsOf(const std::vector<at::Tensor>& tensors);

/// Tensors computed from others, until one of those is another tensor or was written to. Any
/// thread.
class TensorCache {
 public:
  using Compute = std::function<std::vector<at::Tensor>()>;
  /// What compute() gives, which is called where the sources are not those of the last call.
  /// Nothing is cached of sources that require a gradient.
  std::vector<at::Tensor> get(const std::vector<at::Tensor>& sources, const Compute& compute);

 private:
  std::mutex mutex_;  ///< guards what follows
  std::vector<TensorVersion> sources_;
  std::vector<at::Tensor> tensors_;
};

/// Collects what TensorCaches and CachedWeights give on the thread that made it, while it lives:
/// who captures work that reads these has to keep them alive. Watches nest; the innermost alone is
/// told.
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
