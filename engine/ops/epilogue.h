#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace lockstep::ops {

/// What follows a convolution: a bias per channel, another map of the same size, a ReLU; each only
/// where it is asked for.
struct Epilogue {
  std::optional<at::Tensor> bias;      ///< [C], float32 where the map is of halves too
  std::optional<at::Tensor> residual;  ///< like the map
  bool hasRelu = false;

  bool isEmpty() const { return !bias && !residual && !hasRelu; }
};

/// relu(map + bias + residual), written into `map` [N,C,H,W], which nobody else may need.
/// Differentiable in all three.
///
/// On a GPU and for float32 on a CPU in channels_last this reads and writes the map once, where
/// LibTorch's operators do so for each of the three.
at::Tensor applyEpilogue(at::Tensor map, const Epilogue& epilogue);

/// Kernels, for a map and a residual that are channels_last, without gradients; a bias is
/// contiguous. The CPU's takes float32.
using EpilogueKernel = void(at::Tensor& map, const Epilogue& epilogue);
namespace cpu {
EpilogueKernel applyEpilogue;
}
namespace cuda {
EpilogueKernel applyEpilogue;
}

}  // namespace lockstep::ops
