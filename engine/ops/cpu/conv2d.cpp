#include "engine/ops/conv2d.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>

namespace lockstep::ops {
namespace {

/// Number of im2col windows per block: 9 MB with 256 channels.
constexpr std::int64_t kWindowRows = 1024;

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

}  // namespace

at::Tensor cpu::conv3x3WeightGradient(const at::Tensor& x, const at::Tensor& gradOut,
                                      std::int64_t stride, std::int64_t padding) {
  const WindowPlaces places{gradOut.size(2), gradOut.size(3), stride, padding};
  const at::Tensor gradRows = gradOut.permute({0, 2, 3, 1}).flatten(0, 2);
  const std::int64_t out = gradRows.size(1), in = x.size(1), count = gradRows.size(0);
  at::Tensor sum = at::zeros({out, 9 * in}, gradRows.options());
  for (std::int64_t begin = 0; begin < count; begin += kWindowRows) {
    const std::int64_t end = std::min(begin + kWindowRows, count);
    sum.addmm_(gradRows.slice(0, begin, end).t(), windows(x, places, begin, end));
  }
  return sum.view({out, 3, 3, in}).permute({0, 3, 1, 2});
}

}  // namespace lockstep::ops
