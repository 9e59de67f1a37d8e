#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/coco/evaluation/average_precision.h"

namespace lockstep::coco {

/// A detection without its mask.
struct OverlapDetection {
  double score = 0;
  double areaPx = 0;  ///< that its size goes by, as in pycocotools
  CategoryId category;
  std::uint32_t index = 0;  ///< in the detections that findOverlaps was given
};

/// An annotation without its mask.
struct OverlapAnnotation {
  std::int64_t id = 0;
  double areaPx = 0;
  CategoryId category;
  bool isCrowd = false;
};

/// A detection and an annotation, of any two classes, that share something.
struct Overlap {
  std::uint32_t detection = 0, annotation = 0;  ///< in ImageOverlaps
  double iou = 0;                               ///< above 0; with a crowd over the detection's area
};

/// What matching needs of one image, at any threshold, without masks: 32 bytes a detection or
/// annotation, 16 a pair.
struct ImageOverlaps {
  std::vector<OverlapDetection> detections;    ///< by falling score, equal ones as they were given
  std::vector<OverlapAnnotation> annotations;  ///< as they were given
  std::vector<Overlap> pairs;                  ///< by detection, then by annotation
};

/// Of the detections of a class the 100 with the best scores, as in the evaluation
/// (kMaxDetections). Throws Error for a mask of another size than the image's.
ImageOverlaps findOverlaps(const Image& image, const std::vector<Annotation>& annotations,
                           std::span<const Detection* const> detections, IouType type);

}  // namespace lockstep::coco
