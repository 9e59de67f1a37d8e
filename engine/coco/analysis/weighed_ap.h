#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/coco/evaluation/image_matches.h"

namespace lockstep::coco {

struct ApFigures {
  double ap = -1, ap50 = -1;  ///< -1: no objects
};

/// AP of a weighed set of images: an image of weight w stands for w copies of it, with the copies
/// of a detection side by side in the ranked list. The list is made once, so that another weighing
/// costs milliseconds on 5,000 images.
class WeighedAp {
 public:
  /// `images`: what matchDetections gave of each, in the order of image ids, as for accumulate().
  WeighedAp(std::span<const ImageMatches> images, const std::vector<Category>& categories,
            int threads = 0);

  std::size_t imageCount() const { return imageCount_; }
  /// One weight for each image. With weights of 1 the AP and AP50 of accumulate(), to the last bit.
  /// Any thread.
  ApFigures at(std::span<const std::uint32_t> weights) const;

 private:
  struct GtCount {
    std::uint32_t image, count;
  };
  /// At one IoU threshold, places in `ranked`.
  struct AtThreshold {
    std::vector<std::uint32_t> hits, ignored;
  };
  struct RankedClass {
    /// The image of each detection, by falling score; ends with the last that hits anything, for
    /// what comes after changes no precision at a recall.
    std::vector<std::uint32_t> ranked;
    std::array<AtThreshold, kIouThresholdCount> thresholds;
    std::vector<GtCount> gtCounts;
  };
  struct Workspace;
  static void cutAfterLastHit(RankedClass& ranked);

  static RankedClass rankClass(const std::vector<const ClassMatches*>& matches,
                               const std::vector<std::uint32_t>& images);
  static void addCurves(const RankedClass& ranked, std::span<const std::uint32_t> weights,
                        double gtCount, Workspace& workspace);

  std::size_t imageCount_;
  std::vector<RankedClass> classes_;
};

}  // namespace lockstep::coco
