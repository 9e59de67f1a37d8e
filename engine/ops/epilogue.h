#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace lockstep::ops {

/// The epilogue of a convolution: bias per channel, residual and ReLU, each optional.
struct Epilogue {
  std::optional<at::Tensor> bias;      ///< [C], may be float32 if the map is in half precision
  std::optional<at::Tensor> residual;  ///< shape and dtype of the map
  bool hasRelu = false;

  bool isEmpty() const { return !bias && !residual && !hasRelu; }
};

/// relu(map + bias + residual), computed in place in `map` [N,C,H,W]. Differentiable in all three.
///
/// Fused on a GPU, and on a CPU for float32 in channels_last: reads and writes the map once, where
/// LibTorch's operators do so for each of the three.
at::Tensor applyEpilogue(at::Tensor map, const Epilogue& epilogue);

/// Kernels, for a channels_last map and residual and a contiguous bias, without autograd. The CPU
/// kernel takes float32.
using EpilogueKernel = void(at::Tensor& map, const Epilogue& epilogue);
namespace cpu {
EpilogueKernel applyEpilogue;
}
namespace cuda {
EpilogueKernel applyEpilogue;
}

}  // namespace lockstep::ops
