#pragma once

#include <cstddef>
#include <span>

#include "engine/coco/label_maps/segment_overlaps.h"

namespace lockstep::coco {

/// Aggregated Jaccard index, mean over the images that have segments.
struct AggregatedJaccard {
  double mean = -1;  ///< -1: no segments
  std::size_t images = 0;
};

/// Kumar et al., "A Dataset and a Technique for Generalized Nuclear Segmentation for Computational
/// Pathology", IEEE TMI 2017: every object with the detection of its category of highest IoU (the
/// first of equals, one detection for several objects too); the sum of their intersections over
/// the sum of their unions and of the detections that no object has. Detections most of which lies
/// in crowds of their category, and crowds, do not count.
AggregatedJaccard aggregatedJaccard(std::span<const SegmentOverlaps> images);

}  // namespace lockstep::coco
