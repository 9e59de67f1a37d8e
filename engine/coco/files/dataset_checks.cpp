#include "engine/coco/files/dataset_checks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/coco/masks/runs.h"

namespace lockstep::coco {
namespace {

using Polygons = std::vector<std::vector<double>>;

std::string sizeText(int height, int width) {
  return std::to_string(height) + " x " + std::to_string(width);
}

std::string shownAs(const Image& image) {
  return base::shortenedPath(image.fileName) + " of " + sizeText(image.height, image.width) +
         " px (height x width)";
}
std::string shownAs(const Category& category) { return base::shortened(category.name); }

EntryError errorOf(const Image& image, std::string what, EntryFault fault, std::size_t byte) {
  EntryError error{"image " + std::to_string(image.id.value), std::move(what), byte, fault,
                   EntryTable::Images};
  error.imageId = image.id.value;
  return error;
}

EntryError errorOf(const Category& category, std::string what, EntryFault fault, std::size_t byte) {
  EntryError error{"category " + std::to_string(category.id.value), std::move(what), byte, fault,
                   EntryTable::Categories};
  error.categoryId = category.id.value;
  return error;
}

template <typename Draft>
void sortById(std::vector<Draft>& drafts, ErrorList& errors) {
  std::ranges::stable_sort(drafts, {}, [](const Draft& draft) { return draft.entry.id; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const bool isDuplicate = kept > 0 && drafts[kept - 1].entry.id == drafts[i].entry.id;
    if (!isDuplicate) {
      if (i != kept) drafts[kept] = std::move(drafts[i]);
      ++kept;
      continue;
    }
    const auto &first = drafts[kept - 1].entry, &other = drafts[i].entry;
    if (first == other) {
      errors.addTolerated(
          errorOf(other, "duplicate entry", EntryFault::DuplicateId, drafts[i].byte));
    } else {
      errors.add(errorOf(other,
                         "duplicate id, of " + shownAs(first) + " and of " + shownAs(other) +
                             "; ids must be unique: change one of them",
                         EntryFault::DuplicateId, drafts[i].byte));
    }
  }
  drafts.resize(kept);
}

std::string imageError(const Image& image) {
  if (image.width <= 0 || image.height <= 0) {
    return "width and height must be greater than 0, they are " + std::to_string(image.width) +
           " and " + std::to_string(image.height);
  }
  if (static_cast<std::uint64_t>(image.width) * static_cast<std::uint64_t>(image.height) >
      kMaxPixels) {
    return "width x height exceeds the 2^32 pixels that a mask may have";
  }
  return {};
}

/// What is wrong with an annotation.
struct Problem {
  std::string what;
  EntryFault fault = EntryFault::Invalid;
};

std::optional<Problem> boxError(const Annotation& annotation) {
  for (double value : annotation.boxXywh) {
    if (!std::isfinite(value))
      return Problem{"bbox has a value that is not finite", EntryFault::EmptyBox};
  }
  if (annotation.boxXywh[2] < 0 || annotation.boxXywh[3] < 0) {
    return Problem{"negative bbox width or height", EntryFault::EmptyBox};
  }
  return std::nullopt;
}

/// Error of one polygon; empty if it is valid.
std::string polygonError(const std::vector<double>& xy) {
  if (xy.size() % 2 != 0) {
    return "has " + base::counted(xy.size(), "number") + "; it must hold pairs [x0, y0, x1, y1, …]";
  }
  if (xy.size() / 2 < kMinPolygonPoints) {
    return "has " + (xy.empty() ? "no points" : base::counted(xy.size() / 2, "point")) +
           "; a polygon needs at least 3: correct or remove it";
  }
  const bool isFinite =
      std::all_of(xy.begin(), xy.end(), [](double value) { return std::isfinite(value); });
  return isFinite ? "" : "has a coordinate that is not finite";
}

std::optional<Problem> polygonError(const Polygons& polygons) {
  for (std::size_t i = 0; i < polygons.size(); ++i) {
    const std::string error = polygonError(polygons[i]);
    if (error.empty()) continue;
    const std::string which = polygons.size() == 1 ? "polygon "
                                                   : "polygon " + std::to_string(i + 1) + " of " +
                                                         std::to_string(polygons.size()) + " ";
    return Problem{which + error, EntryFault::EmptyPolygon};
  }
  return std::nullopt;
}

std::optional<Problem> rleError(const Rle& rle, const Image& image) {
  if (rle.height != image.height || rle.width != image.width) {
    return Problem{"RLE is " + sizeText(rle.height, rle.width) +
                       " px (height x width) but the image is " +
                       sizeText(image.height, image.width),
                   EntryFault::InvalidMask};
  }
  const char* error = countsError(rle);
  if (error == nullptr) return std::nullopt;
  return Problem{"RLE of " + sizeText(rle.height, rle.width) + " px (height x width): " + error,
                 EntryFault::InvalidMask};
}

std::optional<Problem> segmentationError(const AnnotationDraft& draft, const Image& image) {
  if (draft.isMaskSkipped) return std::nullopt;
  const Segmentation& segmentation = draft.annotation.segmentation;
  if (const Rle* rle = std::get_if<Rle>(&segmentation)) return rleError(*rle, image);
  const auto& polygons = std::get<Polygons>(segmentation);
  if (polygons.empty() && !draft.hasBox) {
    return Problem{"neither a segmentation nor a box; add one, or remove the annotation"};
  }
  return polygonError(polygons);
}

/// What is invalid in the numbers or the segmentation of an annotation of this image.
std::optional<Problem> annotationError(const AnnotationDraft& draft, const Image& image) {
  if (draft.hasBox) {
    if (auto error = boxError(draft.annotation)) return error;
  }
  if (draft.hasArea && !(std::isfinite(draft.annotation.area) && draft.annotation.area >= 0)) {
    return Problem{"area must be a number >= 0", EntryFault::InvalidArea};
  }
  return segmentationError(draft, image);
}

/// The bounding box of all points.
std::array<double, 4> boxOf(const Polygons& polygons) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double x0 = kInfinity, y0 = kInfinity, x1 = -kInfinity, y1 = -kInfinity;
  for (const std::vector<double>& xy : polygons) {
    for (std::size_t i = 0; i + 1 < xy.size(); i += 2) {
      x0 = std::min(x0, xy[i]);
      x1 = std::max(x1, xy[i]);
      y0 = std::min(y0, xy[i + 1]);
      y1 = std::max(y1, xy[i + 1]);
    }
  }
  return {x0, y0, x1 - x0, y1 - y0};
}

/// Fills missing fields. The draft must be valid.
void complete(AnnotationDraft& draft, const Image& image) {
  if (draft.isMaskSkipped) return;
  Annotation& annotation = draft.annotation;
  if (Polygons* polygons = std::get_if<Polygons>(&annotation.segmentation)) {
    if (polygons->empty()) {
      annotation.hasMask = annotation.isCrowd;
      polygons->push_back(boxOutline(annotation.boxXywh));
    }
    if (!draft.hasBox) annotation.boxXywh = boxOf(*polygons);
  } else if (!draft.hasBox) {
    annotation.boxXywh = boundingBoxXywh(std::get<Rle>(annotation.segmentation));
  }
  if (!draft.hasArea)
    annotation.area = static_cast<double>(areaPx(annotationMask(annotation, image)));
}

class AnnotationChecker {
 public:
  AnnotationChecker(const DatasetParts& parts, ErrorList& errors) : parts_(parts), errors_(errors) {
    for (std::size_t i = 0; i < parts.images.size(); ++i)
      imageById_.emplace(parts.images[i].entry.id, i);
    for (const CategoryDraft& category : parts.categories) categories_.insert(category.entry.id);
  }

