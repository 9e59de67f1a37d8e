#pragma once

#include <vector>

#include "engine/coco/evaluation/image_matches.h"

namespace lockstep::coco {

/// The arrays of pycocotools' COCOeval.eval, bit for bit, row-major: T IoU thresholds, R recall
/// thresholds (101), K classes by id, A area ranges, M maxDetections. -1 if a class has no ground
/// truth in an area range.
struct PrecisionArrays {
  std::size_t thresholds = 0, classes = 0, areas = 0, counts = 0;  ///< T, K, A, M
  std::vector<double> precision;                                   ///< [T,R,K,A,M]
  std::vector<double> recall;                                      ///< [T,K,A,M]
  std::vector<double> scores;  ///< [T,R,K,A,M]: of the detection that reaches the recall
};

/// From the matches of all images, in the order of image ids. `threads` 0: as many as the machine
/// has.
PrecisionArrays accumulateArrays(std::span<const ImageMatches> images,
                                 const std::vector<Category>& categories, const Params& params = {},
                                 int threads = 0);

}  // namespace lockstep::coco
