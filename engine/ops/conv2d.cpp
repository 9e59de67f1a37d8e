#include "engine/ops/conv2d.h"

#include <ATen/ATen.h>
#include <ATen/Version.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/ops/spare_threads.h"

namespace lockstep::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Measured with LibTorch 2.11 (oneDNN) on AVX-512: within these limits the matrix product is
// faster. With only AVX2 it always is.
constexpr std::int64_t kMostPixels = 512;            // of the output, over all images
constexpr std::int64_t kFewestProducts = 256 * 256;  // input times output channels

bool isWideOverFewPixels(const at::Tensor& x, const at::Tensor& weight, std::int64_t stride) {
  return weight.size(0) * weight.size(1) >= kFewestProducts &&
         x.size(0) * x.size(2) * x.size(3) <= kMostPixels * stride * stride;
}

bool hasOwnWeightGradient(const at::Tensor& x, const at::Tensor& weight, std::int64_t stride) {
  static const bool hasAvx512 = at::get_cpu_capability() == "AVX512";
  return x.is_cpu() && x.scalar_type() == at::kFloat && weight.requires_grad() &&
         at::GradMode::is_enabled() && x.numel() > 0 &&
         x.is_contiguous(at::MemoryFormat::ChannelsLast) && weight.size(2) == 3 &&
         weight.size(3) == 3 && (!hasAvx512 || isWideOverFewPixels(x, weight, stride));
}

class Conv2dFunction : public torch::autograd::Function<Conv2dFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const std::optional<at::Tensor>& bias, std::int64_t stride,
                            std::int64_t padding) {
    context->save_for_backward({x, weight});
    context->saved_data["stride"] = stride;
    context->saved_data["padding"] = padding;
    context->saved_data["hasBias"] = bias.has_value();
    return at::conv2d(x, weight, bias, {stride, stride}, {padding, padding});
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1];
    const std::int64_t stride = context->saved_data["stride"].toInt();
    const std::int64_t padding = context->saved_data["padding"].toInt();
    const at::Tensor grad = grads[0].contiguous(at::MemoryFormat::ChannelsLast);
    variable_list result(5);  // x, weight, bias; none for stride and padding
    if (context->needs_input_grad(0)) {
      result[0] = std::get<0>(at::convolution_backward(
          grad, x, weight, std::nullopt, {stride, stride}, {padding, padding}, {1, 1},
          /*transposed=*/false, {0, 0}, /*groups=*/1, {true, false, false}));
    }
    result[1] = cpu::conv3x3WeightGradient(x, grad, stride, padding);
    if (context->saved_data["hasBias"].toBool())
      result[2] = grad.permute({0, 2, 3, 1}).flatten(0, 2).sum(0);
    return result;
  }
};

at::Tensor convolve(const at::Tensor& x, const at::Tensor& weight,
                    const std::optional<at::Tensor>& bias, std::int64_t stride,
                    std::int64_t padding) {
  const auto compute = [=](const at::Tensor& map, const at::Tensor& kernels,
                           const std::optional<at::Tensor>& shifts) {
    return at::conv2d(map, kernels, shifts, {stride, stride}, {padding, padding});
  };
  if (!cpu::hasSpareThreads()) return compute(x, weight, bias);
  return cpu::onSpareThreads(
      {cpu::LibraryCall::Operation::Conv2d, {stride, padding}, x, weight, bias, compute});
}

}  // namespace

at::Tensor conv2d(const at::Tensor& x, const at::Tensor& weight, std::int64_t stride,
                  std::int64_t padding, const Epilogue& epilogue) {
  if (x.is_cuda())
    return applyEpilogue(at::conv2d(x, weight, {}, {stride, stride}, {padding, padding}), epilogue);
  std::optional<at::Tensor> bias = epilogue.bias;
  if (bias) bias = bias->to(x.scalar_type());
  const at::Tensor out = hasOwnWeightGradient(x, weight, stride)
                             ? Conv2dFunction::apply(x, weight, bias, stride, padding)
                             : convolve(x, weight, bias, stride, padding);
  return applyEpilogue(out, {{}, epilogue.residual, epilogue.hasRelu});
}

}  // namespace lockstep::ops
