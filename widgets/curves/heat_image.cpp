#include "widgets/curves/heat_image.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lockstep::widgets {
namespace {

constexpr int kColors = 256;

/// Nine samples of viridis at equal distances.
constexpr std::array<QRgb, 9> kSamples{0xff440154, 0xff472d7b, 0xff3b528b, 0xff2c728e, 0xff21918c,
                                       0xff28ae80, 0xff5ec962, 0xffaddc30, 0xfffde725};

std::array<QRgb, kColors> makeTable() {
  std::array<QRgb, kColors> table{};
  for (int i = 0; i < kColors; ++i) table[static_cast<std::size_t>(i)] = heatColor(i / 255.0).rgb();
  return table;
}

/// Maps values to colours; 0 and below have the first.
class ColorScale {
 public:
  explicit ColorScale(const HeatScale& scale)
      : low_(std::log2(scale.low)),
        perStep_((kColors - 1) / std::max(1e-12, std::log2(scale.high) - low_)) {}

  QRgb operator()(float value) const {
    static const std::array<QRgb, kColors> kTable = makeTable();
    if (value <= 0) return kTable.front();
    const double at = (std::log2(value) - low_) * perStep_;
    return kTable[static_cast<std::size_t>(std::clamp(at, 0.0, kColors - 1.0))];
  }

 private:
  double low_, perStep_;
};

}  // namespace

HeatScale heatScaleOf(const std::vector<HeatRow>& rows) {
  std::vector<float> positive;
  for (const HeatRow& row : rows)
    for (const float value : row.values)
      if (std::isfinite(value) && value > 0) positive.push_back(value);
  if (positive.empty()) return {};
  const auto percentile = [&positive](double share) {
    const auto at = positive.begin() +
                    static_cast<std::ptrdiff_t>(share * static_cast<double>(positive.size() - 1));
    std::nth_element(positive.begin(), at, positive.end());
    return static_cast<double>(*at);
  };
  HeatScale scale{percentile(0.01), percentile(0.99)};
  if (scale.high < 10 * scale.low) {
    const double middle = std::sqrt(scale.low * scale.high);
    scale = {middle / std::sqrt(10), middle * std::sqrt(10)};
  }
  return scale;
}

QColor heatColor(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * (kSamples.size() - 1);
  const auto index = std::min(static_cast<std::size_t>(at), kSamples.size() - 2);
  const double part = at - static_cast<double>(index);
  const auto mix = [&](int (*channel)(QRgb)) {
    return static_cast<int>(
        std::lround(channel(kSamples[index]) * (1 - part) + channel(kSamples[index + 1]) * part));
  };
  return {mix(qRed), mix(qGreen), mix(qBlue)};
}

QImage heatImage(const std::vector<HeatRow>& rows, std::pair<std::int64_t, std::int64_t> range,
                 int widthPx, const HeatScale& scale, const QColor& invalid) {
  QImage image(widthPx, static_cast<int>(rows.size()), QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  const ColorScale color(scale);
  const double steps = std::max<double>(1, static_cast<double>(range.second - range.first + 1));
  for (int y = 0; y < image.height(); ++y) {
    const HeatRow& row = rows[static_cast<std::size_t>(y)];
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
    std::size_t next = 0;
    std::optional<float> held;
    for (int x = 0; x < widthPx; ++x) {
      // The steps of this pixel end before the first of the next.
      const double end = static_cast<double>(range.first) + steps * (x + 1) / widthPx;
      bool isFinite = true, hasNew = false;
      float greatest = 0;
      for (; next < row.steps.size() && static_cast<double>(row.steps[next]) < end; ++next) {
        const float value = row.values[next];
        isFinite = isFinite && std::isfinite(value);
        greatest = hasNew ? std::max(greatest, value) : value;
        hasNew = true;
        held = value;
      }
      if (!held) continue;
      const float shown = hasNew ? greatest : *held;
      line[x] = isFinite && std::isfinite(shown) ? color(shown) : invalid.rgb();
    }
  }
  return image;
}

std::optional<std::size_t> valueAt(const HeatRow& row, std::int64_t step) {
  const auto after = std::ranges::upper_bound(row.steps, step);
  if (after == row.steps.begin()) return std::nullopt;
  return static_cast<std::size_t>(after - row.steps.begin() - 1);
}

}  // namespace lockstep::widgets
