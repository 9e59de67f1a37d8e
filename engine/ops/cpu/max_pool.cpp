#include "engine/ops/max_pool.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <bit>

#include "engine/ops/cpu/vector_clones.h"
#include "engine/ops/pool_size.h"
#include "engine/ops/spare_threads.h"

namespace lockstep::ops {
namespace {

/// The pixels of a window, row by row: pointers to them, and indices 3 * row + column. Pixels
/// outside the map are replaced by copies of the first one, before it: always nine, without a
/// branch.
struct Window {
  std::array<const float*, 9> pixels{};
  std::array<std::int32_t, 9> indices{};

  Window(const float* image, const PoolSize& size, std::int64_t row, std::int64_t column) {
    std::size_t first = 9;
    for (std::int64_t i = 2; i >= 0; --i) {
      for (std::int64_t j = 2; j >= 0; --j) {
        const std::int64_t y = 2 * row - 1 + i, x = 2 * column - 1 + j;
        if (y < 0 || y >= size.height || x < 0 || x >= size.width) continue;
        pixels[--first] = image + (y * size.width + x) * size.channels;
        indices[first] = static_cast<std::int32_t>(3 * i + j);
      }
    }
    std::fill_n(pixels.begin(), first, pixels[first]);
    std::fill_n(indices.begin(), first, indices[first]);
  }
};

/// One output pixel: the maximum, and its index in the window.
LOCKSTEP_VECTOR_CLONES
void poolPixel(const Window& window, std::int64_t channels, float* __restrict out,
               std::uint8_t* __restrict argmax) {
  const auto [pixels, indices] = window;
  for (std::int64_t c = 0; c < channels; ++c) {
    float best = pixels[0][c];
    std::int32_t bestIndex = indices[0];
    for (std::size_t k = 1; k < 9; ++k) {
      const float value = pixels[k][c];
      // NaN propagates, as in LibTorch.
      const bool isLarger = (value > best) | (value != value);
      best = isLarger ? value : best;
      bestIndex = isLarger ? indices[k] : bestIndex;
    }
    out[c] = best;
    argmax[c] = static_cast<std::uint8_t>(bestIndex);
  }
}

/// The (at most four) windows of a pixel: their gradients and argmax, and the pixel's own index in
/// each. If there are fewer, the first is repeated with an index that never occurs.
struct Windows {
  std::array<const float*, 4> grads{};
  std::array<const std::uint8_t*, 4> argmax{};
  std::array<std::int32_t, 4> own{};

  Windows(const float* gradOut, const std::uint8_t* allArgmax, const PoolSize& size, std::int64_t y,
          std::int64_t x) {
    std::size_t count = 0;
    for (std::int64_t row = y / 2; row <= std::min((y + 1) / 2, size.outHeight - 1); ++row) {
      for (std::int64_t column = x / 2; column <= std::min((x + 1) / 2, size.outWidth - 1);
           ++column) {
        const std::int64_t offset = (row * size.outWidth + column) * size.channels;
        grads[count] = gradOut + offset;
        argmax[count] = allArgmax + offset;
        own[count++] = static_cast<std::int32_t>(3 * (y - 2 * row + 1) + (x - 2 * column + 1));
      }
    }
    std::fill(grads.begin() + count, grads.end(), grads[0]);
    std::fill(argmax.begin() + count, argmax.end(), argmax[0]);
    std::fill(own.begin() + count, own.end(), -1);
  }
};

/// One input pixel: the sum of its windows' gradients, in window order.
LOCKSTEP_VECTOR_CLONES
void poolPixelBackward(const Windows& windows, std::int64_t channels, float* __restrict gradIn) {
  const auto [grads, argmax, own] = windows;
  for (std::int64_t c = 0; c < channels; ++c) {
    float sum = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      // A mask: of a condition the compiler makes a branch.
      const std::int32_t mask = -static_cast<std::int32_t>(argmax[k][c] == own[k]);
      sum += std::bit_cast<float>(std::bit_cast<std::int32_t>(grads[k][c]) & mask);
    }
    gradIn[c] = sum;
  }
}

}  // namespace

void cpu::maxPool(const at::Tensor& x, at::Tensor& out, at::Tensor& argmax) {
  const PoolSize size(x.size(0), x.size(1), x.size(2), x.size(3));
  const OnSpareThreads threads;
  at::parallel_for(0, size.images * size.outHeight, 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t image = i / size.outHeight, row = i % size.outHeight;
      const float* from =
          x.const_data_ptr<float>() + image * size.height * size.width * size.channels;
      for (std::int64_t column = 0; column < size.outWidth; ++column) {
        const std::int64_t offset = (i * size.outWidth + column) * size.channels;
        poolPixel(Window(from, size, row, column), size.channels, out.data_ptr<float>() + offset,
                  argmax.data_ptr<std::uint8_t>() + offset);
      }
    }
  });
}

void cpu::maxPoolBackward(const at::Tensor& gradOut, const at::Tensor& argmax, at::Tensor& gradIn) {
  const PoolSize size(gradIn.size(0), gradIn.size(1), gradIn.size(2), gradIn.size(3));
  at::parallel_for(0, size.images * size.height, 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t from = i / size.height * size.outHeight * size.outWidth * size.channels;
      for (std::int64_t x = 0; x < size.width; ++x) {
        const Windows windows(gradOut.const_data_ptr<float>() + from,
                              argmax.const_data_ptr<std::uint8_t>() + from, size, i % size.height,
                              x);
        poolPixelBackward(windows, size.channels,
                          gradIn.data_ptr<float>() + (i * size.width + x) * size.channels);
      }
    }
  });
}

}  // namespace lockstep::ops
