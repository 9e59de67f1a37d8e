#include "engine/dataset_check/part_cleaner.h"

#include <algorithm>
#include <cmath>

#include "engine/coco/files/annotation_review.h"
#include "engine/coco/files/stored_frame.h"
#include "engine/coco/masks/mask_geometry.h"
#include "engine/coco/masks/polygon.h"
#include "engine/coco/masks/runs.h"
#include "engine/dataset_check/doubled_objects.h"
#include "engine/dataset_check/object_checks.h"

namespace lockstep::dataset_check {
namespace {

/// Whether an image is left out for it.
bool isOfImage(FindingKind kind, bool isTurned) {
  return kind == FindingKind::ImageMissing || kind == FindingKind::ImageUnreadable ||
         kind == FindingKind::ImageTruncated || kind == FindingKind::ImageSize ||
         kind == FindingKind::PictureTwice || kind == FindingKind::PictureInBothParts ||
         (kind == FindingKind::ImageRotated && !isTurned);
}

/// Whether the area of an annotation is none that its mask can have, or that of its faulty box.
/// That of the polygons may differ from that of the pixels.
bool isNotOfMask(const coco::Annotation& annotation, const coco::Image& image) {
  constexpr double kRounding = 0.01;
  const double ofBox = annotation.boxXywh[2] * annotation.boxXywh[3];
  return annotation.area <= 0 ||
         annotation.area > static_cast<double>(image.width) * image.height ||
         std::abs(annotation.area - ofBox) <= kRounding * ofBox;
}

}  // namespace

PartCleaner::PartCleaner(const CheckedPart& part, const std::vector<Finding>& faults,
                         std::map<FindingKind, FixCount>& fixes)
    : part_(part), dataset_(part.data.dataset()), fixes_(fixes) {
  const auto& bytes = part.data.content.imageBytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) imageOf_[bytes[i]] = i;
  for (const Finding& fault : faults) {
    if (fault.entry.part == part.data.part && fault.entry.byte > 0)
      byEntry_[fault.entry.byte].push_back(&fault);
  }
}

coco::EntryEdits PartCleaner::edits() {
  const EntryCounts found = faultyEntries();
  const std::map<FindingKind, FixCount> before = fixes_;
  removeRefusedEntries();
  removeAmbiguousEntries();
  removeImages();
  for (std::size_t i = 0; i < dataset_.images().size(); ++i) cleanImage(i);
  for (const auto& [kind, entries] : found) {
    FixCount& fix = fixes_[kind];
    const auto earlier = before.find(kind);
    const std::int64_t others =
        earlier == before.end() ? 0 : earlier->second.mended + earlier->second.removed;
    fix.resolved += std::max<std::int64_t>(0, entries - (fix.mended + fix.removed - others));
  }
  return edits_;
}

PartCleaner::EntryCounts PartCleaner::faultyEntries() const {
  EntryCounts counts;
  for (const auto& [byte, faults] : byEntry_) {
    std::set<FindingKind> kinds;
    for (const Finding* fault : faults) kinds.insert(fault->kind);
    for (const FindingKind kind : kinds) ++counts[kind];
  }
  return counts;
}

bool PartCleaner::isRemoved(std::size_t byte) const {
  const auto edit = edits_.find(byte);
  return edit != edits_.end() && edit->second.isRemoved;
}

void PartCleaner::removeImage(std::size_t image) {
  remove(part_.data.content.imageBytes[image]);
  for (const coco::AnnotationOrigin& origin : part_.data.content.origins[image])
    remove(origin.byte);
}

/// What is not in the dataset.
void PartCleaner::removeRefusedEntries() {
  std::set<std::size_t> used;
  for (const auto& ofImage : part_.data.content.origins)
    for (const coco::AnnotationOrigin& origin : ofImage) used.insert(origin.byte);
  for (const coco::EntryError& error : part_.data.content.errors) {
    const bool isRefused = error.table == coco::EntryTable::Annotations
                               ? !used.contains(error.byte)
                               : error.fault != coco::EntryFault::DuplicateId;
    if (!isRefused) continue;
    remove(error.byte);
    for (const Finding* fault : byEntry_[error.byte]) ++fixes_[fault->kind].removed;
    byEntry_[error.byte].clear();
  }
}

