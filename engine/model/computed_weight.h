#pragma once

#include <ATen/core/Tensor.h>

#include <mutex>
#include <optional>
#include <vector>

#include "engine/model/tensor_mark.h"

namespace lockstep::model {

/// A parameter as the network computes with it: in the type of the maps and, where a norm is folded
/// into its convolution, times a factor for each output channel. What is another tensor than the
/// parameter is kept, one of each type, until the parameter is written to or moves, so that a step
/// makes it once, and stays where it is in memory for as long as the parameter keeps to its device:
/// a recording may read it. A gradient goes to the parameter, in its own type. Any thread.
class ComputedWeight {
 public:
  explicit ComputedWeight(at::Tensor parameter);

  /// factor: [out] in the parameter's type, without a gradient; one that changes is another tensor.
  /// Undefined: none.
  at::Tensor in(at::ScalarType type, const at::Tensor& factor = {});
  bool isOf(const at::Tensor& parameter) const { return parameter_.is_same(parameter); }

  /// Makes anew what was in use and is out of date, most of it in one pass. in() would do so for
  /// each; a recording that is repeated does not call it. Who writes to parameters without raising
  /// their versions has to raise them.
  static void refresh(const std::vector<ComputedWeight*>& weights);

 private:
  struct Kept {
    at::Tensor tensor;
    std::optional<TensorMark> made;  ///< of the parameter as it was then; none: still to be made
  };
  /// Memory for the parameter in that type, with its strides.
  Kept& keptIn(at::ScalarType type);
  bool isOutOfDate(const Kept& kept) const {
    return !kept.made || !kept.made->isStateOf(parameter_);
  }
  void make(Kept& kept);

  const at::Tensor parameter_;
  std::mutex mutex_;  ///< guards what follows
  at::Tensor factor_;
  std::vector<Kept> kept_;  ///< all where the parameter is
};

}  // namespace lockstep::model
