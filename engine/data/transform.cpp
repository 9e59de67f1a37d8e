#include "engine/data/transform.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "engine/base/counter_hash.h"

namespace lockstep::data {
namespace {

using base::RandomPurpose;

/// Random choices about one image in one epoch.
class Choices {
 public:
  Choices(std::uint64_t seed, ImageId id, std::int64_t epoch)
      : seed_(seed),
        id_(static_cast<std::uint64_t>(id.value)),
        epoch_(static_cast<std::uint64_t>(epoch)) {}

  double uniform(RandomPurpose purpose) const {
    return base::counterUniform({seed_, static_cast<std::uint64_t>(purpose), epoch_, id_});
  }
  double factor(RandomPurpose purpose, double spread) const {
    if (spread <= 0) return 1;
    const double low = std::max(0.0, 1 - spread);
    return low + (1 + spread - low) * uniform(purpose);
  }

 private:
  std::uint64_t seed_, id_, epoch_;
};

/// A box inside its image, px.
struct Box {
  float x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  bool isEmpty() const { return !(x2 > x1 && y2 > y1); }
};

/// At the original size.
Box clippedBox(const std::array<double, 4>& xywh, const coco::Image& image) {
  const auto clip = [](double value, int side) {
    return static_cast<float>(std::clamp<double>(value, 0, side));
  };
  return {clip(xywh[0], image.width), clip(xywh[1], image.height),
          clip(xywh[0] + xywh[2], image.width), clip(xywh[1] + xywh[3], image.height)};
}

/// Flipped, then times the ratios of the sides as they came out (torchvision's resize_boxes). What
/// is thinner than the spacing of float32 at the far side of the image may come out empty.
Box transformedBox(Box box, const TransformPlan& plan) {
  const auto width = static_cast<float>(plan.original.width),
             height = static_cast<float>(plan.original.height);
  if (plan.flipHorizontal) box = {width - box.x2, box.y1, width - box.x1, box.y2};
  if (plan.flipVertical) box = {box.x1, height - box.y2, box.x2, height - box.y1};
  const float ratioX = static_cast<float>(plan.resized.width) / width;
  const float ratioY = static_cast<float>(plan.resized.height) / height;
  return {box.x1 * ratioX, box.y1 * ratioY, box.x2 * ratioX, box.y2 * ratioY};
}

/// Writes masks at the resized size straight from their runs, by nearest, without the full-size
/// mask in between.
class MaskWriter {
 public:
  explicit MaskWriter(const TransformPlan& plan)
      : plan_(plan),
        columnStarts_(nearestStarts(static_cast<int>(plan.original.width),
                                    static_cast<int>(plan.resized.width))),
        rowStarts_(nearestStarts(static_cast<int>(plan.original.height),
                                 static_cast<int>(plan.resized.height))) {}

  /// out: [H, W] of the resized size, zeros.
  void write(const coco::Rle& rle, std::uint8_t* out) const {
    const auto height = static_cast<std::uint64_t>(rle.height);
    std::uint64_t position = 0;
    bool inside = false;
    for (std::uint32_t count : rle.counts) {
      const std::uint64_t end = position + count;
      while (inside && position < end) {  // a run may go over several columns
        const std::uint64_t column = position / height, row = position % height;
        const std::uint64_t rowEnd = std::min(height, row + (end - position));
        fill(static_cast<int>(column), static_cast<int>(row), static_cast<int>(rowEnd), out);
        position += rowEnd - row;
      }
      position = end;
      inside = !inside;
    }
  }

 private:
  void fill(int column, int rowBegin, int rowEnd, std::uint8_t* out) const {
    const int height = static_cast<int>(plan_.original.height);
    if (plan_.flipHorizontal) column = static_cast<int>(plan_.original.width) - 1 - column;
    if (plan_.flipVertical)
      std::tie(rowBegin, rowEnd) = std::pair(height - rowEnd, height - rowBegin);
    const std::int32_t x1 = columnStarts_[column], x2 = columnStarts_[column + 1];
    const std::int32_t y1 = rowStarts_[rowBegin], y2 = rowStarts_[rowEnd];
    const std::int64_t stride = plan_.resized.width;
    for (std::int32_t y = y1; y < y2; ++y) {
      for (std::int32_t x = x1; x < x2; ++x) out[y * stride + x] = 1;
    }
  }

