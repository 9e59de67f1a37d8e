#include "engine/coco/files/annotation_review.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/coco/masks/mask_geometry.h"

namespace lockstep::coco {
namespace {

constexpr std::size_t kListedIds = 5;
/// Coordinates beyond this many image sides are out of range.
constexpr double kAbsurdSides = 10;
/// Minimum IoU of a box with its mask's bounding box.
constexpr double kLeastIou = 0.5;

/// px
struct Corners {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};

Corners cornersOf(const std::array<double, 4>& xywh) {
  return {xywh[0], xywh[1], xywh[0] + xywh[2], xywh[1] + xywh[3]};
}

Corners around(const Segmentation& segmentation) {
  if (const Rle* rle = std::get_if<Rle>(&segmentation)) return cornersOf(boundingBoxXywh(*rle));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Corners box{kInfinity, kInfinity, -kInfinity, -kInfinity};
  for (const std::vector<double>& xy : std::get<0>(segmentation)) {
    for (std::size_t i = 0; i + 1 < xy.size(); i += 2) {
      box.x0 = std::min(box.x0, xy[i]);
      box.x1 = std::max(box.x1, xy[i]);
      box.y0 = std::min(box.y0, xy[i + 1]);
      box.y1 = std::max(box.y1, xy[i + 1]);
    }
  }
  return box;
}

double areaOf(const Corners& box) {
  return std::max(box.x1 - box.x0, 0.) * std::max(box.y1 - box.y0, 0.);
}

double farthest(const Corners& box) {
  return std::max({std::abs(box.x0), std::abs(box.y0), std::abs(box.x1), std::abs(box.y1)});
}

Corners differenceOf(const Corners& a, const Corners& b) {
  return {a.x0 - b.x0, a.y0 - b.y0, a.x1 - b.x1, a.y1 - b.y1};
}

bool isIn(const Corners& box, const Image& image) {
  return box.x0 >= -kRoundingPx && box.y0 >= -kRoundingPx && box.x1 <= image.width + kRoundingPx &&
         box.y1 <= image.height + kRoundingPx;
}

/// Whether two boxes are the same up to rounding, which matters most for objects of a few pixels.
bool agree(const Corners& a, const Corners& b) {
  if (farthest(differenceOf(a, b)) <= kRoundingPx) return true;
  const double shared = areaOf(
      {std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)});
  return shared >= kLeastIou * (areaOf(a) + areaOf(b) - shared);
}

void add(ReviewIssue& doubt, const Annotation& annotation) {
  if (doubt.count++ < kListedIds) doubt.firstIds.push_back(annotation.id);
}

void review(const Annotation& annotation, const Image& image, AnnotationReview& found) {
  const Corners box = cornersOf(annotation.boxXywh), mask = around(annotation.segmentation);
  const auto& [x0, y0, x1, y1] = annotation.boxXywh;
  const Corners readAsCorners{x0, y0, x1, y1};
  const double most = kAbsurdSides * std::max(image.width, image.height);
  ++found.objects;
  if (!isIn(box, image)) ++found.exceedingAny;
  if (std::max(farthest(box), farthest(mask)) > most) return add(found.outOfRange, annotation);
  const bool fits = agree(box, mask);
  if (!fits && agree(readAsCorners, mask)) return add(found.asXyxy, annotation);
  if (!isIn(box, image)) return add(found.exceedsImage, annotation);
  if (!fits) add(found.mismatchesMask, annotation);
}

}  // namespace

bool exceedsImage(const Annotation& annotation, const Image& image) {
  return !isIn(cornersOf(annotation.boxXywh), image);
}

double boxErrorPx(const Annotation& annotation, const std::array<double, 4>& maskXywh,
                  const Image& image) {
  const base::ImageSize size{.height = image.height, .width = image.width};
  return farthest(differenceOf(cornersOf(clippedBox(annotation.boxXywh, size)),
                               cornersOf(clippedBox(maskXywh, size))));
}

AnnotationReview reviewAnnotations(const Dataset& dataset) {
  AnnotationReview found;
  for (std::size_t i = 0; i < dataset.images().size(); ++i) {
    for (const Annotation& annotation : dataset.annotationsOf(i)) {
      if (!annotation.isCrowd) review(annotation, dataset.images()[i], found);
    }
  }
  return found;
}

}  // namespace lockstep::coco