  /// Whether it is valid; then it is complete.
  bool check(AnnotationDraft& draft) {
    checkId(draft);
    const Annotation& annotation = draft.annotation;
    const auto image = imageById_.find(annotation.imageId);
    if (image == imageById_.end()) {
      return report(draft, {"image_id " + std::to_string(annotation.imageId.value) +
                                " is not in \"images\"; add the image or remove the annotation",
                            EntryFault::UnknownImage});
    }
    bool isValid = true;
    if (!categories_.contains(annotation.categoryId)) {
      isValid = report(draft, {"category " + std::to_string(annotation.categoryId.value) +
                                   " is not in \"categories\"; add the category or correct "
                                   "category_id",
                               EntryFault::UnknownClass});
    }
    draft.image = image->second;
    const Image& entry = parts_.images[draft.image].entry;
    while (const auto problem = annotationError(draft, entry)) {
      report(draft, *problem);
      if (!errors_.isLenient() || !mend(draft, problem->fault)) return false;
    }
    if (isValid) complete(draft, entry);
    return isValid;
  }

 private:
  void checkId(const AnnotationDraft& draft) {
    if (!errors_.isLenient()) return;  // assembling gives new ids
    if (!draft.hasId) {
      errors_.addTolerated(errorOf(
          draft,
          {draft.hasOtherId ? "its id is not an integer" : "has no id", EntryFault::MissingId}));
    } else if (!ids_.insert(draft.annotation.id).second) {
      errors_.addTolerated(errorOf(draft, {"its id is used before", EntryFault::DuplicateId}));
    }
  }

