#include "engine/ops/resize_images.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/ops/cpu/vector_clones.h"

namespace lockstep::ops {
namespace {

using ChannelTable = std::array<std::array<float, 256>, structures::kImageChannels>;

/// The normalised value of every byte, exactly what to_tensor and normalize make of it.
const ChannelTable& normalisedBytes() {
  static const ChannelTable table = [] {
    ChannelTable values{};
    for (int channel = 0; channel < structures::kImageChannels; ++channel) {
      for (int byte = 0; byte < 256; ++byte) {
        const float scaled = static_cast<float>(byte) / 255.0f;
        values[channel][byte] =
            (scaled - structures::kImageMean[channel]) / structures::kImageStd[channel];
      }
    }
    return values;
  }();
  return table;
}

/// One row of pixels to three planes of normalised values, each `width` long.
void normaliseRow(const std::uint8_t* rgb, int width, float* planes) {
  const ChannelTable& table = normalisedBytes();
  float* r = planes;
  float* g = r + width;
  float* b = g + width;
  for (int x = 0; x < width; ++x, rgb += structures::kImageChannels) {
    r[x] = table[0][rgb[0]];
    g[x] = table[1][rgb[1]];
    b[x] = table[2][rgb[2]];
  }
}

LOCKSTEP_VECTOR_CLONES
void resizeRow(const float* in, const std::int32_t* first, const std::int32_t* second,
               const float* weight, int count, float* out) {
  for (int x = 0; x < count; ++x)
    out[x] = in[first[x]] * (1.0f - weight[x]) + in[second[x]] * weight[x];
}

LOCKSTEP_VECTOR_CLONES
void blendRows(const float* upper, const float* lower, float lowerWeight, int count, float* out) {
  const float upperWeight = 1.0f - lowerWeight;
  for (int x = 0; x < count; ++x) out[x] = upper[x] * upperWeight + lower[x] * lowerWeight;
}

/// Where the pixels of one output side come from: out[i] = in[first[i]] * (1 - weight[i]) +
/// in[second[i]] * weight[i]. With `flips` the input side is read backwards.
struct LinearTaps {
  std::vector<std::int32_t> first, second;
  std::vector<float> weight;  // of second
};

LinearTaps linearTaps(int inPx, int outPx, bool flips) {
  LinearTaps taps;
  const float scale = static_cast<float>(inPx) / static_cast<float>(outPx);
  for (int i = 0; i < outPx; ++i) {
    // Fused, as in ATen's compiled code: hundreds of px away from 0 a rounding in between shows in
    // the weights.
    const float source = std::max(std::fma(scale, static_cast<float>(i) + 0.5f, -0.5f), 0.0f);
    const int first = std::min(static_cast<int>(source), inPx - 1);
    const int second = std::min(first + 1, inPx - 1);
    taps.first.push_back(flips ? inPx - 1 - first : first);
    taps.second.push_back(flips ? inPx - 1 - second : second);
    taps.weight.push_back(std::clamp(source - static_cast<float>(first), 0.0f, 1.0f));
  }
  return taps;
}

/// Rows of the input resized across, the two last used ones kept: an output row needs two
/// neighbours.
class ResizedRows {
 public:
  ResizedRows(const std::uint8_t* pixels, int inWidth, const LinearTaps& columns)
      : pixels_(pixels),
        inWidth_(inWidth),
        columns_(columns),
        width_(static_cast<int>(columns.weight.size())),
        normalised_(static_cast<std::size_t>(inWidth) * structures::kImageChannels) {
    for (Row& row : rows_)
      row.planes.resize(static_cast<std::size_t>(width_) * structures::kImageChannels);
  }

  /// Three planes of the output width. Stays valid while the next row asked for is another one.
  const float* row(int y) {
    if (rows_[0].y == y) std::swap(rows_[0], rows_[1]);  // the other is the older one
    if (rows_[1].y != y) {
      std::swap(rows_[0], rows_[1]);
      make(y, rows_[1]);
    }
    return rows_[1].planes.data();
  }

 private:
  struct Row {
    int y = -1;
    std::vector<float> planes;
  };

  void make(int y, Row& row) {
    normaliseRow(pixels_ + static_cast<std::ptrdiff_t>(y) * inWidth_ * structures::kImageChannels,
                 inWidth_, normalised_.data());
    for (int channel = 0; channel < structures::kImageChannels; ++channel) {
      resizeRow(normalised_.data() + static_cast<std::ptrdiff_t>(channel) * inWidth_,
                columns_.first.data(), columns_.second.data(), columns_.weight.data(), width_,
                row.planes.data() + static_cast<std::ptrdiff_t>(channel) * width_);
    }
    row.y = y;
  }

  const std::uint8_t* pixels_;
  int inWidth_;
  const LinearTaps& columns_;
  int width_;
  std::vector<float> normalised_;
  std::array<Row, 2> rows_;
};

}  // namespace

void resizeImage(const std::uint8_t* pixels, const structures::ImageRow& image,
                 const base::ImageSize& padded, float* out) {
  TORCH_CHECK(image.height > 0 && image.width > 0 && image.resizedHeight <= padded.height &&
                  image.resizedWidth <= padded.width,
              "an image of ", image.resizedHeight, " x ", image.resizedWidth, " px is not inside ",
              padded.height, " x ", padded.width);
  const LinearTaps columns = linearTaps(static_cast<int>(image.width),
                                        static_cast<int>(image.resizedWidth),
                                        image.flipsHorizontally != 0),
                   rows = linearTaps(static_cast<int>(image.height),
                                     static_cast<int>(image.resizedHeight),
                                     image.flipsVertically != 0);
  ResizedRows resized(pixels, static_cast<int>(image.width), columns);
  const auto width = static_cast<int>(image.resizedWidth);
  const std::int64_t plane = padded.height * padded.width;
  for (std::int64_t y = 0; y < image.resizedHeight; ++y) {
    const float* upper = resized.row(rows.first[y]);
    const float* lower = resized.row(rows.second[y]);
    for (int channel = 0; channel < structures::kImageChannels; ++channel) {
      const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(channel) * width;
      float* line = out + channel * plane + y * padded.width;
      blendRows(upper + first, lower + first, rows.weight[y], width, line);
      std::fill(line + width, line + padded.width, 0.0f);
    }
  }
  for (int channel = 0; channel < structures::kImageChannels; ++channel) {
    std::fill(out + channel * plane + image.resizedHeight * padded.width,
              out + (channel + 1) * plane, 0.0f);
  }
}

at::Tensor cpu::resizeImages(const structures::PackedImages& images, const base::ImageSize& padded,
                             at::ScalarType type) {
  at::Tensor out = at::empty(
      {images.count(), structures::kImageChannels, padded.height, padded.width}, at::kFloat);
  const auto* rows =
      reinterpret_cast<const structures::ImageRow*>(images.rows.const_data_ptr<std::int64_t>());
  float* begin = out.mutable_data_ptr<float>();
  at::parallel_for(0, images.count(), 1, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t n = from; n < to; ++n) {
      resizeImage(structures::pixelsOf(images, n), rows[n], padded,
                  begin + n * structures::kImageChannels * padded.height * padded.width);
    }
  });
  if (type == at::kFloat) return out;
  return withFourChannels(out.to(type, false, false, at::MemoryFormat::ChannelsLast));
}

}  // namespace lockstep::ops
