#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/coco/evaluation/image_matches.h"

namespace lockstep::coco {

struct ApFigures {
  double ap = -1, ap50 = -1;  ///< -1: no objects, or no such threshold
};

/// AP of weighted images: an image of weight w counts as w copies, with the copies of a detection
/// adjacent in the ranked list. The list is built once, so that each set of weights takes
/// milliseconds on 5,000 images.
class WeightedAp {
 public:
  /// `images`: the result of matchDetections for each image, in the order of image ids, as for
  /// accumulate().
  WeightedAp(std::span<const ImageMatches> images, const std::vector<Category>& categories,
             const Params& params = {}, int threads = 0);

  std::size_t imageCount() const { return imageCount_; }
  /// One weight per image. With all weights 1 the result equals the AP and AP50 of accumulate() bit
  /// for bit. Any thread.
  ApFigures at(std::span<const std::uint32_t> weights) const;

 private:
  struct GtCount {
    std::uint32_t image, count;
  };
  /// At one IoU threshold: indices in `ranked`.
  struct AtThreshold {
    std::vector<std::uint32_t> hits, ignored;
  };
  struct RankedClass {
    /// The image of each detection, by falling score; ends with the last true positive, because
    /// later detections do not change the precision at any recall.
    std::vector<std::uint32_t> ranked;
    std::vector<AtThreshold> thresholds;
    std::vector<GtCount> gtCounts;
  };
  struct Workspace;
  static void cutAfterLastHit(RankedClass& ranked);

  static RankedClass rankClass(const std::vector<ClassMatches>& matches,
                               const std::vector<std::uint32_t>& images, const Params& params);
  static void addCurves(const RankedClass& ranked, std::span<const std::uint32_t> weights,
                        double gtCount, Workspace& workspace);

  std::size_t imageCount_, thresholdCount_;
  std::optional<std::size_t> at50_;  ///< index of the IoU threshold 0.5
  std::vector<RankedClass> classes_;
};

}  // namespace lockstep::coco
