#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep::ops {

struct GroupNormOptions {
  std::int64_t groups = 32;
  double epsilon = 1e-5;
  bool hasRelu = false;
};

/// Group normalisation (Wu and He, 2018) with a fused epilogue: relu(groupNorm(x) + residual), both
/// optional. x [N,C,H,W], residual like x, weight and bias [C]. Differentiable in all four. Half
/// precision is normalised in float32 and returned in half precision.
///
/// On a GPU, and for float32 and bfloat16 maps on a CPU in channels_last, this is one operator with
/// a minimum of memory accesses: LibTorch's backward pass is several times slower in that format on
/// a CPU, and does not support it on a GPU. The order of summation does not depend on the number of
/// threads. In all other cases LibTorch's operators are used.
at::Tensor groupNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                     const std::optional<at::Tensor>& residual, const GroupNormOptions& options);

/// Running statistics of a batch norm [C].
struct RunningStatistics {
  at::Tensor mean, variance;
  double momentum = 0.1;
};

struct BatchNormOptions {
  double epsilon = 1e-5;
  bool hasRelu = false;
};

/// The same with batch statistics (Ioffe and Szegedy, 2015), as torch.nn.BatchNorm2d in training:
/// relu(batchNorm(x) + residual). For float32 maps on a CPU in channels_last it uses the same
/// operator: LibTorch's sums a whole map in float32 there, which loses three digits.
at::Tensor batchNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                     const std::optional<at::Tensor>& residual, const RunningStatistics& running,
                     const BatchNormOptions& options);

// Kernels, for channels_last maps, without autograd. Weight, bias and arithmetic are float32
// (float64 for float64 maps on a GPU). The order of summation is fixed.

struct GroupNormResult {
  at::Tensor out;      ///< [N,C,H,W]
  at::Tensor moments;  ///< [N,G,2], mean and 1 / standard deviation; float64 on a CPU
  at::Tensor affine;   ///< [N,2,C], the normalisation as x * factor + shift
};

struct GroupNormSaved {
  at::Tensor x, weight, moments, affine;
  at::Tensor out;  ///< with residual and ReLU; else undefined, the ReLU mask follows from x
  std::int64_t groups;
  bool hasRelu, hasResidual;
};

/// residual undefined: none.
using GroupNormKernel = GroupNormResult(const at::Tensor& x, const at::Tensor& weight,
                                        const at::Tensor& bias, const at::Tensor& residual,
                                        const GroupNormOptions& options);
/// Gradients of x, weight, bias and residual (undefined without one).
using GroupNormBackwardKernel = std::vector<at::Tensor>(const at::Tensor& grad,
                                                        const GroupNormSaved& saved);
namespace cpu {
GroupNormKernel groupNorm;
GroupNormBackwardKernel groupNormBackward;
}  // namespace cpu
namespace cuda {
GroupNormKernel groupNorm;
GroupNormBackwardKernel groupNormBackward;
inline constexpr std::int64_t kMostGroupWidth = 128;  ///< channels
}  // namespace cuda

}  // namespace lockstep::ops
