#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace lockstep::solver {

/// Of the gradients before clipping, on their device. Undefined gradients count as zero.
struct GradientSums {
  at::Tensor norm;  ///< [] float64, L2 norm over all gradients
  at::Tensor sums;  ///< [P,2] float64, by ops::TensorSum, a row per parameter
};

/// If maxNorm > 0, scales gradients in place by min(1, maxNorm / (norm + 1e-6)) as
/// torch.nn.utils.clip_grad_norm_ does. Does not synchronise. Summed by ops::tensorSums().
GradientSums clipGradientNorm(const std::vector<at::Tensor>& parameters, double maxNorm);

}  // namespace lockstep::solver
