#include "engine/ops/max_pool.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "engine/ops/max_pool_cuda.h"
#include "engine/ops/pool_size.h"
#include "engine/ops/recorded_op.h"
#include "engine/ops/vector_clones.h"

namespace lockstep::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// One output pixel: `place` 3 * row + column of the largest inside its window.
LOCKSTEP_VECTOR_CLONES
void poolPixel(const float* image, const PoolSize& size, std::int64_t row, std::int64_t column,
               float* out, std::uint8_t* place) {
  bool isFirst = true;
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::int64_t y = 2 * row - 1 + i;
    if (y < 0 || y >= size.height) continue;
    for (std::int64_t j = 0; j < 3; ++j) {
      const std::int64_t x = 2 * column - 1 + j;
      if (x < 0 || x >= size.width) continue;
      const float* pixel = image + (y * size.width + x) * size.channels;
      const auto here = static_cast<std::uint8_t>(3 * i + j);
      for (std::int64_t c = 0; c < size.channels; ++c) {
        // NaN wins, as in LibTorch.
        const bool isLarger = isFirst || pixel[c] > out[c] || pixel[c] != pixel[c];
        out[c] = isLarger ? pixel[c] : out[c];
        place[c] = isLarger ? here : place[c];
      }
      isFirst = false;
    }
  }
}

/// One input pixel: what the (at most four) windows it lies in pass on to it, window after window.
LOCKSTEP_VECTOR_CLONES
void spreadPixel(const float* gradOut, const std::uint8_t* places, const PoolSize& size,
                 std::int64_t y, std::int64_t x, float* gradIn) {
  for (std::int64_t c = 0; c < size.channels; ++c) gradIn[c] = 0;
  for (std::int64_t row = y / 2; row <= std::min((y + 1) / 2, size.outHeight - 1); ++row) {
    for (std::int64_t column = x / 2; column <= std::min((x + 1) / 2, size.outWidth - 1);
         ++column) {
      const auto here = static_cast<std::uint8_t>(3 * (y - 2 * row + 1) + (x - 2 * column + 1));
      const std::int64_t offset = (row * size.outWidth + column) * size.channels;
      const float* grad = gradOut + offset;
      const std::uint8_t* place = places + offset;
      for (std::int64_t c = 0; c < size.channels; ++c) gradIn[c] += place[c] == here ? grad[c] : 0;
    }
  }
}

void poolOnCpu(const at::Tensor& x, const PoolSize& size, at::Tensor& out, at::Tensor& places) {
  at::parallel_for(0, size.images * size.outHeight, 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t image = i / size.outHeight, row = i % size.outHeight;
      const float* from =
          x.const_data_ptr<float>() + image * size.height * size.width * size.channels;
      for (std::int64_t column = 0; column < size.outWidth; ++column) {
        const std::int64_t offset = (i * size.outWidth + column) * size.channels;
        poolPixel(from, size, row, column, out.data_ptr<float>() + offset,
                  places.data_ptr<std::uint8_t>() + offset);
      }
    }
  });
}

void spreadOnCpu(const at::Tensor& gradOut, const at::Tensor& places, const PoolSize& size,
                 at::Tensor& gradIn) {
  at::parallel_for(0, size.images * size.height, 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t from = i / size.height * size.outHeight * size.outWidth * size.channels;
      for (std::int64_t x = 0; x < size.width; ++x) {
        spreadPixel(gradOut.const_data_ptr<float>() + from,
                    places.const_data_ptr<std::uint8_t>() + from, size, i % size.height, x,
                    gradIn.data_ptr<float>() + (i * size.width + x) * size.channels);
      }
    }
  });
}

class MaxPoolFunction : public torch::autograd::Function<MaxPoolFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x) {
    LOCKSTEP_RECORD_OP("max_pool");
    const PoolSize size(x.size(0), x.size(1), x.size(2), x.size(3));
    const auto options = x.options().memory_format(at::MemoryFormat::ChannelsLast);
    at::Tensor out =
        at::empty({size.images, size.channels, size.outHeight, size.outWidth}, options);
    at::Tensor places = at::empty(out.sizes(), options.dtype(at::kByte));
#ifdef LOCKSTEP_CUDA
    if (x.is_cuda()) maxPoolCuda(x, size, out, places);
#endif
    if (x.is_cpu()) poolOnCpu(x, size, out, places);
    context->save_for_backward({places});
    context->saved_data["size"] = x.sizes().vec();
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    LOCKSTEP_RECORD_OP("max_pool_backward");
    const at::Tensor places = context->get_saved_variables()[0];
    const auto sizes = context->saved_data["size"].toIntVector();
    const PoolSize size(sizes[0], sizes[1], sizes[2], sizes[3]);
    const at::Tensor grad = grads[0].contiguous(at::MemoryFormat::ChannelsLast);
    at::Tensor gradIn =
        at::empty(sizes, grad.options().memory_format(at::MemoryFormat::ChannelsLast));
#ifdef LOCKSTEP_CUDA
    if (grad.is_cuda()) maxPoolBackwardCuda(grad, places, size, gradIn);
#endif
    if (grad.is_cpu()) spreadOnCpu(grad, places, size, gradIn);
    return {gradIn};
  }
};

/// Which maps our own kernels take.
bool isForOurKernels(const at::Tensor& x) {
  if (x.numel() == 0 || !x.is_contiguous(at::MemoryFormat::ChannelsLast)) return false;
#ifdef LOCKSTEP_CUDA
  if (x.is_cuda()) return true;
#endif
  return x.is_cpu() && x.scalar_type() == at::kFloat;
}

}  // namespace

at::Tensor maxPool3x3(const at::Tensor& x) {
  TORCH_CHECK(x.dim() == 4, "x must be [N,C,H,W], got ", x.sizes());
  return isForOurKernels(x) ? MaxPoolFunction::apply(x) : at::max_pool2d(x, {3, 3}, {2, 2}, {1, 1});
}

}  // namespace lockstep::ops
