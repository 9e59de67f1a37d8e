#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace lockstep::model {

/// A tensor as it is now, to be told from what it is later: its memory, which stays taken so that
/// nothing else comes to lie there, and how often it was written to.
class TensorMark {
 public:
  explicit TensorMark(const at::Tensor& tensor);

  /// The tensor lies where it lay.
  bool isPlaceOf(const at::Tensor& tensor) const;
  /// So it does, and nothing was written to it.
  bool isStateOf(const at::Tensor& tensor) const;
  const at::Tensor& memory() const { return memory_; }

 private:
  at::Tensor memory_;
  std::int64_t version_;
};

std::vector<TensorMark> marksOf(const std::vector<at::Tensor>& tensors);

}  // namespace lockstep::model
