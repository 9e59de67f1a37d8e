#include "engine/solver/gradient_clip.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/stack.h>

#include <cmath>

namespace lockstep::solver {
namespace {

constexpr double kNormEpsilon = 1e-6;  // as torch.nn.utils.clip_grad_norm_
constexpr std::int64_t kChunkElements =
    16384;  // fixed, so that the order of summation does not depend on the number of threads

bool canSumDirectly(const at::Tensor& gradient) {
  return gradient.device().is_cpu() && gradient.scalar_type() == at::kFloat &&
         gradient.is_non_overlapping_and_dense();
}

double sumOfSquares(const float* values, std::int64_t count) {
  double lanes[8] = {};
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (int lane = 0; lane < 8; ++lane) {
      const double value = values[i + lane];
      lanes[lane] += value * value;
    }
  }
  for (; i < count; ++i) lanes[0] += static_cast<double>(values[i]) * values[i];
  double sum = 0;
  for (double lane : lanes) sum += lane;
  return sum;
}

/// A range of one gradient's elements.
struct Chunk {
  const float* values;
  std::int64_t count;
};

double normOnCpu(const std::vector<at::Tensor>& gradients) {
  std::vector<Chunk> chunks;
  for (const at::Tensor& gradient : gradients) {
    const float* values = gradient.const_data_ptr<float>();
    for (std::int64_t begin = 0; begin < gradient.numel(); begin += kChunkElements) {
      chunks.push_back({values + begin, std::min(kChunkElements, gradient.numel() - begin)});
    }
  }
  std::vector<double> sums(chunks.size());
  at::parallel_for(0, static_cast<std::int64_t>(chunks.size()), 16,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t i = begin; i < end; ++i)
                       sums[i] = sumOfSquares(chunks[i].values, chunks[i].count);
                   });
  double total = 0;
  for (double sum : sums) total += sum;
  return std::sqrt(total);
}

at::Tensor normAnywhere(const std::vector<at::Tensor>& gradients) {
  return at::stack(at::_foreach_norm(gradients)).to(at::kDouble).square().sum().sqrt();
}

}  // namespace

at::Tensor clipGradientNorm(const std::vector<at::Tensor>& parameters, double maxNorm) {
  at::NoGradGuard noGradient;
  std::vector<at::Tensor> gradients;
  bool onCpu = true;
  for (const at::Tensor& parameter : parameters) {
    if (!parameter.grad().defined()) continue;
    gradients.push_back(parameter.grad());
    onCpu = onCpu && canSumDirectly(gradients.back());
  }
  if (gradients.empty()) return at::scalar_tensor(0.0, at::kDouble);
  if (!onCpu) {
    const at::Tensor norm = normAnywhere(gradients);
    if (maxNorm > 0) {
      const at::Tensor factor = norm.add(kNormEpsilon).reciprocal().mul(maxNorm).clamp_max(1.0);
      at::_foreach_mul_(gradients, factor.to(gradients[0].scalar_type()));
    }
    return norm;
  }
  const double norm = normOnCpu(gradients);
  // Written so that a NaN norm propagates to the gradients, as in torch.
  const double factor = maxNorm / (norm + kNormEpsilon);
  if (maxNorm > 0 && !(factor >= 1)) at::_foreach_mul_(gradients, at::Scalar(factor));
  return at::scalar_tensor(norm, at::kDouble);
}

}  // namespace lockstep::solver
