#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/coco/files/dataset.h"

namespace lockstep::coco {

/// The objects with one kind of issue.
struct ReviewIssue {
  std::size_t count = 0;
  std::vector<std::int64_t> firstIds;  ///< of annotations
};

/// Issues in annotations that are readable but implausible. Each object is counted under the first
/// issue that applies.
struct AnnotationReview {
  std::size_t objects = 0;       ///< without crowds
  ReviewIssue outOfRange;        ///< numbers far out of range, such as 1e30
  ReviewIssue asXyxy;            ///< boxes that fit their masks only when read as [x0, y0, x1, y1]
  ReviewIssue exceedsImage;      ///< boxes that exceed their image by more than rounding
  ReviewIssue mismatchesMask;    ///< boxes that do not fit their masks
  std::size_t exceedingAny = 0;  ///< boxes that exceed their image, whatever their issue
};

/// Whether an annotation's box exceeds its image by more than rounding.
bool exceedsImage(const Annotation& annotation, const Image& image);

/// How far a side of an annotation's box is from that of its mask's bounding box, px: the farthest,
/// of both within the image.
double boxErrorPx(const Annotation& annotation, const std::array<double, 4>& maskXywh,
                  const Image& image);
/// Annotation tools round: deviations up to this are not an issue.
inline constexpr double kRoundingPx = 2;

/// Uses only the bounding boxes of masks, so it takes no longer than reading the file.
AnnotationReview reviewAnnotations(const Dataset& dataset);

}  // namespace lockstep::coco
