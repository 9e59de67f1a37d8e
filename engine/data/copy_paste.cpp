#include "engine/data/copy_paste.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "engine/base/counter_hash.h"
#include "engine/coco/masks/rle.h"
#include "engine/ops/bilinear.h"

namespace lockstep::data {
namespace {

using base::RandomPurpose;

/// Share of an object that has to be left of it.
constexpr double kLeastVisible = 0.1;

/// An object of the donor as it is seen in the image.
struct PastedObject {
  coco::MaskCrop crop;  ///< in px of the image
  coco::Annotation annotation;
};

class Paster {
 public:
  Paster(AnnotatedImage& image, const AnnotatedImage& donor, const PastePlan& plan)
      : image_(image), donor_(donor), plan_(plan) {}

  void paste() {
    std::vector<PastedObject> pasted = visibleObjects();
    if (pasted.empty()) return;
    covered_.assign(image_.pixels.valueCount() / RgbImage::kChannels, false);
    for (const PastedObject& object : pasted) paint(object.crop);
    std::vector<coco::Annotation> left;
    for (coco::Annotation& annotation : image_.annotations)
      if (isVisible(annotation)) left.push_back(std::move(annotation));
    for (PastedObject& object : pasted) left.push_back(std::move(object.annotation));
    image_.annotations = std::move(left);
  }

 private:
  base::ImageSize imageSize() const { return image_.pixels.size(); }

  /// Objects that have a mask and are chosen.
  std::vector<const coco::Annotation*> chosenObjects() const {
    std::vector<const coco::Annotation*> withMask, chosen;
    for (const coco::Annotation& annotation : donor_.annotations)
      if (annotation.hasMask) withMask.push_back(&annotation);
    for (std::size_t i = 0; i < withMask.size(); ++i)
      if (base::counterUniform({plan_.key, i + 1}) < 0.5) chosen.push_back(withMask[i]);
    if (chosen.empty() && !withMask.empty()) {
      const double place = base::counterUniform({plan_.key}) * static_cast<double>(withMask.size());
      chosen.push_back(withMask[static_cast<std::size_t>(place)]);
    }
    return chosen;
  }

  std::vector<PastedObject> visibleObjects() const {
    std::vector<PastedObject> objects;
    for (const coco::Annotation* annotation : chosenObjects())
      if (auto object = seenInImage(*annotation)) objects.push_back(std::move(*object));
    return objects;
  }

  /// Nothing if too little of the object is inside the image.
  std::optional<PastedObject> seenInImage(const coco::Annotation& annotation) const {
    const base::ImageSize from = donor_.pixels.size(), to = plan_.donorSize;
    const coco::MaskCrop own = coco::crop(std::get<coco::Rle>(annotation.segmentation));
    coco::MaskCrop crop = coco::resized(own, from, to, visiblePart());
    crop.x += plan_.left;
    crop.y += plan_.top;
    PastedObject object{std::move(crop), annotation};
    coco::Rle mask = coco::placed(object.crop, imageSize());
    const auto area = static_cast<double>(coco::areaPx(mask));
    const double scale = static_cast<double>(to.width) * static_cast<double>(to.height) /
                         (static_cast<double>(from.width) * static_cast<double>(from.height));
    const double whole =
        scale * static_cast<double>(coco::areaPx(std::get<coco::Rle>(annotation.segmentation)));
    if (area == 0 || area < kLeastVisible * whole) return std::nullopt;
    object.annotation.boxXywh = coco::boundingBoxXywh(mask);
    object.annotation.area = area;
    object.annotation.segmentation = std::move(mask);
    if (!object.annotation.isUsable()) return std::nullopt;
    return object;
  }

  /// The part of the resized donor that lies in the image.
  coco::PixelWindow visiblePart() const {
    const int left = std::max(0, -plan_.left), top = std::max(0, -plan_.top);
    const auto right =
        std::min<std::int64_t>(plan_.donorSize.width, imageSize().width - plan_.left);
    const auto bottom =
        std::min<std::int64_t>(plan_.donorSize.height, imageSize().height - plan_.top);
    return {left, top, std::max(0, static_cast<int>(right) - left),
            std::max(0, static_cast<int>(bottom) - top)};
  }

