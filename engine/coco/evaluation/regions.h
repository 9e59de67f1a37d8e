#pragma once

#include <cstdint>
#include <optional>

#include "engine/coco/evaluation/average_precision.h"
#include "engine/coco/masks/runs.h"

/// What IoU is taken of: boxes, or masks with their box, area and boundary at hand. Used by this
/// folder alone.
namespace lockstep::coco {

/// That a detection's size goes by, px: its mask's where the file gives no boxes, else its box's,
/// as in pycocotools.
inline double sizeAreaPx(const Detection& detection) {
  return detection.areaPx >= 0 ? detection.areaPx : detection.boxXywh[2] * detection.boxXywh[3];
}

class Region {
 public:
  /// A detection without a mask counts as its box's mask, as in pycocotools. The detection must
  /// outlive the region. Throws Error where the mask has another size than the image.
  Region(const Detection& detection, const Image& image, IouType type);
  /// The annotation must outlive the region.
  Region(const Annotation& annotation, const Image& image, IouType type);

  /// With a crowd as `groundTruth`: over the area of this region. With IouType::Boundary both
  /// regions find their boundary when first asked for it, so no two threads may ask at once. Where
  /// the answer is below `least`, it may be too high but is still below: boundaries are not looked
  /// at where the masks' IoU already is.
  double iouWith(const Region& groundTruth, bool isCrowd, double least = 0) const;
  /// Whether iouWith can be 0.5 or more; looks at no runs.
  bool canReachHalf(const Region& groundTruth, bool isCrowd) const;

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
  mutable std::optional<Rle> boundary_;  ///< never where all of the mask is boundary
  mutable std::uint64_t boundaryArea_ = 0;
};

}  // namespace lockstep::coco
