#pragma once

#include <string>
#include <vector>

#include "engine/coco/evaluation/params.h"
#include "engine/coco/evaluation/past_limit.h"
#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results.h"

namespace lockstep::coco {

/// Boundary: the minimum of mask IoU and boundary IoU (masks/boundary.h); with a crowd, mask IoU
/// only, as in boundary-iou-api and faster-coco-eval.
enum class IouType { Box, Mask, Boundary };

struct ClassAveragePrecision {
  CategoryId category;
  std::string name;
  double ap = -1, ap50 = -1;  ///< -1: no ground truth, or no such threshold
};

struct AveragePrecision {
  std::vector<std::string> names;  ///< metricNames()
  std::vector<double> stats;       ///< by names; -1 if undefined
  std::vector<ClassAveragePrecision> classes;
  PastLimit pastLimit;
};

/// COCO's metrics, equal to those of pycocotools 2.0 bit for bit (other than with its own values of
/// maxDets its summary differs from its arrays: then to its arrays), except for an annotation with
/// id 0 (Params::pycocotoolsExact). imageIds empty: every image of
/// the dataset. threads 0: as many as the machine has; results do not depend on it.
/// Throws Error for a detection with an unknown image or category id, with a mask that does not
/// have its image's size, or with a score or box that is not finite. A detection without a mask
/// counts as its box, as in pycocotools; object sizes are the same with every IoU type.
AveragePrecision evaluate(const Dataset& groundTruth, const std::vector<Detection>& detections,
                          IouType type, const std::vector<ImageId>& imageIds = {},
                          const Params& params = {}, int threads = 0);

/// One line if an annotation has id 0, so that AP may differ from pycocotools'
/// (Params::pycocotoolsExact); else "".
std::string idZeroText(const Dataset& groundTruth);

}  // namespace lockstep::coco
