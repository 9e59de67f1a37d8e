#include "engine/data/photometric.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/base/counter_hash.h"

namespace lockstep::data {
namespace {

/// image1 * ratio + image2 * (1 - ratio), clamped and truncated to an integer.
std::uint8_t blend(float value, float other, double ratio) {
  const float mixed = value * static_cast<float>(ratio) + other * static_cast<float>(1 - ratio);
  return static_cast<std::uint8_t>(std::clamp(mixed, 0.0f, 255.0f));
}

float greyOf(const std::uint8_t* rgb) {
  return std::floor(static_cast<float>(rgb[0]) * 0.2989f + static_cast<float>(rgb[1]) * 0.587f +
                    static_cast<float>(rgb[2]) * 0.114f);
}

void adjustContrast(RgbImage& image, double ratio) {
  const std::size_t count = image.valueCount() / RgbImage::kChannels;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += greyOf(image.pixels.get() + RgbImage::kChannels * i);
  const auto mean = static_cast<float>(sum / static_cast<double>(count));
  std::array<std::uint8_t, 256> table{};
  for (int i = 0; i < 256; ++i) table[i] = blend(static_cast<float>(i), mean, ratio);
  for (std::size_t i = 0; i < image.valueCount(); ++i) image.pixels[i] = table[image.pixels[i]];
}

void adjustBrightness(RgbImage& image, double ratio) {
  std::array<std::uint8_t, 256> table{};
  for (int i = 0; i < 256; ++i) table[i] = blend(static_cast<float>(i), 0, ratio);
  for (std::size_t i = 0; i < image.valueCount(); ++i) image.pixels[i] = table[image.pixels[i]];
}

void adjustSaturation(RgbImage& image, double ratio) {
  const std::size_t count = image.valueCount() / RgbImage::kChannels;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t* rgb = image.pixels.get() + RgbImage::kChannels * i;
    const float grey = greyOf(rgb);
    for (std::size_t channel = 0; channel < RgbImage::kChannels; ++channel)
      rgb[channel] = blend(rgb[channel], grey, ratio);
  }
}

std::uint8_t toByte(float value) {
  return static_cast<std::uint8_t>(std::clamp(std::nearbyint(value), 0.0F, 255.0F));
}

/// Weights of the pixels at -radius … radius.
std::vector<float> gaussianKernel(double sigma) {
  const int radius = static_cast<int>(std::ceil(3 * sigma));
  std::vector<float> kernel;
  float sum = 0;
  for (int offset = -radius; offset <= radius; ++offset) {
    const double x = offset / sigma;
    kernel.push_back(static_cast<float>(std::exp(-0.5 * x * x)));
    sum += kernel.back();
  }
  for (float& weight : kernel) weight /= sum;
  return kernel;
}

/// Mirrored at the first and the last place, which are not repeated.
int mirrored(int place, int count) {
  if (count == 1) return 0;
  const int period = 2 * (count - 1);
  place = std::abs(place) % period;
  return place < count ? place : period - place;
}

/// Blurs an image along both axes. Of what is blurred along rows it keeps the rows that the kernel
/// reaches.
class GaussianBlur {
 public:
  GaussianBlur(RgbImage& image, double sigma)
      : image_(image),
        kernel_(gaussianKernel(sigma)),
        radius_(static_cast<int>(kernel_.size() / 2)),
        rowValues_(RgbImage::kChannels * static_cast<std::size_t>(image.width)),
        rows_(kernel_.size(), std::vector<float>(rowValues_)) {}

  void run() {
    int next = 0;  // row that is not blurred along itself yet
    std::vector<float> sums(rowValues_);
    for (int y = 0; y < image_.height; ++y) {
      for (; next < std::min(image_.height, y + radius_ + 1); ++next) blurAlong(next);
      std::ranges::fill(sums, 0.0F);
      for (int k = -radius_; k <= radius_; ++k) {
        const std::vector<float>& row = rowAt(mirrored(y + k, image_.height));
        const float weight = weightAt(k);
        for (std::size_t i = 0; i < rowValues_; ++i) sums[i] += weight * row[i];
      }
      std::ranges::transform(sums, image_.pixelAt(0, y), toByte);
    }
  }

 private:
  float weightAt(int offset) const { return kernel_[static_cast<std::size_t>(offset + radius_)]; }
  std::vector<float>& rowAt(int y) { return rows_[static_cast<std::size_t>(y) % rows_.size()]; }

  void blurAlong(int y) {
    std::vector<float>& row = rowAt(y);
    for (int x = 0; x < image_.width; ++x) {
      std::array<float, RgbImage::kChannels> sums{};
      for (int k = -radius_; k <= radius_; ++k) {
        const std::uint8_t* pixel = image_.pixelAt(mirrored(x + k, image_.width), y);
        for (std::size_t channel = 0; channel < RgbImage::kChannels; ++channel)
          sums[channel] += weightAt(k) * static_cast<float>(pixel[channel]);
      }
      std::ranges::copy(sums, row.begin() + static_cast<std::ptrdiff_t>(RgbImage::kChannels) * x);
    }
  }

  RgbImage& image_;
  std::vector<float> kernel_;
  int radius_;
  std::size_t rowValues_;
  std::vector<std::vector<float>> rows_;  ///< the last ones, by row modulo their number
};

constexpr int kQuantileBits = 12;

/// Quantiles of the normal distribution at (i + 0.5) / n.
const std::vector<float>& normalQuantiles() {
  static const std::vector<float> quantiles = [] {
    constexpr int kCount = 1 << kQuantileBits;
    constexpr int kHalvings = 40;
    std::vector<float> values;
    for (int i = 0; i < kCount; ++i) {
      const double probability = (i + 0.5) / kCount;
      double low = -8, high = 8;
      for (int halving = 0; halving < kHalvings; ++halving) {
        const double middle = (low + high) / 2;
        (0.5 * std::erfc(-middle / std::sqrt(2.0)) < probability ? low : high) = middle;
      }
      values.push_back(static_cast<float>((low + high) / 2));
    }
    return values;
  }();
  return quantiles;
}

}  // namespace

void changeColours(RgbImage& image, const TransformPlan& plan) {
  jitterColour(image, plan.brightness, plan.contrast, plan.saturation);
  if (plan.blurPx > 0) blur(image, plan.blurPx);
  if (plan.noise > 0) addNoise(image, plan.noise, plan.noiseKey);
}

void jitterColour(RgbImage& image, double brightness, double contrast, double saturation) {
  if (brightness != 1) adjustBrightness(image, brightness);
  if (contrast != 1) adjustContrast(image, contrast);
  if (saturation != 1) adjustSaturation(image, saturation);
}

void blur(RgbImage& image, double sigmaPx) { GaussianBlur(image, sigmaPx).run(); }

void addNoise(RgbImage& image, double deviation, std::uint64_t key) {
  constexpr std::size_t kPerHash = 64 / kQuantileBits;
  constexpr std::uint64_t kMask = (1U << kQuantileBits) - 1;
  const std::vector<float>& normal = normalQuantiles();
  const auto scale = static_cast<float>(255 * deviation);
  const std::size_t count = image.valueCount();
  for (std::size_t first = 0; first < count; first += kPerHash) {
    std::uint64_t bits = base::mixBits(key + first);
    for (std::size_t i = first; i < std::min(first + kPerHash, count); ++i) {
      image.pixels[i] = toByte(static_cast<float>(image.pixels[i]) + scale * normal[bits & kMask]);
      bits >>= kQuantileBits;
    }
  }
}

}  // namespace lockstep::data
