#pragma once

#include <ATen/core/Tensor.h>

#include <mutex>
#include <optional>
#include <vector>

#include "engine/model/tensor_cache.h"

namespace lockstep::model {

/// A parameter as the network computes with it: cast to the type of the maps and, where a norm is
/// folded into its convolution, times a factor for each output channel. What is another tensor than
/// the parameter is a copy, one of each type, which is made anew once the parameter was written to
/// or moved, so once a step, as in autocast's cache. It stays where it is in memory for as long as
/// the parameter stays on its device: a CUDA graph may read it. A gradient goes to the parameter,
/// in the parameter's type. Any thread.
class CachedWeight {
 public:
  explicit CachedWeight(at::Tensor parameter);

  /// factor: [out] in the parameter's type, without a gradient; one that changes is another tensor.
  /// Undefined: none.
  at::Tensor as(at::ScalarType type, const at::Tensor& factor = {});
  bool isOf(const at::Tensor& parameter) const { return parameter_.is_same(parameter); }

  /// Makes the copies in use anew that are out of date, most of them in one pass. as() would do so
  /// one by one; a CUDA graph that is replayed does not call it. Who writes to parameters without
  /// raising their versions has to raise them.
  static void refresh(const std::vector<CachedWeight*>& weights);

 private:
  struct Copy {
    at::Tensor tensor;
    std::optional<TensorVersion> madeOf;  ///< the parameter then; none: still to be made
  };
  /// Memory for the parameter in that type, with its strides.
  Copy& copyAs(at::ScalarType type);
  bool isOutOfDate(const Copy& copy) const {
    return !copy.madeOf || !copy.madeOf->isCurrentOf(parameter_);
  }
  void make(Copy& copy);

  const at::Tensor parameter_;
  std::mutex mutex_;  ///< guards what follows
  at::Tensor factor_;
  std::vector<Copy> copies_;  ///< all where the parameter is
};

}  // namespace lockstep::model
