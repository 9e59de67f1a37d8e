#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/coco/evaluation/average_precision.h"

namespace lockstep::coco {

/// A detection without its mask.
struct OverlapDetection {
  double score = 0;
  double areaPx = 0;  ///< determines its size, as in pycocotools
  CategoryId category;
  std::uint32_t index = 0;  ///< in the detections given to findOverlaps
};

/// An annotation without its mask.
struct OverlapAnnotation {
  std::int64_t id = 0;
  double areaPx = 0;
  CategoryId category;
  bool isCrowd = false;
  bool isMatchLost = false;  ///< Params::losesMatchOf()
};

/// A detection and an annotation, of any two classes, that overlap.
struct Overlap {
  std::uint32_t detection = 0, annotation = 0;  ///< in ImageOverlaps
  double iou = 0;  ///< > 0; with a crowd: intersection over the detection's area
};

/// What matching needs of one image, at any threshold, without masks: 32 bytes per detection or
/// annotation, 16 per pair.
struct ImageOverlaps {
  std::vector<OverlapDetection> detections;    ///< by falling score, ties in the given order
  std::vector<OverlapAnnotation> annotations;  ///< in the given order
  std::vector<Overlap> pairs;                  ///< by detection, then by annotation
};

/// Only the params.mostDetections() highest-scoring detections of each class are kept, as in the
/// evaluation. Throws Error for a mask that does not have the image's size.
ImageOverlaps findOverlaps(const Image& image, const std::vector<Annotation>& annotations,
                           std::span<const Detection* const> detections, IouType type,
                           const Params& params = {});

}  // namespace lockstep::coco
