#include "engine/solver/gradient_clip.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/types.h>

#include "engine/ops/tensor_sums.h"

namespace lockstep::solver {
namespace {

constexpr double kNormEpsilon = 1e-6;  // as torch.nn.utils.clip_grad_norm_

/// As ops::tensorSums() needs it; an undefined gradient as a tensor without elements.
at::Tensor summable(const at::Tensor& parameter) {
  const at::Tensor& gradient = parameter.grad();
  if (!gradient.defined()) return at::empty({0}, parameter.options().dtype(at::kFloat));
  const at::Tensor values = gradient.to(at::kFloat);
  return values.is_non_overlapping_and_dense() ? values : values.contiguous();
}

}  // namespace

GradientSums clipGradientNorm(const std::vector<at::Tensor>& parameters, double maxNorm) {
  at::NoGradGuard noGradient;
  if (parameters.empty()) return {at::zeros({}, at::kDouble), at::zeros({0, 2}, at::kDouble)};
  std::vector<at::Tensor> summed, gradients;
  for (const at::Tensor& parameter : parameters) {
    summed.push_back(summable(parameter));
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  const at::Tensor sums = ops::tensorSums(summed);
  const at::Tensor norm = sums.select(1, ops::kSumOfSquares).sum().sqrt();
  if (maxNorm <= 0 || gradients.empty()) return {norm, sums};
  if (norm.is_cpu()) {
    const double factor = maxNorm / (*norm.const_data_ptr<double>() + kNormEpsilon);
    // Written so that a NaN norm spreads to the gradients, as it does in torch.
    if (!(factor >= 1)) at::_foreach_mul_(gradients, at::Scalar(factor));
  } else {
    const at::Tensor factor = norm.add(kNormEpsilon).reciprocal().mul(maxNorm).clamp_max(1.0);
    at::_foreach_mul_(gradients, factor.to(gradients[0].scalar_type()));
  }
  return {norm, sums};
}

}  // namespace lockstep::solver
