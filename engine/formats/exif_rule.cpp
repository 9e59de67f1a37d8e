#include "engine/formats/exif_rule.h"

#include <algorithm>
#include <utility>

#include "engine/coco/files/stored_frame.h"
#include "engine/formats/outlines.h"

namespace lockstep::formats {
namespace {

bool isConcerned(const SourceImage& image) {
  return image.facts.exifOrientation != 1 && !image.objects.empty();
}

/// True if all objects fit the displayed picture, and one does not fit the stored one.
bool fitsOnlyDisplayed(const SourceImage& image) {
  constexpr double kRoundingPx = 2;
  double right = 0, bottom = 0;
  for (const SourceObject& object : image.objects) {
    if (std::holds_alternative<coco::Rle>(object.segmentation)) return false;  // its size decides
    const std::array<double, 4> extent = extentOf(object);
    right = std::max(right, extent[2]);
    bottom = std::max(bottom, extent[3]);
  }
  const auto fits = [&](base::ImageSize size) {
    return right <= static_cast<double>(size.width) + kRoundingPx &&
           bottom <= static_cast<double>(size.height) + kRoundingPx;
  };
  return fits(image.facts.displayed()) && !fits(image.facts.stored);
}

/// The use that the annotated size implies; nullopt: it fits both.
std::optional<ExifUse> useBySize(const SourceImage& image) {
  const base::ImageSize displayed = image.facts.displayed();
  if (!image.hasOwnSize || displayed == image.facts.stored) return std::nullopt;
  return image.size == displayed || fitsOnlyDisplayed(image) ? ExifUse::Apply : ExifUse::Ignore;
}

/// From the displayed picture to the stored pixels, or back.
void turn(SourceImage& image, bool toStored) {
  const ImageFacts& facts = image.facts;
  const auto frame = toStored
                         ? coco::StoredFrame(facts.exifOrientation, facts.stored)
                         : coco::StoredFrame::reversed(facts.exifOrientation, facts.displayed());
  for (SourceObject& object : image.objects) {
    object.segmentation = frame.segmentation(object.segmentation);
    object.boxXywh = frame.box(object.boxXywh);
  }
  image.size = toStored ? facts.stored : facts.displayed();
}

}  // namespace

ExifUse usualExifUse(Format format) {
  switch (format) {
    case Format::LabelMe:      // since 2019
    case Format::Cvat:         // since 2020
    case Format::LabelStudio:  // as browsers display pictures, since 2020
    case Format::Via:          // likewise
    case Format::Voc:          // labelImg since 2020, RectLabel
    case Format::Yolo:         // Ultralytics reads with OpenCV
      return ExifUse::Apply;
    case Format::Coco:  // pycocotools beside PIL or torchvision; what Lockstep reads as it is
    case Format::Lvis:
    case Format::Cityscapes:  // has no EXIF
    case Format::GeoJson:     // QuPath: Java's ImageIO and Bio-Formats ignore it
    case Format::Masks:       // programs that label arrays of pixels
      return ExifUse::Ignore;
  }
  return ExifUse::Ignore;
}

ExifDecision decideExifUse(std::optional<ExifUse> option, Format format, const Source& source) {
  ExifDecision decision;
  bool someApply = false, someIgnore = false;
  for (const SourceImage& image : source.images) {
    if (!isConcerned(image)) continue;
    const auto use = useBySize(image);
    someApply |= use == ExifUse::Apply;
    someIgnore |= use == ExifUse::Ignore;
    if (use) continue;
    if (decision.images++ == 0) decision.first = image.file.string();
    decision.hasSwappedSides |= image.facts.displayed() != image.facts.stored;
  }
  if (option) {
    decision.use = *option;
    decision.reason = ExifDecision::Reason::Option;
  } else if (someApply != someIgnore) {
    decision.use = someApply ? ExifUse::Apply : ExifUse::Ignore;
    decision.reason = ExifDecision::Reason::OtherSizes;
  } else {
    decision.use = usualExifUse(format);
  }
  return decision;
}

void applyExifUse(ExifUse undecided, Source& source) {
  for (SourceImage& image : source.images) {
    if (!isConcerned(image) || useBySize(image).value_or(undecided) == ExifUse::Ignore) continue;
    if (image.facts.displayed() == image.facts.stored) {
      turn(image, /*toStored=*/true);
    } else {
      image.size = image.facts.displayed();
    }
  }
}

void turnFor(ExifUse use, SourceImage& image) {
  const bool isDisplayed = image.size != image.facts.stored;
  if (image.facts.exifOrientation != 1 && isDisplayed != (use == ExifUse::Apply))
    turn(image, /*toStored=*/isDisplayed);
}

}  // namespace lockstep::formats
