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

/// Group normalisation (Wu and He, 2018) with what follows it in a residual network:
/// relu(groupNorm(x) + residual), both optional. x [N,C,H,W], residual like x, weight and bias [C].
/// Differentiable in all four. Halves are normalised in float32 and come back as halves.
///
/// On a GPU, and for float32 and bfloat16 maps on a CPU in channels_last, this is one operator that
/// reads and writes each map as seldom as can be: on a CPU LibTorch's own backward pass is several
/// times slower in that format, and on a GPU it has none of it. Its sums have a fixed order,
/// whatever the threads. Everywhere else it is LibTorch's operators one after the other.
at::Tensor groupNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                     const std::optional<at::Tensor>& residual, const GroupNormOptions& options);

/// Statistics of a batch norm [C], which move towards those of each batch.
struct RunningStatistics {
  at::Tensor mean, variance;
  double momentum = 0.1;
};

struct BatchNormOptions {
  double epsilon = 1e-5;
  bool hasRelu = false;
};

/// The same with the statistics of the batch (Ioffe and Szegedy, 2015), as torch.nn.BatchNorm2d in
/// training: relu(batchNorm(x) + residual). For float32 maps on a CPU in channels_last the same
/// operator: there LibTorch's own adds up a whole map in float32, which costs the last three
/// digits.
at::Tensor batchNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                     const std::optional<at::Tensor>& residual, const RunningStatistics& running,
                     const BatchNormOptions& options);

// Kernels, for maps that are channels_last, without gradients. Weight and bias are float32 (float64
// for maps of it on a GPU), and so is what is computed in. Every sum has a fixed order.

struct GroupNormResult {
  at::Tensor out;      ///< [N,C,H,W]
  at::Tensor moments;  ///< [N,G,2], mean and reciprocal deviation; float64 on a CPU
  at::Tensor affine;   ///< [N,2,C], the normalisation as x * factor + shift
};

struct GroupNormSaved {
  at::Tensor x, weight, moments, affine;
  at::Tensor out;  ///< where a ReLU followed a residual; else undefined, x says what it let pass
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
