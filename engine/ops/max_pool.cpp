#include "engine/ops/max_pool.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <array>
#include <bit>

#include "engine/ops/max_pool_cuda.h"
#include "engine/ops/pool_size.h"
#include "engine/ops/recorded_op.h"
#include "engine/ops/vector_clones.h"

namespace lockstep::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The pixels of a window, row by row: where they begin, and 3 * row + column. In place of those
/// outside of the map the first one stands again, before it, so that the loop over channels has
/// nine of them and nothing to decide.
struct Window {
  std::array<const float*, 9> pixels{};
  std::array<std::int32_t, 9> places{};

  Window(const float* image, const PoolSize& size, std::int64_t row, std::int64_t column) {
    std::size_t first = 9;
    for (std::int64_t i = 2; i >= 0; --i) {
      for (std::int64_t j = 2; j >= 0; --j) {
        const std::int64_t y = 2 * row - 1 + i, x = 2 * column - 1 + j;
        if (y < 0 || y >= size.height || x < 0 || x >= size.width) continue;
        pixels[--first] = image + (y * size.width + x) * size.channels;
        places[first] = static_cast<std::int32_t>(3 * i + j);
      }
    }
    std::fill_n(pixels.begin(), first, pixels[first]);
    std::fill_n(places.begin(), first, places[first]);
  }
};

/// One output pixel: the largest, and its place in the window.
LOCKSTEP_VECTOR_CLONES
void poolPixel(const Window& window, std::int64_t channels, float* __restrict out,
               std::uint8_t* __restrict place) {
  const auto [pixels, places] = window;
  for (std::int64_t c = 0; c < channels; ++c) {
    float best = pixels[0][c];
    std::int32_t where = places[0];
    for (std::size_t k = 1; k < 9; ++k) {
      const float value = pixels[k][c];
      // NaN wins, as in LibTorch.
      const bool isLarger = (value > best) | (value != value);
      best = isLarger ? value : best;
      where = isLarger ? places[k] : where;
    }
    out[c] = best;
    place[c] = static_cast<std::uint8_t>(where);
  }
}

/// The (at most four) windows that a pixel lies in: their gradients and places, and its own place
/// there. Where there are fewer, the first stands again with a place that there is not.
struct Windows {
  std::array<const float*, 4> grads{};
  std::array<const std::uint8_t*, 4> places{};
  std::array<std::int32_t, 4> own{};

  Windows(const float* gradOut, const std::uint8_t* allPlaces, const PoolSize& size, std::int64_t y,
          std::int64_t x) {
    std::size_t count = 0;
    for (std::int64_t row = y / 2; row <= std::min((y + 1) / 2, size.outHeight - 1); ++row) {
      for (std::int64_t column = x / 2; column <= std::min((x + 1) / 2, size.outWidth - 1);
           ++column) {
        const std::int64_t offset = (row * size.outWidth + column) * size.channels;
        grads[count] = gradOut + offset;
        places[count] = allPlaces + offset;
        own[count++] = static_cast<std::int32_t>(3 * (y - 2 * row + 1) + (x - 2 * column + 1));
      }
    }
    std::fill(grads.begin() + count, grads.end(), grads[0]);
    std::fill(places.begin() + count, places.end(), places[0]);
    std::fill(own.begin() + count, own.end(), -1);
  }
};

/// One input pixel: what its windows pass on to it, window after window.
LOCKSTEP_VECTOR_CLONES
void spreadPixel(const Windows& windows, std::int64_t channels, float* __restrict gradIn) {
  const auto [grads, places, own] = windows;
  for (std::int64_t c = 0; c < channels; ++c) {
    float sum = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      // A mask: of a condition the compiler makes a branch.
      const std::int32_t mask = -static_cast<std::int32_t>(places[k][c] == own[k]);
      sum += std::bit_cast<float>(std::bit_cast<std::int32_t>(grads[k][c]) & mask);
    }
    gradIn[c] = sum;
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
        poolPixel(Window(from, size, row, column), size.channels, out.data_ptr<float>() + offset,
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
        const Windows windows(gradOut.const_data_ptr<float>() + from,
                              places.const_data_ptr<std::uint8_t>() + from, size, i % size.height,
                              x);
        spreadPixel(windows, size.channels,
                    gradIn.data_ptr<float>() + (i * size.width + x) * size.channels);
      }
    }
  });
}

class MaxPoolFunction : public torch::autograd::Function<MaxPoolFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x) {
    LOCKSTEP_RECORD_OP("max_pool", x);
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
    LOCKSTEP_RECORD_OP("max_pool_backward", grads[0]);
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
