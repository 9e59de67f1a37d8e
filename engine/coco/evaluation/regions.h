#pragma once

#include <cstdint>
#include <optional>

#include "engine/coco/evaluation/average_precision.h"
#include "engine/coco/masks/runs.h"

/// The operands of IoU: boxes, or masks with their box, area and boundary precomputed. Used only in
/// this folder.
namespace lockstep::coco {

/// The area that determines a detection's size, px: of its mask if the file has no boxes, else of
/// its box, as in pycocotools.
inline double sizeAreaPx(const Detection& detection) {
  return detection.areaPx >= 0 ? detection.areaPx : detection.boxXywh[2] * detection.boxXywh[3];
}

/// Whether detections on it are ignored: a crowd, or for masks an object without one.
inline bool isIgnoredRegion(const Annotation& annotation, IouType type) {
  return annotation.isCrowd || (type != IouType::Box && !annotation.hasMask);
}

class Region {
 public:
  /// A detection without a mask counts as its box's mask, as in pycocotools. The detection must
  /// outlive the region. Throws Error if the mask does not have the image's size.
  Region(const Detection& detection, const Image& image, IouType type);
  /// The annotation must outlive the region.
  Region(const Annotation& annotation, const Image& image, IouType type);

  /// With a crowd as `groundTruth`: intersection over the area of this region. With
  /// IouType::Boundary, boundaries are computed on first use, which is not thread-safe. A result
  /// below `least` may be too high, but is below `least`: boundary IoU is not computed if the mask
  /// IoU already is.
  double iouWith(const Region& groundTruth, bool isCrowd, double least = 0) const;
  /// False only if iouWith is below `least`, without reading the masks' runs.
  bool canReach(const Region& groundTruth, bool isCrowd, double least) const;

 private:
  const Rle& mask() const { return borrowed_ != nullptr ? *borrowed_ : owned_; }
  void measureMask();
  std::uint64_t sharedBoxPx(const Region& other) const;
  double boundaryIouWith(const Region& groundTruth) const;
  bool isAllBoundary() const;
  void findBoundary() const;
  /// After findBoundary.
  const Rle& boundary() const { return boundary_ ? *boundary_ : mask(); }
  std::uint64_t boundaryArea() const { return boundary_ ? boundaryArea_ : maskArea_; }

  IouType type_;
  std::array<double, 4> boxXywh_;
  const Rle* borrowed_ = nullptr;
  Rle owned_;
  PixelBox pixels_;
  std::uint64_t maskArea_ = 0;
  int boundaryDepthPx_ = 0;
  mutable std::optional<Rle> boundary_;  ///< not set if all of the mask is boundary
  mutable std::uint64_t boundaryArea_ = 0;
};

}  // namespace lockstep::coco
