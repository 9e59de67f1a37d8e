#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/coco/evaluation/past_limit.h"
#include "engine/coco/evaluation/stat_names.h"
#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results.h"

namespace lockstep::coco {

/// Boundary: the smaller of the masks' IoU and their boundaries' (masks/boundary.h); with a crowd
/// the masks' alone. So both boundary-iou-api and faster-coco-eval have it.
enum class IouType { Box, Mask, Boundary };

struct ClassAveragePrecision {
  CategoryId category;
  std::string name;
  double ap = -1, ap50 = -1;  ///< -1: no ground truth
};

struct AveragePrecision {
  std::array<double, kStatNames.size()> stats{};  ///< kStatNames; -1 where nothing can be said
  std::vector<ClassAveragePrecision> classes;
  PastLimit pastLimit;
};

/// COCO's twelve figures, to the last bit those of pycocotools 2.0. imageIds empty: every image of
/// the data set. threads 0: as many as the machine has; the figures do not depend on it. Throws
/// Error for a detection of an image or category the data set does not name, with a mask of another
/// size than its image's, or with a score or box that is not finite. A detection without a
/// mask counts as its box, as in pycocotools; the areas of sizes are the same with every type.
AveragePrecision evaluate(const Dataset& groundTruth, const std::vector<Detection>& detections,
                          IouType type, const std::vector<ImageId>& imageIds = {}, int threads = 0);

/// How one image's detections stand to its ground truth at one score and one IoU threshold (for
/// pictures).
struct ImageMatch {
  /// Index of the matched annotation (a crowd's too, which is neither right nor wrong), -1: false
  /// positive, -2: below the score, or past the hundred best of its class, which alone count.
  std::vector<int> gtOfDetection;
  std::vector<double> iouOfDetection;  ///< with the matched, or the best, annotation of its class
  std::vector<int>
      detectionOfGt;  ///< index of the detection, -1: missed, -2: crowd, does not count
};
/// Greedy by score within a class, as COCO does: InstanceMatcher's answer. Indices are into
/// `detections` and `annotations` as given.
ImageMatch matchImage(const Image& image, const std::vector<Annotation>& annotations,
                      const std::vector<Detection>& detections, IouType type, double scoreThreshold,
                      double iouThreshold);

}  // namespace lockstep::coco