  /// False.
  bool report(const AnnotationDraft& draft, const Problem& problem) {
    errors_.add(errorOf(draft, problem));
    return false;
  }

  /// Removes the invalid field, so that the check can go on. False if the entry is unusable.
  static bool mend(AnnotationDraft& draft, EntryFault fault) {
    if (fault == EntryFault::InvalidArea) draft.hasArea = false;
    if (fault == EntryFault::EmptyBox) draft.hasBox = false;
    if (fault == EntryFault::EmptyPolygon) {
      auto& polygons = std::get<Polygons>(draft.annotation.segmentation);
      std::erase_if(polygons, [](const auto& xy) { return !polygonError(xy).empty(); });
    }
    return isMendable(fault);
  }

  /// `annotation 7 (image 3)`
  static std::string describe(const AnnotationDraft& draft) {
    const std::string id = draft.hasId        ? std::to_string(draft.annotation.id)
                           : draft.hasOtherId ? "whose id is not an integer"
                                              : "without an id";
    return "annotation " + id + " (image " + std::to_string(draft.annotation.imageId.value) + ")";
  }

  static EntryError errorOf(const AnnotationDraft& draft, const Problem& problem) {
    EntryError error{describe(draft), problem.what, draft.byte, problem.fault};
    error.imageId = draft.annotation.imageId.value;
    error.categoryId = draft.annotation.categoryId.value;
    if (draft.hasId) error.annotationId = draft.annotation.id;
    return error;
  }

  const DatasetParts& parts_;
  ErrorList& errors_;
  std::unordered_map<ImageId, std::size_t> imageById_;
  std::unordered_set<CategoryId> categories_;
  std::unordered_set<std::int64_t> ids_;  ///< of annotations, as far as checked
};

}  // namespace

void sortAndCheck(DatasetParts& parts, ErrorList& errors) {
  sortById(parts.images, errors);
  sortById(parts.categories, errors);
  std::erase_if(parts.images, [&](const ImageDraft& draft) {
    const std::string error = imageError(draft.entry);
    if (error.empty()) return false;
    errors.add(errorOf(draft.entry, error, EntryFault::Invalid, draft.byte));
    return true;
  });
}

void checkAnnotations(DatasetParts& parts, ErrorList& errors) {
  AnnotationChecker checker(parts, errors);
  std::size_t kept = 0;
  for (AnnotationDraft& draft : parts.annotations) {
    if (!checker.check(draft)) continue;
    if (&draft != &parts.annotations[kept]) parts.annotations[kept] = std::move(draft);
    ++kept;
  }
  parts.annotations.resize(kept);
}

}  // namespace lockstep::coco