  void paint(const coco::MaskCrop& crop) {
    std::size_t at = 0;
    for (int y = crop.y; y < crop.y + crop.height; ++y) {
      const ops::Lerp rows =
          ops::lerpAt(y - plan_.top, donor_.pixels.height, plan_.donorSize.height);
      for (int x = crop.x; x < crop.x + crop.width; ++x) {
        if (crop.pixels[at++] == 0) continue;
        covered_[placeOf(x, y)] = true;
        const ops::Lerp columns =
            ops::lerpAt(x - plan_.left, donor_.pixels.width, plan_.donorSize.width);
        paintPixel(x, y, columns, rows);
      }
    }
  }

  void paintPixel(int x, int y, const ops::Lerp& columns, const ops::Lerp& rows) {
    std::uint8_t* to = image_.pixels.pixelAt(x, y);
    for (std::size_t channel = 0; channel < RgbImage::kChannels; ++channel) {
      const auto value = [&](int row, int column) {
        return static_cast<float>(donor_.pixels.pixelAt(column, row)[channel]);
      };
      const auto inRow = [&](int row) {
        return ops::lerp(value(row, columns.low), value(row, columns.high), columns.fraction);
      };
      const float mixed = ops::lerp(inRow(rows.low), inRow(rows.high), rows.fraction);
      to[channel] = static_cast<std::uint8_t>(std::lround(mixed));
    }
  }

  std::size_t placeOf(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(image_.pixels.width) +
           static_cast<std::size_t>(x);
  }

  /// Cuts what is covered of an object. Whether enough of it is left.
  bool isVisible(coco::Annotation& annotation) const {
    coco::MaskCrop crop = coco::crop(std::get<coco::Rle>(annotation.segmentation));
    std::size_t before = 0, left = 0, at = 0;
    for (int y = crop.y; y < crop.y + crop.height; ++y) {
      for (int x = crop.x; x < crop.x + crop.width; ++x, ++at) {
        if (crop.pixels[at] == 0) continue;
        ++before;
        crop.pixels[at] = !covered_[placeOf(x, y)];
        left += crop.pixels[at];
      }
    }
    if (left == before) return true;
    if (static_cast<double>(left) < kLeastVisible * static_cast<double>(before)) return false;
    if (!annotation.hasMask) return true;  // how far its object reaches is not known
    coco::Rle mask = coco::placed(crop, imageSize());
    annotation.boxXywh = coco::boundingBoxXywh(mask);
    annotation.area = static_cast<double>(left);
    annotation.segmentation = std::move(mask);
    return true;
  }

  AnnotatedImage& image_;
  const AnnotatedImage& donor_;
  const PastePlan& plan_;
  std::vector<bool> covered_;  ///< by pixel of the image
};

}  // namespace

PastePlan planPaste(const TransformPlan& image, const TransformPlan& donor, std::uint64_t key) {
  const auto side = [](std::int64_t donorPx, std::int64_t cutPx, std::int64_t resizedPx) {
    const double px =
        static_cast<double>(donorPx) * static_cast<double>(cutPx) / static_cast<double>(resizedPx);
    return std::max<std::int64_t>(1, std::llround(px));
  };
  const base::ImageSize cut = image.croppedSize();
  PastePlan plan{
      {side(donor.resized.height, cut.height, image.resized.height),
       side(donor.resized.width, cut.width, image.resized.width)},
      0,
      0,
      base::counterHash({key, static_cast<std::uint64_t>(RandomPurpose::PastedObjects)})};
  const auto place = [&](std::uint64_t index, std::int64_t room) {
    const double drawn =
        base::counterUniform({key, static_cast<std::uint64_t>(RandomPurpose::PastedPlace), index});
    const auto offset = static_cast<int>(drawn * static_cast<double>(std::abs(room) + 1));
    return room < 0 ? -offset : offset;
  };
  plan.left = place(0, cut.width - plan.donorSize.width);
  plan.top = place(1, cut.height - plan.donorSize.height);
  return plan;
}

void pasteObjects(AnnotatedImage& image, const AnnotatedImage& donor, const PastePlan& plan) {
  Paster(image, donor, plan).paste();
}

}  // namespace lockstep::data
