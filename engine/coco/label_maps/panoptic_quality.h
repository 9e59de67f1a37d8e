#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/coco/label_maps/segment_overlaps.h"

namespace lockstep::coco {

/// Panoptic quality, and its factors segmentation and recognition quality; -1: no segments.
struct PanopticQuality {
  double pq = -1, sq = -1, rq = -1;
};

struct ClassPanopticQuality : PanopticQuality {
  CategoryId category;
  std::uint64_t truePositives = 0, falsePositives = 0, falseNegatives = 0;
};

struct PanopticQualities {
  PanopticQuality mean;  ///< over the classes that have segments
  std::vector<ClassPanopticQuality> classes;
};

/// Kirillov et al., "Panoptic Segmentation", CVPR 2019, by the rule of panopticapi: an object and a
/// detection of one category match if their IoU is over 0.5; a detection without a match does not
/// count if most of it lies in crowds of its category. There is no void: pixels without an object
/// are background, in which a detection is wrong.
PanopticQualities panopticQuality(std::span<const SegmentOverlaps> images,
                                  const std::vector<Category>& categories);

}  // namespace lockstep::coco