  const TransformPlan& plan_;
  std::vector<std::int32_t> columnStarts_, rowStarts_;
};

/// image1 * ratio + image2 * (1 - ratio), clipped and cut to a whole number.
std::uint8_t blend(float value, float other, double ratio) {
  const float mixed = value * static_cast<float>(ratio) + other * static_cast<float>(1 - ratio);
  return static_cast<std::uint8_t>(std::clamp(mixed, 0.0f, 255.0f));
}

float greyOf(const std::uint8_t* rgb) {
  return std::floor(static_cast<float>(rgb[0]) * 0.2989f + static_cast<float>(rgb[1]) * 0.587f +
                    static_cast<float>(rgb[2]) * 0.114f);
}

void adjustContrast(RgbImage& image, double ratio) {
  const std::size_t count =
      static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += greyOf(image.pixels.get() + 3 * i);
  const auto mean = static_cast<float>(sum / static_cast<double>(count));
  std::array<std::uint8_t, 256> table{};
  for (int i = 0; i < 256; ++i) table[i] = blend(static_cast<float>(i), mean, ratio);
  for (std::size_t i = 0; i < 3 * count; ++i) image.pixels[i] = table[image.pixels[i]];
}

void adjustBrightness(RgbImage& image, double ratio) {
  std::array<std::uint8_t, 256> table{};
  for (int i = 0; i < 256; ++i) table[i] = blend(static_cast<float>(i), 0, ratio);
  const std::size_t count =
      3 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  for (std::size_t i = 0; i < count; ++i) image.pixels[i] = table[image.pixels[i]];
}

void adjustSaturation(RgbImage& image, double ratio) {
  const std::size_t count =
      static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t* rgb = image.pixels.get() + 3 * i;
    const float grey = greyOf(rgb);
    for (int channel = 0; channel < 3; ++channel) rgb[channel] = blend(rgb[channel], grey, ratio);
  }
}

}  // namespace

ImageSize resizedSize(ImageSize original, int minSizePx, int maxSizePx) {
  const auto shorter = static_cast<double>(std::min(original.height, original.width));
  const auto longer = static_cast<double>(std::max(original.height, original.width));
  const double scale = std::min(minSizePx / shorter, maxSizePx / longer);
  const auto scaled = [scale](std::int64_t side) {
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::floor(static_cast<double>(side) * scale)));
  };
  return {scaled(original.height), scaled(original.width)};
}

TransformPlan planTraining(const config::AugmentConfig& augment, ImageSize original, ImageId id,
                           std::int64_t epoch, std::uint64_t seed) {
  const Choices choices(seed, id, epoch);
  const auto sizes = augment.minSize.size();
  const auto choice = static_cast<std::size_t>(choices.uniform(RandomPurpose::MinSize) *
                                               static_cast<double>(sizes));
  TransformPlan plan;
  plan.original = original;
  plan.resized = resizedSize(original, augment.minSize[choice], augment.maxSize);
  plan.flipHorizontal = choices.uniform(RandomPurpose::HorizontalFlip) < augment.horizontalFlip;
  plan.flipVertical = choices.uniform(RandomPurpose::VerticalFlip) < augment.verticalFlip;
  plan.brightness = choices.factor(RandomPurpose::Brightness, augment.brightness);
  plan.contrast = choices.factor(RandomPurpose::Contrast, augment.contrast);
  plan.saturation = choices.factor(RandomPurpose::Saturation, augment.saturation);
  return plan;
}

TransformPlan planEvaluation(const config::AugmentConfig& augment, ImageSize original) {
  TransformPlan plan;
  plan.original = original;
  plan.resized = resizedSize(original, augment.minSize.back(), augment.maxSize);
  return plan;
}

void transformImage(RgbImage image, const TransformPlan& plan, PlanarTarget target) {
  if (plan.changesColour()) jitterColour(image, plan.brightness, plan.contrast, plan.saturation);
  const LinearTaps columns =
      linearTaps(image.width, static_cast<int>(plan.resized.width), plan.flipHorizontal);
  const LinearTaps rows =
      linearTaps(image.height, static_cast<int>(plan.resized.height), plan.flipVertical);
  resizeNormalised(image, columns, rows, target);
}

void jitterColour(RgbImage& image, double brightness, double contrast, double saturation) {
  if (brightness != 1) adjustBrightness(image, brightness);
  if (contrast != 1) adjustContrast(image, contrast);
  if (saturation != 1) adjustSaturation(image, saturation);
}

ops::GtInstances transformAnnotations(const std::vector<coco::Annotation>& annotations,
                                      const ClassTable& classes, const coco::Image& image,
                                      const TransformPlan& plan) {
  std::vector<const coco::Annotation*> used;
  std::vector<Box> boxes;
  for (const coco::Annotation& annotation : annotations) {
    const Box box = transformedBox(clippedBox(annotation.boxXywh, image), plan);
    if (!annotation.isUsable() || box.isEmpty()) continue;
    used.push_back(&annotation);
    boxes.push_back(box);
  }
  const auto count = static_cast<std::int64_t>(used.size());
  ops::GtInstances gt{at::empty({count, 4}, at::kFloat), at::empty({count}, at::kLong),
                      at::empty({count, plan.resized.height, plan.resized.width}, at::kByte)};
  auto* masks = gt.masks.mutable_data_ptr<std::uint8_t>();
  // Not Tensor::zero_: it would start ATen's threads from a loader thread.
  std::memset(masks, 0, gt.masks.nbytes());
  const MaskWriter writer(plan);
  for (std::int64_t i = 0; i < count; ++i) {
    const Box& box = boxes[i];
    std::ranges::copy(std::array{box.x1, box.y1, box.x2, box.y2},
                      gt.boxesXyxy.mutable_data_ptr<float>() + 4 * i);
    gt.classes.mutable_data_ptr<std::int64_t>()[i] = classes.classOf(used[i]->categoryId).value;
    writer.write(coco::annotationMask(*used[i], image),
                 masks + i * plan.resized.height * plan.resized.width);
  }
  return gt;
}

}  // namespace lockstep::data
