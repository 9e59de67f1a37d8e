#pragma once

#include <ATen/core/Tensor.h>

#include <mutex>
#include <optional>
#include <vector>

#include "engine/model/tensor_cache.h"

namespace lockstep::model {

/// A parameter in the dtype that the network computes in and, if a norm is folded into its
/// convolution, multiplied by a factor per output channel. The copy (one per dtype) is refreshed
/// after the parameter was written to or moved, so once per step, like autocast's weight cache. Its
/// memory does not move while the parameter stays on its device, so that a CUDA graph may read it.
/// Gradients go to the parameter, in the parameter's dtype. Any thread.
class CachedWeight {
 public:
  explicit CachedWeight(at::Tensor parameter);

  /// factor: [out] in the parameter's dtype, without a gradient; a changed factor must be another
  /// tensor. Undefined: none.
  at::Tensor as(at::ScalarType type, const at::Tensor& factor = {});
  bool isOf(const at::Tensor& parameter) const { return parameter_.is_same(parameter); }

  /// Refreshes the stale copies in use, most of them in one pass. as() would refresh them one by
  /// one, and the replay of a CUDA graph does not call it. Code that writes to parameters without
  /// bumping their version counters must bump them.
  static void refresh(const std::vector<CachedWeight*>& weights);

 private:
  struct Copy {
    at::Tensor tensor;
    std::optional<TensorVersion> madeOf;  ///< version of the parameter; none: not filled yet
  };
  /// Allocates a copy of the parameter in that dtype, with its strides.
  Copy& copyAs(at::ScalarType type);
  bool isOutOfDate(const Copy& copy) const {
    return !copy.madeOf || !copy.madeOf->isCurrentOf(parameter_);
  }
  void make(Copy& copy);

  const at::Tensor parameter_;
  std::mutex mutex_;  ///< guards the members below
  at::Tensor factor_;
  std::vector<Copy> copies_;  ///< all on the parameter's device
};

}  // namespace lockstep::model