/// Of which image or class annotations are whose id two different entries have is not known.
void PartCleaner::removeAmbiguousEntries() {
  for (const coco::EntryError& error : part_.data.content.errors) {
    if (error.fault != coco::EntryFault::DuplicateId ||
        error.table == coco::EntryTable::Annotations)
      continue;
    remove(error.byte);
    ++fixes_[FindingKind::DuplicateId].removed;
    if (error.isTolerated) continue;  // the same entry twice
    if (error.table == coco::EntryTable::Images) {
      if (const auto image = dataset_.findImage({*error.imageId})) removeImage(*image);
    } else if (dataset_.hasCategory({*error.categoryId})) {
      removeClass({*error.categoryId});
    }
  }
}

void PartCleaner::removeClass(CategoryId id) {
  const auto row = static_cast<std::size_t>(dataset_.classOf(id).value - 1);
  remove(part_.data.content.categoryBytes[row]);
  for (std::size_t i = 0; i < dataset_.images().size(); ++i) {
    const auto& annotations = dataset_.annotationsOf(i);
    for (std::size_t j = 0; j < annotations.size(); ++j)
      if (annotations[j].categoryId == id) remove(part_.data.content.origins[i][j].byte);
  }
}

void PartCleaner::removeImages() {
  for (const auto& [byte, image] : imageOf_) {
    for (const Finding* fault : byEntry_[byte]) {
      if (!isOfImage(fault->kind, part_.isTurned(image))) continue;
      ++fixes_[fault->kind].removed;
      removeImage(image);
    }
  }
}

bool PartCleaner::hasFaults(std::size_t image) const {
  return part_.isTurned(image) || std::ranges::any_of(part_.data.content.origins[image],
                                                      [&](const coco::AnnotationOrigin& origin) {
                                                        return byEntry_.contains(origin.byte);
                                                      });
}

void PartCleaner::cleanImage(std::size_t image) {
  const std::size_t byte = part_.data.content.imageBytes[image];
  if (isRemoved(byte)) return;
  ++imagesLeft_;
  coco::Image size = part_.data.image(image);
  if (part_.isTurned(image)) {
    edits_[byte].size = {size.width, size.height};
    std::swap(size.width, size.height);
    ++fixes_[FindingKind::ImageRotated].mended;
  }
  const auto& origins = part_.data.content.origins[image];
  if (hasFaults(image)) {
    std::vector<coco::Annotation> left;
    std::vector<coco::Rle> masks;
    std::vector<std::size_t> bytes;  // of those left
    for (std::size_t place = 0; place < origins.size(); ++place) {
      if (isRemoved(origins[place].byte)) continue;
      auto annotation = cleanAnnotation(image, place);
      if (!annotation) continue;
      masks.push_back(coco::annotationMask(*annotation, size));
      left.push_back(std::move(*annotation));
      bytes.push_back(origins[place].byte);
    }
    // Turned polygons may cover other pixels, so that others are the same.
    for (const DoubledObject& pair : findDoubledObjects(left, masks)) {
      ++fixes_[FindingKind::DoubledObject].removed;
      remove(bytes[pair.doubled]);
    }
  }
  annotationsLeft_ += std::ranges::count_if(
      origins, [&](const coco::AnnotationOrigin& origin) { return !isRemoved(origin.byte); });
}

std::optional<coco::Annotation> PartCleaner::cleanAnnotation(std::size_t image, std::size_t place) {
  coco::Annotation annotation = dataset_.annotationsOf(image)[place];
  const std::size_t byte = part_.data.content.origins[image][place].byte;
  std::set<FindingKind> kinds;
  const auto faults = byEntry_.find(byte);
  if (faults != byEntry_.end())
    for (const Finding* fault : faults->second)
      if (fault->kind != FindingKind::DoubledObject) kinds.insert(fault->kind);
  if (kinds.empty() && !part_.isTurned(image)) return annotation;
  const auto edit = mend(annotation, image, place, kinds);
  for (const FindingKind kind : kinds) ++(edit ? fixes_[kind].mended : fixes_[kind].removed);
  if (edit) {
    edits_[byte] = *edit;
    return annotation;
  }
  if (kinds.empty()) ++fixes_[FindingKind::MaskEmpty].removed;  // once it is turned
  remove(byte);
  return std::nullopt;
}

