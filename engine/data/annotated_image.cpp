#include "engine/data/annotated_image.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "engine/coco/masks/rle.h"

namespace lockstep::data {
namespace {

using BoxXywh = std::array<double, 4>;

constexpr std::size_t kChannels = RgbImage::kChannels;
/// Rounding errors of boxes that touch the border.
constexpr double kTolerancePx = 1e-6;

RgbImage quarterTurned(const RgbImage& image) {
  RgbImage turned(image.height, image.width);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x)
      std::memcpy(turned.pixelAt(image.height - 1 - y, x), image.pixelAt(x, y), kChannels);
  }
  return turned;
}

/// The part that the window of a turned image shows, before it is turned.
coco::PixelWindow beforeTurns(coco::PixelWindow window, base::ImageSize turned, int quarterTurns) {
  for (int turn = 0; turn < quarterTurns; ++turn) {
    window = {window.y, static_cast<int>(turned.width) - window.x - window.width, window.height,
              window.width};
    std::swap(turned.width, turned.height);
  }
  return window;
}

base::ImageSize turnedSize(base::ImageSize size, int quarterTurns) {
  if (quarterTurns % 2 == 1) std::swap(size.width, size.height);
  return size;
}

RgbImage partOf(const RgbImage& image, const coco::PixelWindow& window) {
  RgbImage part(window.width, window.height);
  for (int y = 0; y < window.height; ++y)
    std::memcpy(part.pixelAt(0, y), image.pixelAt(window.x, window.y + y),
                kChannels * static_cast<std::size_t>(window.width));
  return part;
}

void flip(RgbImage& image, bool horizontally, bool vertically) {
  const auto swapPixels = [](std::uint8_t* a, std::uint8_t* b) {
    std::swap_ranges(a, a + kChannels, b);
  };
  for (int y = 0; horizontally && y < image.height; ++y) {
    for (int x = 0; x < image.width / 2; ++x)
      swapPixels(image.pixelAt(x, y), image.pixelAt(image.width - 1 - x, y));
  }
  for (int y = 0; vertically && y < image.height / 2; ++y) {
    for (int x = 0; x < image.width; ++x)
      swapPixels(image.pixelAt(x, y), image.pixelAt(x, image.height - 1 - y));
  }
}

/// Turns and cuts annotations of one image as planned.
class AnnotationCutter {
 public:
  AnnotationCutter(const TransformPlan& plan, bool withFlips)
      : plan_(plan),
        original_(imageOfSize(plan.original)),
        flipsHorizontally_(withFlips && plan.flipHorizontal),
        flipsVertically_(withFlips && plan.flipVertical) {}

  /// Nothing if nothing of it is left.
  std::optional<coco::Annotation> cut(coco::Annotation annotation) const {
    const BoxXywh box = cutBox(annotation.boxXywh);
    if (box[2] <= 0 || box[3] <= 0) return std::nullopt;
    const bool isWhole = box[2] >= sideX(annotation.boxXywh) - kTolerancePx &&
                         box[3] >= sideY(annotation.boxXywh) - kTolerancePx;
    const coco::Rle mask = cutMask(coco::annotationMask(annotation, original_));
    if (!isWhole && annotation.hasMask) {
      annotation.area = static_cast<double>(coco::areaPx(mask));
      if (annotation.area == 0) return std::nullopt;
      annotation.boxXywh = coco::boundingBoxXywh(mask);
    } else {
      annotation.boxXywh = box;
      if (!isWhole) annotation.area = box[2] * box[3];
    }
    annotation.segmentation = mask;
    return annotation;
  }

 private:
  bool isOnItsSide() const { return plan_.quarterTurns % 2 == 1; }
  /// Of a box in the original image, along x and y of the turned one.
  double sideX(const BoxXywh& box) const { return box[isOnItsSide() ? 3 : 2]; }
  double sideY(const BoxXywh& box) const { return box[isOnItsSide() ? 2 : 3]; }

  /// Clipped to the window.
  BoxXywh cutBox(BoxXywh box) const {
    base::ImageSize size = plan_.original;
    for (int turn = 0; turn < plan_.quarterTurns; ++turn) {
      box = {static_cast<double>(size.height) - box[1] - box[3], box[0], box[3], box[2]};
      std::swap(size.width, size.height);
    }
    const coco::PixelWindow& window = plan_.window;
    double x0 = box[0] - window.x, y0 = box[1] - window.y;
    if (flipsHorizontally_) x0 = window.width - x0 - box[2];
    if (flipsVertically_) y0 = window.height - y0 - box[3];
    return coco::clippedBox({x0, y0, box[2], box[3]}, window.size());
  }

  coco::Rle cutMask(const coco::Rle& mask) const {
    coco::MaskCrop crop = coco::turned(coco::crop(mask), plan_.original, plan_.quarterTurns);
    crop.x -= plan_.window.x;
    crop.y -= plan_.window.y;
    return coco::placed(
        coco::flipped(std::move(crop), plan_.croppedSize(), flipsHorizontally_, flipsVertically_),
        plan_.croppedSize());
  }

  const TransformPlan& plan_;
  coco::Image original_;
  bool flipsHorizontally_, flipsVertically_;
};

}  // namespace

coco::Image imageOfSize(const base::ImageSize& size) {
  return {.id = {},
          .fileName = {},
          .width = static_cast<int>(size.width),
          .height = static_cast<int>(size.height)};
}

AnnotatedImage turnAndCrop(const RgbImage& image, const std::vector<coco::Annotation>& annotations,
                           const TransformPlan& plan, bool withFlips) {
  AnnotatedImage result;
  result.pixels = partOf(
      image,
      beforeTurns(plan.window, turnedSize(plan.original, plan.quarterTurns), plan.quarterTurns));
  for (int turn = 0; turn < plan.quarterTurns; ++turn) result.pixels = quarterTurned(result.pixels);
  if (withFlips) flip(result.pixels, plan.flipHorizontal, plan.flipVertical);
  const AnnotationCutter cutter(plan, withFlips);
  for (const coco::Annotation& annotation : annotations) {
    if (!annotation.isUsable()) continue;
    if (auto cut = cutter.cut(annotation)) result.annotations.push_back(std::move(*cut));
  }
  return result;
}

}  // namespace lockstep::data
