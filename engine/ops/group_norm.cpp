#include "engine/ops/group_norm.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <vector>

#include "engine/ops/group_norm_cpu.h"
#include "engine/ops/group_norm_cuda.h"
#include "engine/ops/recorded_op.h"

namespace lockstep::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

std::vector<double> asDoubles(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

std::vector<float> asFloats(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

/// One group per channel, all images as one: the groups' moments are the batch's. count: of the
/// values of a channel.
void follow(const RunningStatistics& running, const GroupMoments& moments, double count,
            double epsilon) {
  const double unbiased = count / std::max(count - 1, 1.0);
  const auto step = [&](const at::Tensor& statistic, std::int64_t channel, double value) {
    float& kept = statistic.data_ptr<float>()[channel];
    kept = static_cast<float>((1 - running.momentum) * kept + running.momentum * value);
  };
  for (std::int64_t c = 0; c < running.mean.numel(); ++c) {
    const double variance = 1.0 / (moments.scale[c] * moments.scale[c]) - epsilon;
    step(running.mean, c, moments.mean[c]);
    step(running.variance, c, variance * unbiased);
  }
}

class GroupNormFunction : public torch::autograd::Function<GroupNormFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, const std::optional<at::Tensor>& residual,
                            const GroupNormOptions& options, const RunningStatistics& running) {
    LOCKSTEP_RECORD_OP("group_norm", x, residual);
    const at::Tensor input = x.contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor skip =
        residual ? residual->contiguous(at::MemoryFormat::ChannelsLast) : at::Tensor();
    const auto [out, moments, affine] =
        groupNormOnCpu(input, weight.contiguous(), bias.contiguous(), skip, options);
    if (running.mean.defined()) {
      follow(running, moments, static_cast<double>(input.numel() / input.size(1)), options.epsilon);
    }
    const bool needsOutput = options.hasRelu && residual,
               needsAffine = options.hasRelu && !residual;
    context->save_for_backward({input, weight, needsOutput ? out : at::Tensor()});
    context->saved_data["mean"] = moments.mean;
    context->saved_data["scale"] = moments.scale;
    context->saved_data["factor"] = needsAffine ? asDoubles(affine.factor) : std::vector<double>();
    context->saved_data["shift"] = needsAffine ? asDoubles(affine.shift) : std::vector<double>();
    context->saved_data["groups"] = options.groups;
    context->saved_data["hasResidual"] = residual.has_value();
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    LOCKSTEP_RECORD_OP("group_norm_backward", grads[0]);
    const variable_list tensors = context->get_saved_variables();
    const auto doubles = [&](const char* name) {
      return context->saved_data[name].toDoubleVector();
    };
    const GroupNormCpuSaved saved{tensors[0],
                                  tensors[1].contiguous(),
                                  tensors[2],
                                  {doubles("mean"), doubles("scale")},
                                  {asFloats(doubles("factor")), asFloats(doubles("shift"))},
                                  context->saved_data["groups"].toInt(),
                                  context->saved_data["hasResidual"].toBool()};
    variable_list result =
        groupNormBackwardOnCpu(grads[0].contiguous(at::MemoryFormat::ChannelsLast), saved);
    result.resize(6);  // options and statistics have none
    return result;
  }
};

#ifdef LOCKSTEP_CUDA
class GroupNormCudaFunction : public torch::autograd::Function<GroupNormCudaFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, const std::optional<at::Tensor>& residual,
                            const GroupNormOptions& options) {
    LOCKSTEP_RECORD_OP("group_norm", x, residual);
    const at::Tensor input = x.contiguous(at::MemoryFormat::ChannelsLast),
                     factors = weight.contiguous();
    const at::Tensor skip =
        residual ? residual->contiguous(at::MemoryFormat::ChannelsLast) : at::Tensor();
    const GroupNormResult result = groupNormCuda(input, factors, bias.contiguous(), skip, options);
    const bool keepsOut = options.hasRelu && residual;
    context->save_for_backward(
        {input, factors, result.moments, result.affine, keepsOut ? result.out : at::Tensor()});
    context->saved_data["groups"] = options.groups;
    context->saved_data["hasRelu"] = options.hasRelu;
    context->saved_data["hasResidual"] = residual.has_value();
    return result.out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    LOCKSTEP_RECORD_OP("group_norm_backward", grads[0]);
    const auto tensors = context->get_saved_variables();
    const GroupNormSaved saved{tensors[0],
                               tensors[1],
                               tensors[2],
                               tensors[3],
                               tensors[4],
                               context->saved_data["groups"].toInt(),
                               context->saved_data["hasRelu"].toBool(),
                               context->saved_data["hasResidual"].toBool()};
    variable_list result =
        groupNormBackwardCuda(grads[0].contiguous(at::MemoryFormat::ChannelsLast), saved);
    result.emplace_back();  // options have none
    return result;
  }
};
#endif

bool isForOurKernel(const at::Tensor& x) {
  const bool isOfType = x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16;
  return x.is_cpu() && isOfType && x.numel() > 0 && x.is_contiguous(at::MemoryFormat::ChannelsLast);
}

void checkSizes(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
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
  checkSizes(x, weight, bias, residual, options.groups);
#ifdef LOCKSTEP_CUDA
  if (x.is_cuda() && x.numel() > 0 && canGroupNormCuda(x.size(1), options.groups))
    return GroupNormCudaFunction::apply(x, weight, bias, residual, options);
#endif
  if (isHalf(x) && !isForOurKernel(x)) {
    return groupNorm(x.to(at::kFloat), weight, bias, inFloat(residual), options)
        .to(x.scalar_type());
  }
  if (isForOurKernel(x))
    return GroupNormFunction::apply(x, weight, bias, residual, options, RunningStatistics());
  return withResidual(at::group_norm(x, options.groups, weight, bias, options.epsilon), residual,
                      options.hasRelu);
}

at::Tensor batchNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                     const std::optional<at::Tensor>& residual, const RunningStatistics& running,
                     const BatchNormOptions& options) {
  checkSizes(x, weight, bias, residual, /*groups=*/1);
  if (isHalf(x) && x.is_cpu() && !isForOurKernel(x)) {
    return batchNorm(x.to(at::kFloat), weight, bias, inFloat(residual), running, options)
        .to(x.scalar_type());
  }
  if (isForOurKernel(x)) {
    const auto skip = residual ? std::optional(stacked(*residual, 1)) : std::nullopt;
    const GroupNormOptions perChannel{x.size(1), options.epsilon, options.hasRelu};
    return stacked(GroupNormFunction::apply(stacked(x, 1), weight, bias, skip, perChannel, running),
                   x.size(0));
  }
  return withResidual(
      at::batch_norm(x, weight, bias, running.mean, running.variance, /*training=*/true,
                     running.momentum, options.epsilon, /*cudnn_enabled=*/true),
      residual, options.hasRelu);
}

}  // namespace lockstep::ops
