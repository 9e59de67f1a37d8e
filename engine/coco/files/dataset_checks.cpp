#include "engine/coco/files/dataset_checks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/coco/masks/runs.h"

namespace lockstep::coco {
namespace {

using Polygons = std::vector<std::vector<double>>;

constexpr std::size_t kFewestPoints = 3;

std::string sizeText(int height, int width) {
  return std::to_string(height) + " x " + std::to_string(width);
}

std::string shownAs(const Image& image) {
  return image.fileName + " of " + sizeText(image.height, image.width) + " px (height x width)";
}
std::string shownAs(const Category& category) { return category.name; }

template <typename Entry>
void sortById(std::vector<Entry>& entries, const char* kind, ErrorList& errors) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.id < b.id; });
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].id != entries[i - 1].id) continue;
    errors.add(kind + (" " + std::to_string(entries[i].id.value)),
               "duplicate id, of " + shownAs(entries[i - 1]) + " and of " + shownAs(entries[i]) +
                   "; ids must be unique: change one of them");
  }
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

std::string boxError(const Annotation& annotation) {
  for (double value : annotation.boxXywh) {
    if (!std::isfinite(value)) return "bbox has a value that is not finite";
  }
  if (annotation.boxXywh[2] < 0 || annotation.boxXywh[3] < 0) {
    return "negative bbox width or height";
  }
  return {};
}

std::string polygonError(const Polygons& polygons) {
  for (std::size_t i = 0; i < polygons.size(); ++i) {
    const std::vector<double>& xy = polygons[i];
    const std::string which = polygons.size() == 1 ? "polygon"
                                                   : "polygon " + std::to_string(i + 1) + " of " +
                                                         std::to_string(polygons.size());
    if (xy.size() % 2 != 0) {
      return which + " has " + std::to_string(xy.size()) +
             " numbers; it must hold pairs [x0, y0, x1, y1, …]";
    }
    if (xy.size() / 2 < kFewestPoints) {
      return which + " has " + std::to_string(xy.size() / 2) +
             (xy.size() == 2 ? " point" : " points") +
             "; a polygon needs at least 3: correct or remove it";
    }
    if (!std::all_of(xy.begin(), xy.end(), [](double value) { return std::isfinite(value); })) {
      return which + " has a coordinate that is not finite";
    }
  }
  return {};
}

std::string rleError(const Rle& rle, const Image& image) {
  if (rle.height != image.height || rle.width != image.width) {
    return "RLE is " + sizeText(rle.height, rle.width) + " px (height x width) but the image is " +
           sizeText(image.height, image.width);
  }
  const char* error = countsError(rle);
  return error == nullptr
             ? std::string()
             : "RLE of " + sizeText(rle.height, rle.width) + " px (height x width): " + error;
}

std::string segmentationError(const AnnotationDraft& draft, const Image& image) {
  const Segmentation& segmentation = draft.annotation.segmentation;
  if (const Rle* rle = std::get_if<Rle>(&segmentation)) return rleError(*rle, image);
  const auto& polygons = std::get<Polygons>(segmentation);
  if (polygons.empty() && !draft.hasBox) {
    return "neither a segmentation nor a box; add one, or remove the annotation";
  }
  return polygonError(polygons);
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

}  // namespace

std::string describe(const AnnotationDraft& draft) {
  const std::string id = draft.hasId ? std::to_string(draft.annotation.id) : "without an id";
  return "annotation " + id + " (image " + std::to_string(draft.annotation.imageId.value) + ")";
}

void sortAndCheck(DatasetParts& parts, ErrorList& errors) {
  sortById(parts.images, "image", errors);
  sortById(parts.categories, "category", errors);
  for (const Image& image : parts.images) {
    const std::string error = imageError(image);
    if (!error.empty()) errors.add("image " + std::to_string(image.id.value), error);
  }
}

std::string annotationError(const AnnotationDraft& draft, const Image& image) {
  if (draft.hasBox) {
    std::string error = boxError(draft.annotation);
    if (!error.empty()) return error;
  }
  if (draft.hasArea && !(std::isfinite(draft.annotation.area) && draft.annotation.area >= 0)) {
    return "area must be a number >= 0";
  }
  return segmentationError(draft, image);
}

void complete(AnnotationDraft& draft, const Image& image) {
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

}  // namespace lockstep::coco
