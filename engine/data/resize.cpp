#include "engine/data/resize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/data/normalisation.h"
#include "engine/ops/vector_clones.h"

namespace lockstep::data {
namespace {

constexpr int kChannels = 3;
using ChannelTable = std::array<std::array<float, 256>, kChannels>;

/// The normalised value of every byte, exactly what to_tensor and normalize make of it.
const ChannelTable& normalisedBytes() {
  static const ChannelTable table = [] {
    ChannelTable values{};
    for (int channel = 0; channel < kChannels; ++channel) {
      for (int byte = 0; byte < 256; ++byte) {
        const float scaled = static_cast<float>(byte) / 255.0f;
        values[channel][byte] = (scaled - kImageMean[channel]) / kImageStd[channel];
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
  for (int x = 0; x < width; ++x, rgb += kChannels) {
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

/// Rows of the input resized across, the two last used ones kept: an output row needs two
/// neighbours.
class ResizedRows {
 public:
  ResizedRows(const RgbImage& image, const LinearTaps& columns)
      : image_(image),
        columns_(columns),
        width_(static_cast<int>(columns.weight.size())),
        normalised_(static_cast<std::size_t>(image.width) * kChannels) {
    for (Row& row : rows_) row.planes.resize(static_cast<std::size_t>(width_) * kChannels);
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
    const std::uint8_t* pixels =
        image_.pixels.get() + static_cast<std::size_t>(y) * image_.width * kChannels;
    normaliseRow(pixels, image_.width, normalised_.data());
    for (int channel = 0; channel < kChannels; ++channel) {
      resizeRow(normalised_.data() + static_cast<std::ptrdiff_t>(channel) * image_.width,
                columns_.first.data(), columns_.second.data(), columns_.weight.data(), width_,
                row.planes.data() + static_cast<std::ptrdiff_t>(channel) * width_);
    }
    row.y = y;
  }

  const RgbImage& image_;
  const LinearTaps& columns_;
  int width_;
  std::vector<float> normalised_;
  std::array<Row, 2> rows_;
};

float sourceScale(int inPx, int outPx) {
  return static_cast<float>(inPx) / static_cast<float>(outPx);
}

}  // namespace

LinearTaps linearTaps(int inPx, int outPx, bool flip) {
  LinearTaps taps;
  const float scale = sourceScale(inPx, outPx);
  for (int i = 0; i < outPx; ++i) {
    // Fused, as in ATen's compiled code: hundreds of px away from 0 a rounding in between shows in
    // the weights.
    const float source = std::max(std::fma(scale, static_cast<float>(i) + 0.5f, -0.5f), 0.0f);
    const int first = std::min(static_cast<int>(source), inPx - 1);
    const int second = std::min(first + 1, inPx - 1);
    taps.first.push_back(flip ? inPx - 1 - first : first);
    taps.second.push_back(flip ? inPx - 1 - second : second);
    taps.weight.push_back(std::clamp(source - static_cast<float>(first), 0.0f, 1.0f));
  }
  return taps;
}

std::vector<std::int32_t> nearestStarts(int inPx, int outPx) {
  std::vector<std::int32_t> starts;
  const float scale = sourceScale(inPx, outPx);
  for (int i = 0; i < outPx; ++i) {
    const int source =
        std::min(static_cast<int>(std::floor(static_cast<float>(i) * scale)), inPx - 1);
    while (static_cast<int>(starts.size()) <= source) starts.push_back(i);
  }
  starts.resize(static_cast<std::size_t>(inPx) + 1, outPx);
  return starts;
}

void resizeNormalised(const RgbImage& image, const LinearTaps& columns, const LinearTaps& rows,
                      PlanarTarget target) {
  ResizedRows resized(image, columns);
  const int width = static_cast<int>(columns.weight.size());
  for (std::size_t y = 0; y < rows.weight.size(); ++y) {
    const float* upper = resized.row(rows.first[y]);
    const float* lower = resized.row(rows.second[y]);
    for (int channel = 0; channel < kChannels; ++channel) {
      const std::ptrdiff_t plane = static_cast<std::ptrdiff_t>(channel) * width;
      blendRows(upper + plane, lower + plane, rows.weight[y], width,
                target.data + channel * target.planeStride +
                    static_cast<std::int64_t>(y) * target.rowStride);
    }
  }
}

}  // namespace lockstep::data
