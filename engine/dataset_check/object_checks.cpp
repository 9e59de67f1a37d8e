#include "engine/dataset_check/object_checks.h"

#include <algorithm>

#include "engine/base/number_text.h"
#include "engine/coco/files/annotation_review.h"
#include "engine/coco/masks/polygon.h"
#include "engine/dataset_check/doubled_objects.h"

namespace lockstep::dataset_check {
namespace {

using base::shortNumber;

FindingKind kindOfFault(coco::EntryFault fault) {
  switch (fault) {
    case coco::EntryFault::DuplicateId:
      return FindingKind::DuplicateId;
    case coco::EntryFault::MissingId:
      return FindingKind::MissingId;
    case coco::EntryFault::UnknownImage:
      return FindingKind::UnknownImage;
    case coco::EntryFault::UnknownClass:
      return FindingKind::UnknownClass;
    case coco::EntryFault::EmptyBox:
      return FindingKind::BoxEmpty;
    case coco::EntryFault::EmptyPolygon:
      return FindingKind::PolygonEmpty;
    case coco::EntryFault::InvalidMask:
      return FindingKind::MaskInvalid;
    case coco::EntryFault::Invalid:
    case coco::EntryFault::InvalidArea:
      break;
  }
  return FindingKind::InvalidEntry;
}

/// `[1, 2, 30.5, 40]`
std::string boxText(const std::array<double, 4>& xywh) {
  std::string text;
  for (const double value : xywh) text += (text.empty() ? "[" : ", ") + shortNumber(value);
  return text + "]";
}

std::string sizeText(const coco::Image& image) {
  return std::to_string(image.width) + " x " + std::to_string(image.height) + " px";
}

/// Checks the annotations of one image.
class ImageObjects {
 public:
  ImageObjects(const PartData& part, std::size_t index)
      : part_(part),
        index_(index),
        image_(part.image(index)),
        annotations_(part.dataset().annotationsOf(index)) {}

  std::vector<Finding> check() {
    for (std::size_t place = 0; place < annotations_.size(); ++place) {
      const coco::Annotation& annotation = annotations_[place];
      masks_.push_back(coco::annotationMask(annotation, image_));
      const bool hasArea = checkBox(place);
      const bool hasMask = annotation.hasMask && checkMask(place);
      if (hasArea && hasMask && part_.content.origins[index_][place].hasBox)
        compareBoxWithMask(place);
    }
    for (const DoubledObject& pair : findDoubledObjects(annotations_, masks_)) addDoubled(pair);
    return std::move(found_);
  }

 private:
  void add(FindingKind kind, std::size_t place, std::string text) {
    found_.push_back(part_.findingOf(kind, index_, place, std::move(text)));
  }

  /// Whether it has an area.
  bool checkBox(std::size_t place) {
    const coco::Annotation& annotation = annotations_[place];
    const auto& box = annotation.boxXywh;
    if (!part_.content.origins[index_][place].hasBox) return true;
    const bool hasArea = box[2] > 0 && box[3] > 0;
    if (!hasArea) add(FindingKind::BoxEmpty, place, "box " + boxText(box) + " has no area");
    if (coco::exceedsImage(annotation, image_)) {
      add(FindingKind::BoxOutside, place,
          "box " + boxText(box) + " extends beyond the image of " + sizeText(image_));
    }
    return hasArea;
  }

  /// Whether it has a pixel.
  bool checkMask(std::size_t place) {
    const coco::Annotation& annotation = annotations_[place];
    bool hasEmptyPolygon = false;
    const auto* polygons = std::get_if<0>(&annotation.segmentation);
    for (std::size_t i = 0; polygons != nullptr && i < polygons->size(); ++i)
      hasEmptyPolygon = checkPolygon(place, (*polygons)[i], i, polygons->size()) || hasEmptyPolygon;
    if (coco::areaPx(masks_[place]) > 0) return true;
    if (!hasEmptyPolygon && !mayBeEmpty(annotation)) {
      add(FindingKind::MaskEmpty, place,
          "mask has no pixel within the image; its box is " + boxText(annotation.boxXywh));
    }
    return false;
  }

  /// Whether it is empty.
  bool checkPolygon(std::size_t place, const std::vector<double>& xy, std::size_t i,
                    std::size_t count) {
    const std::string which =
        count == 1 ? "polygon"
                   : "polygon " + std::to_string(i + 1) + " of " + std::to_string(count);
    if (const auto at = coco::findSelfCrossing(xy)) {
      add(FindingKind::PolygonCrossing, place,
          which + " crosses itself at x " + shortNumber((*at)[0]) + ", y " + shortNumber((*at)[1]));
      return false;
    }
    if (coco::enclosesArea(xy)) return false;
    add(FindingKind::PolygonEmpty, place, which + " has no area");
    return true;
  }

  void compareBoxWithMask(std::size_t place) {
    const auto mask = coco::boundingBoxXywh(masks_[place]);
    const double error = coco::boxErrorPx(annotations_[place], mask, image_);
    if (error <= coco::kRoundingPx) return;
    add(FindingKind::BoxNotMask, place,
        "box " + boxText(annotations_[place].boxXywh) + " is " + shortNumber(error, 3) +
            " px off its mask, which is in " + boxText(mask));
  }

  void addDoubled(const DoubledObject& pair) {
    const coco::AnnotationOrigin& kept = part_.content.origins[index_][pair.kept];
    const std::string name = kept.id ? "annotation " + std::to_string(*kept.id)
                                     : "the annotation at byte " + std::to_string(kept.byte);
    add(FindingKind::DoubledObject, pair.doubled,
        "same object as " + name + (annotations_[pair.doubled].hasMask ? ": mask" : ": box") +
            " IoU " + shortNumber(pair.iou, 2));
  }

  const PartData& part_;
  std::size_t index_;
  const coco::Image& image_;
  const std::vector<coco::Annotation>& annotations_;
  std::vector<coco::Rle> masks_;
  std::vector<Finding> found_;
};

}  // namespace

bool mayBeEmpty(const coco::Annotation& annotation) {
  return annotation.segmentation.index() == 0 &&
         (annotation.boxXywh[2] <= 1 || annotation.boxXywh[3] <= 1);
}

std::vector<Finding> entryFaults(const PartData& part) {
  std::vector<Finding> found;
  for (const coco::EntryError& error : part.content.errors) {
    if (error.isConsequence) continue;
    // The finding names the image only, so its text must say that an annotation is at fault.
    const bool isOfAnnotation = error.table == coco::EntryTable::Annotations;
    const std::string prefix = error.annotationId ? ""
                               : !error.imageId   ? error.where + ": "
                               : isOfAnnotation   ? "an annotation: "
                                                  : "";
    Finding fault = part.finding(kindOfFault(error.fault), prefix + error.what);
    fault.imageId = error.imageId;
    fault.annotationId = error.annotationId;
    fault.byte = error.byte;
    fault.entry = {part.part, error.byte};
    found.push_back(std::move(fault));
  }
  return found;
}

std::vector<Finding> objectFaults(const PartData& part, std::size_t image) {
  return ImageObjects(part, image).check();
}

}  // namespace lockstep::dataset_check
