#include "engine/coco/evaluation/regions.h"

#include <algorithm>

#include "engine/coco/masks/boundary.h"

namespace lockstep::coco {
namespace {

double boxIou(const std::array<double, 4>& detection, const std::array<double, 4>& gt, bool crowd) {
  const double width =
      std::min(detection[2] + detection[0], gt[2] + gt[0]) - std::max(detection[0], gt[0]);
  if (width <= 0) return 0;
  const double height =
      std::min(detection[3] + detection[1], gt[3] + gt[1]) - std::max(detection[1], gt[1]);
  if (height <= 0) return 0;
  const double overlap = width * height, detectionArea = detection[2] * detection[3];
  return overlap / (crowd ? detectionArea : detectionArea + gt[2] * gt[3] - overlap);
}

/// IoU; `areas` is the sum of both areas.
double overlapShare(std::uint64_t overlap, std::uint64_t areas) {
  return overlap == 0 ? 0 : static_cast<double>(overlap) / static_cast<double>(areas - overlap);
}

}  // namespace

Region::Region(const Detection& detection, const Image& image, IouType type)
    : type_(type), boxXywh_(detection.boxXywh) {
  if (type_ == IouType::Box) return;
  if (detection.mask.height == 0) {
    owned_ = rasterisePolygon(boxOutline(boxXywh_), image.height, image.width);
  } else {
    requireMaskSize(detection, image);
    borrowed_ = &detection.mask;
  }
  measureMask();
}

Region::Region(const Annotation& annotation, const Image& image, IouType type)
    : type_(type), boxXywh_(annotation.boxXywh) {
  if (type_ == IouType::Box) return;
  borrowed_ = std::get_if<Rle>(&annotation.segmentation);
  if (borrowed_ == nullptr) owned_ = annotationMask(annotation, image);
  measureMask();
}

void Region::measureMask() {
  maskArea_ = areaPx(mask());
  pixels_ = boundingPixels(mask());
  if (type_ == IouType::Boundary) boundaryDepthPx_ = boundaryDepthPx(mask().height, mask().width);
}

bool Region::isAllBoundary() const { return coco::isAllBoundary(pixels_, boundaryDepthPx_); }

void Region::findBoundary() const {
  if (boundary_ || isAllBoundary()) return;
  boundary_ = boundaryOf(mask(), boundaryDepthPx_);
  boundaryArea_ = areaPx(*boundary_);
}

double Region::boundaryIouWith(const Region& groundTruth) const {
  findBoundary();
  groundTruth.findBoundary();
  return overlapShare(overlapPx(boundary(), groundTruth.boundary()),
                      boundaryArea() + groundTruth.boundaryArea());
}

std::uint64_t Region::sharedBoxPx(const Region& other) const {
  const int width = std::min(pixels_.x1, other.pixels_.x1) - std::max(pixels_.x0, other.pixels_.x0);
  const int height =
      std::min(pixels_.y1, other.pixels_.y1) - std::max(pixels_.y0, other.pixels_.y0);
  return width <= 0 || height <= 0
             ? 0
             : static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
}

bool Region::canReach(const Region& groundTruth, bool isCrowd, double least) const {
  if (type_ == IouType::Box) return true;
  const std::uint64_t most = std::min({maskArea_, groundTruth.maskArea_, sharedBoxPx(groundTruth)});
  const std::uint64_t whole = isCrowd ? maskArea_ : maskArea_ + groundTruth.maskArea_ - most;
  // As iouWith divides, so that both round the same way.
  return most > 0 && static_cast<double>(most) / static_cast<double>(whole) >= least;
}

double Region::iouWith(const Region& groundTruth, bool isCrowd, double least) const {
  if (type_ == IouType::Box) return boxIou(boxXywh_, groundTruth.boxXywh_, isCrowd);
  if (sharedBoxPx(groundTruth) == 0) return 0;
  const std::uint64_t overlap = overlapPx(mask(), groundTruth.mask());
  if (isCrowd) return overlapShare(overlap, maskArea_ + overlap);
  const double iou = overlapShare(overlap, maskArea_ + groundTruth.maskArea_);
  const bool isOfBoundaries = isAllBoundary() && groundTruth.isAllBoundary();
  if (type_ == IouType::Mask || overlap == 0 || isOfBoundaries || iou < least) return iou;
  return std::min(iou, boundaryIouWith(groundTruth));
}

}  // namespace lockstep::coco
