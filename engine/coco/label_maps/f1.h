#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/coco/label_maps/segment_overlaps.h"

namespace lockstep::coco {

/// At one IoU threshold, over all images. Ratios are -1 without segments.
struct SegmentCounts {
  double iouThreshold = 0;
  std::uint64_t truePositives = 0, falsePositives = 0, falseNegatives = 0;

  double precision() const;
  double recall() const;
  double f1() const;
  /// tp / (tp + fp + fn), which cell biologists call average precision.
  double accuracy() const;
};

struct ClassSegmentCounts {
  CategoryId category;
  std::vector<SegmentCounts> thresholds;
};

struct SegmentCountsByThreshold {
  std::vector<SegmentCounts> all;  ///< sums over the classes, by threshold
  std::vector<ClassSegmentCounts> classes;
};

/// As stardist.matching: as many pairs of one category with an IoU at or above the threshold as
/// possible. A detection without a match does not count if most of it lies in crowds of its
/// category.
SegmentCountsByThreshold segmentCounts(std::span<const SegmentOverlaps> images,
                                       const std::vector<Category>& categories,
                                       std::span<const double> iouThresholds);

}  // namespace lockstep::coco
