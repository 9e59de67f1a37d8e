#include "engine/ops/conv2d.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

namespace lockstep::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Measured with LibTorch 2.11 (oneDNN) on AVX-512: below, the product of matrices is the quicker
// one. With AVX2 alone it always is.
constexpr std::int64_t kMostPixels = 512;            // of the output, over all images
constexpr std::int64_t kFewestProducts = 256 * 256;  // input times output channels

/// Windows laid out at once: 9 MB of 256 channels.
constexpr std::int64_t kWindowRows = 1024;

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

struct WindowPlaces {
  std::int64_t outHeight, outWidth, stride, padding;
};

/// Windows [begin, end) of x, counted over images, rows and columns of the output, a row of
/// 3 * 3 * C each; zeros where they reach over the edge.
at::Tensor windows(const at::Tensor& x, const WindowPlaces& places, std::int64_t begin,
                   std::int64_t end) {
  const std::int64_t channels = x.size(1), height = x.size(2), width = x.size(3);
  at::Tensor rows = at::empty({end - begin, 9 * channels},
                              x.options().memory_format(at::MemoryFormat::Contiguous));
  const float* from = x.const_data_ptr<float>();
  float* to = rows.data_ptr<float>();
  at::parallel_for(begin, end, 16, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t image = i / (places.outHeight * places.outWidth);
      const std::int64_t top =
          i / places.outWidth % places.outHeight * places.stride - places.padding;
      const std::int64_t left = i % places.outWidth * places.stride - places.padding;
      for (std::int64_t tap = 0; tap < 9; ++tap) {
        const std::int64_t row = top + tap / 3, column = left + tap % 3;
        float* target = to + ((i - begin) * 9 + tap) * channels;
        if (row < 0 || row >= height || column < 0 || column >= width) {
          std::fill_n(target, channels, 0.0f);
        } else {
          std::copy_n(from + ((image * height + row) * width + column) * channels, channels,
                      target);
        }
      }
    }
  });
  return rows;
}

/// The gradient of a weight [out, in, 3, 3] in channels_last: the sum over all windows of x times
/// the slopes [windows, out] there.
at::Tensor weightGradient(const at::Tensor& x, const at::Tensor& slopes,
                          const WindowPlaces& places) {
  const std::int64_t out = slopes.size(1), in = x.size(1), count = slopes.size(0);
  at::Tensor sum = at::zeros({out, 9 * in}, slopes.options());
  for (std::int64_t begin = 0; begin < count; begin += kWindowRows) {
    const std::int64_t end = std::min(begin + kWindowRows, count);
    sum.addmm_(slopes.slice(0, begin, end).t(), windows(x, places, begin, end));
  }
  return sum.view({out, 3, 3, in}).permute({0, 3, 1, 2});
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
    variable_list result(5);  // x, weight, bias; stride and padding have none
    if (context->needs_input_grad(0)) {
      result[0] = std::get<0>(at::convolution_backward(
          grad, x, weight, std::nullopt, {stride, stride}, {padding, padding}, {1, 1},
          /*transposed=*/false, {0, 0}, /*groups=*/1, {true, false, false}));
    }
    const at::Tensor slopes = grad.permute({0, 2, 3, 1}).reshape({-1, weight.size(0)});
    result[1] = weightGradient(x, slopes, {grad.size(2), grad.size(3), stride, padding});
    if (context->saved_data["hasBias"].toBool()) result[2] = slopes.sum(0);
    return result;
  }
};

}  // namespace

at::Tensor conv2d(const at::Tensor& x, const at::Tensor& weight, std::int64_t stride,
                  std::int64_t padding, const Epilogue& epilogue) {
  if (x.is_cuda())
    return finish(at::conv2d(x, weight, {}, {stride, stride}, {padding, padding}), epilogue);
  std::optional<at::Tensor> bias = epilogue.bias;
  if (bias) bias = bias->to(x.scalar_type());
  const at::Tensor out = hasOwnWeightGradient(x, weight, stride)
                             ? Conv2dFunction::apply(x, weight, bias, stride, padding)
                             : at::conv2d(x, weight, bias, {stride, stride}, {padding, padding});
  return finish(out, {{}, epilogue.residual, epilogue.hasRelu});
}

}  // namespace lockstep::ops
