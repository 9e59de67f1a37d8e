#include "engine/ops/sync_batch_norm.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

namespace lockstep::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Carries the sum to the backward pass.
struct SumHolder : torch::CustomClassHolder {
  explicit SumHolder(SumOverRanks held) : sum(std::move(held)) {}
  SumOverRanks sum;
};

/// [C] double: over images and pixels.
at::Tensor channelSums(const at::Tensor& map) { return map.sum({0, 2, 3}, false, at::kDouble); }

at::Tensor perChannel(const at::Tensor& values) { return values.view({1, -1, 1, 1}); }

void updateSyncedStatistics(const RunningStatistics& running, const at::Tensor& mean,
                            const at::Tensor& variance, const at::Tensor& count) {
  const at::NoGradGuard noGradient;
  const at::Tensor unbiased = variance * (count / (count - 1).clamp_min(1));
  const auto step = [&](const at::Tensor& statistic, const at::Tensor& value) {
    statistic.mul_(1 - running.momentum).add_(value.to(statistic.scalar_type()), running.momentum);
  };
  step(running.mean, mean);
  step(running.variance, unbiased);
}

class SyncBatchNormFunction : public torch::autograd::Function<SyncBatchNormFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, const RunningStatistics& running,
                            double epsilon, const SumOverRanks& sumOverRanks) {
    const std::int64_t channels = x.size(1);
    const double pixels = static_cast<double>(x.numel() / channels);
    at::Tensor sums = at::cat({channelSums(x), channelSums(x.square()),
                               at::full({1}, pixels, x.options().dtype(at::kDouble))});
    sumOverRanks(sums);
    const at::Tensor count = sums.narrow(0, 2 * channels, 1);
    const at::Tensor mean = sums.narrow(0, 0, channels) / count;
    const at::Tensor variance =
        (sums.narrow(0, channels, channels) / count - mean.square()).clamp_min(0);
    updateSyncedStatistics(running, mean, variance, count);
    const at::Tensor scale = (variance + epsilon).rsqrt();
    const at::Tensor factor = weight * scale;
    context->save_for_backward({x, weight, mean, scale, count});
    context->saved_data["sum"] =
        c10::IValue::make_capsule(c10::make_intrusive<SumHolder>(sumOverRanks));
    return x * perChannel(factor.to(x.scalar_type())) +
           perChannel((bias - mean * factor).to(x.scalar_type()));
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &mean = saved[2], &scale = saved[3],
                     &count = saved[4];
    const at::Tensor& grad = grads[0];
    const std::int64_t channels = x.size(1);
    const at::Tensor gradSum = channelSums(grad);
    // Of the gradient with the normalised x.
    const at::Tensor products = (channelSums(grad * x) - mean * gradSum) * scale;
    at::Tensor sums = at::cat({gradSum, products});
    static_cast<SumHolder&>(*context->saved_data["sum"].toCapsule()).sum(sums);
    const at::Tensor meanGrad = sums.narrow(0, 0, channels) / count;
    const at::Tensor meanProduct = sums.narrow(0, channels, channels) / count;
    const at::Tensor factor = weight * scale;
    // factor * (grad - meanGrad - (x - mean) * scale * meanProduct)
    const at::Tensor ofInput = -factor * scale * meanProduct;
    const at::Tensor constant = -factor * meanGrad - ofInput * mean;
    const auto type = x.scalar_type();
    const at::Tensor gradX = grad * perChannel(factor.to(type)) + x * perChannel(ofInput.to(type)) +
                             perChannel(constant.to(type));
    return {gradX, products.to(weight.scalar_type()), gradSum.to(weight.scalar_type()), {}, {}, {}};
  }
};

}  // namespace

at::Tensor syncBatchNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                         const RunningStatistics& running, double epsilon,
                         const SumOverRanks& sumOverRanks) {
  TORCH_CHECK(x.dim() == 4 && weight.numel() == x.size(1) && bias.numel() == x.size(1),
              "x must be [N,C,H,W], weight and bias [C], got ", x.sizes(), ", ", weight.sizes(),
              " and ", bias.sizes());
  const at::Tensor wide = x.scalar_type() == at::kDouble ? x : x.to(at::kFloat);
  return SyncBatchNormFunction::apply(wide, weight, bias, running, epsilon, sumOverRanks)
      .to(x.scalar_type());
}

}  // namespace lockstep::ops