std::optional<coco::EntryEdit> PartCleaner::mend(coco::Annotation& annotation, std::size_t image,
                                                 std::size_t place,
                                                 const std::set<FindingKind>& kinds) const {
  const coco::Image& size = part_.data.image(image);
  coco::EntryEdit edit;
  if (kinds.contains(FindingKind::MissingId) || kinds.contains(FindingKind::DuplicateId))
    edit.id = annotation.id;
  if (kinds.contains(FindingKind::InvalidEntry)) edit.area = annotation.area;
  const bool hasOwnBox = part_.data.content.origins[image][place].hasBox;
  if (!mendMask(annotation, size, kinds, edit) || !(annotation.hasMask || hasOwnBox) ||
      !mendBox(annotation, size, kinds, edit))
    return std::nullopt;
  const bool hasBox = edit.boxXywh || hasOwnBox;
  if (part_.isTurned(image) && !turn(annotation, image, hasBox, edit)) return std::nullopt;
  return edit;
}

bool PartCleaner::turn(coco::Annotation& annotation, std::size_t image, bool hasBox,
                       coco::EntryEdit& edit) const {
  coco::Image size = part_.data.image(image);
  const coco::StoredFrame stored(part_.orientations[image], {size.width, size.height});
  std::swap(size.width, size.height);
  annotation.boxXywh = stored.box(annotation.boxXywh);
  annotation.segmentation = stored.segmentation(annotation.segmentation);
  if (hasBox) edit.boxXywh = annotation.boxXywh;
  if (annotation.hasMask) edit.segmentation = annotation.segmentation;
  edit.movedKeypoint = [stored](double x, double y) { return stored.pixel(x, y); };
  return mendBox(annotation, size, {}, edit);
}

bool PartCleaner::mendMask(coco::Annotation& annotation, const coco::Image& image,
                           const std::set<FindingKind>& kinds, coco::EntryEdit& edit) {
  if (kinds.contains(FindingKind::MaskEmpty)) return false;
  const bool hasEmpty = kinds.contains(FindingKind::PolygonEmpty);
  const bool crosses = kinds.contains(FindingKind::PolygonCrossing);
  if (!hasEmpty && !crosses) return true;
  auto* const polygons = std::get_if<0>(&annotation.segmentation);
  if (polygons == nullptr) return true;  // an RLE that comes after polygons
  if (annotation.hasMask) coco::removeEmptyPolygons(*polygons);
  if (!annotation.hasMask || polygons->empty()) {  // its box is left
    annotation.hasMask = false;
    *polygons = {coco::boxOutline(annotation.boxXywh)};
    edit.segmentation.emplace();
    return true;
  }
  coco::Rle mask = coco::annotationMask(annotation, image);
  annotation.area = static_cast<double>(coco::areaPx(mask));
  if (annotation.area == 0) return false;
  if (crosses) annotation.segmentation = std::move(mask);
  edit.segmentation = annotation.segmentation;
  edit.area = annotation.area;
  return true;
}

bool PartCleaner::mendBox(coco::Annotation& annotation, const coco::Image& image,
                          const std::set<FindingKind>& kinds, coco::EntryEdit& edit) {
  const bool isFaulty = kinds.contains(FindingKind::BoxEmpty) ||
                        kinds.contains(FindingKind::BoxOutside) ||
                        kinds.contains(FindingKind::BoxNotMask);
  if (!isFaulty && !edit.segmentation) return true;
  std::array<double, 4> box = coco::clippedBox(annotation.boxXywh, {image.height, image.width});
  double area = box[2] * box[3];
  bool isStale = true;
  if (annotation.hasMask) {
    const coco::Rle mask = coco::annotationMask(annotation, image);
    if (coco::areaPx(mask) == 0) return !isFaulty && mayBeEmpty(annotation);
    box = coco::boundingBoxXywh(mask);
    if (!isFaulty && coco::boxErrorPx(annotation, box, image) <= coco::kRoundingPx) return true;
    area = static_cast<double>(coco::areaPx(mask));
    isStale = isNotOfMask(annotation, image);
  }
  if (box[2] <= 0 || box[3] <= 0) return false;
  annotation.boxXywh = box;
  edit.boxXywh = box;
  if (isStale) edit.area = annotation.area = area;
  return true;
}

}  // namespace lockstep::dataset_check
