#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results_file.h"

namespace lockstep::coco {

/// How far the number of detections of an image is from that of its objects.
struct CountError {
  double mae = -1;   ///< mean absolute error, over all images; -1: no images
  double mape = -1;  ///< mean absolute error as a share of the objects, over images that have any
  double bias = 0;   ///< mean of detections minus objects, over all images
  std::size_t images = 0, imagesWithObjects = 0;
};

struct CountErrors {
  CountError all;                   ///< of all classes together
  std::vector<CountError> classes;  ///< in the order of categories
};

/// Of the detections that reach the score threshold, without a limit; crowds are not counted.
CountErrors countErrors(const Dataset& groundTruth, const ResultsFile& results,
                        double scoreThreshold);

}  // namespace lockstep::coco
