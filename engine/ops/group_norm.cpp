#include "engine/ops/group_norm.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <vector>

#include "engine/ops/dispatch.h"
#include "engine/ops/record_function.h"

namespace lockstep::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr DispatchStub<GroupNormKernel> kGroupNormStub{cpu::groupNorm,
                                                       LOCKSTEP_CUDA_KERNEL(cuda::groupNorm)};
constexpr DispatchStub<GroupNormBackwardKernel> kGroupNormBackwardStub{
    cpu::groupNormBackward, LOCKSTEP_CUDA_KERNEL(cuda::groupNormBackward)};

/// One group per channel, all images as one: the groups' moments [1,C,2] are the batch's. count: of
/// the values of a channel.
void updateStatistics(const RunningStatistics& running, const at::Tensor& moments, double count,
                      double epsilon) {
  const double unbiased = count / std::max(count - 1, 1.0);
  const auto step = [&](const at::Tensor& statistic, std::int64_t channel, double value) {
    float& kept = statistic.data_ptr<float>()[channel];
    kept = static_cast<float>((1 - running.momentum) * kept + running.momentum * value);
  };
  const auto* moment = moments.const_data_ptr<double>();
  for (std::int64_t c = 0; c < running.mean.numel(); ++c, moment += 2) {
    const double mean = moment[0], scale = moment[1];
    const double variance = 1.0 / (scale * scale) - epsilon;
    step(running.mean, c, mean);
    step(running.variance, c, variance * unbiased);
  }
}

class GroupNormFunction : public torch::autograd::Function<GroupNormFunction> {
 public:
  /// running: of a batch norm on a CPU, else undefined.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, const std::optional<at::Tensor>& residual,
                            const GroupNormOptions& options, const RunningStatistics& running) {
    LOCKSTEP_RECORD_FUNCTION("group_norm", x, residual);
    const at::Tensor input = x.contiguous(at::MemoryFormat::ChannelsLast),
                     factors = weight.contiguous();
    const at::Tensor skip =
        residual ? residual->contiguous(at::MemoryFormat::ChannelsLast) : at::Tensor();
    const auto [out, moments, affine] =
        kGroupNormStub(x.device(), input, factors, bias.contiguous(), skip, options);
    if (running.mean.defined()) {
      updateStatistics(running, moments, static_cast<double>(input.numel() / input.size(1)),
                       options.epsilon);
    }
    const bool keepsOut = options.hasRelu && residual;
    context->save_for_backward({input, factors, moments, affine, keepsOut ? out : at::Tensor()});
    context->saved_data["groups"] = options.groups;
    context->saved_data["hasRelu"] = options.hasRelu;
    context->saved_data["hasResidual"] = residual.has_value();
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    LOCKSTEP_RECORD_FUNCTION("group_norm_backward", grads[0]);
    const variable_list tensors = context->get_saved_variables();
    const GroupNormSaved saved{tensors[0],
                               tensors[1],
                               tensors[2],
                               tensors[3],
                               tensors[4],
                               context->saved_data["groups"].toInt(),
                               context->saved_data["hasRelu"].toBool(),
                               context->saved_data["hasResidual"].toBool()};
    variable_list result = kGroupNormBackwardStub(
        grads[0].device(), grads[0].contiguous(at::MemoryFormat::ChannelsLast), saved);
    result.resize(6);  // options and statistics have none
    return result;
  }
};

/// A GPU's makes any map channels_last.
bool hasGroupNormKernel(const at::Tensor& x, std::int64_t groups) {
  if (x.numel() == 0 || !kGroupNormStub.hasKernelFor(x.device())) return false;
  if (x.is_cuda()) return x.size(1) / groups <= cuda::kMostGroupWidth;
  const bool isOfType = x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16;
  return isOfType && x.is_contiguous(at::MemoryFormat::ChannelsLast);
}

void checkNormSizes(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                    const std::optional<at::Tensor>& residual, std::int64_t groups) {
  TORCH_CHECK(x.dim() == 4 && groups > 0 && x.size(1) % groups == 0,
              "x must be [N,C,H,W] with C a multiple of ", groups, ", got ", x.sizes());
  TORCH_CHECK(weight.numel() == x.size(1) && bias.numel() == x.size(1), "weight and bias must be [",
              x.size(1), "], got ", weight.sizes(), " and ", bias.sizes());
  TORCH_CHECK(!residual || residual->sizes() == x.sizes(), "residual must be like x");
}

/// The images of a channels_last map below each other as one, and back: [N,C,H,W] as
/// [images,C,…,W].
at::Tensor stacked(const at::Tensor& map, std::int64_t images) {
  const std::int64_t rows = map.size(0) * map.size(2) / images;
  return map.contiguous(at::MemoryFormat::ChannelsLast)
      .permute({0, 2, 3, 1})
      .view({images, rows, map.size(3), map.size(1)})
      .permute({0, 3, 1, 2});
}

bool isHalf(const at::Tensor& x) {
  return x.scalar_type() == at::kBFloat16 || x.scalar_type() == at::kHalf;
}

std::optional<at::Tensor> inFloat(const std::optional<at::Tensor>& map) {
  return map ? std::optional(map->to(at::kFloat)) : std::nullopt;
}

at::Tensor withResidual(at::Tensor out, const std::optional<at::Tensor>& residual, bool hasRelu) {
  if (residual) out += *residual;
  return hasRelu ? out.relu_() : out;
}

}  // namespace

at::Tensor groupNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                     const std::optional<at::Tensor>& residual, const GroupNormOptions& options) {
  checkNormSizes(x, weight, bias, residual, options.groups);
  if (hasGroupNormKernel(x, options.groups))
    return GroupNormFunction::apply(x, weight, bias, residual, options, RunningStatistics());
  if (isHalf(x)) {
    return groupNorm(x.to(at::kFloat), weight, bias, inFloat(residual), options)
        .to(x.scalar_type());
  }
  return withResidual(at::group_norm(x, options.groups, weight, bias, options.epsilon), residual,
                      options.hasRelu);
}

at::Tensor batchNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                     const std::optional<at::Tensor>& residual, const RunningStatistics& running,
                     const BatchNormOptions& options) {
  checkNormSizes(x, weight, bias, residual, /*groups=*/1);
  if (x.is_cpu() && hasGroupNormKernel(x, x.size(1))) {
    const auto skip = residual ? std::optional(stacked(*residual, 1)) : std::nullopt;
    const GroupNormOptions perChannel{x.size(1), options.epsilon, options.hasRelu};
    return stacked(GroupNormFunction::apply(stacked(x, 1), weight, bias, skip, perChannel, running),
                   x.size(0));
  }
  if (isHalf(x) && x.is_cpu()) {
    return batchNorm(x.to(at::kFloat), weight, bias, inFloat(residual), running, options)
        .to(x.scalar_type());
  }
  return withResidual(
      at::batch_norm(x, weight, bias, running.mean, running.variance, /*training=*/true,
                     running.momentum, options.epsilon, /*cudnn_enabled=*/true),
      residual, options.hasRelu);
}

}  // namespace lockstep::ops
