#pragma once

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <vector>

#include "engine/coco/analysis/bootstrap.h"
#include "engine/coco/evaluation/image_matches.h"
#include "engine/coco/evaluation/precision_at_recalls.h"
#include "widgets/instances/checkpoint_overlaps.h"

namespace lockstep::widgets {

/// AP of what the score threshold and the chosen classes leave.
struct ShownAp {
  double ap = -1;                            ///< -1: no objects
  std::optional<coco::Interval> interval{};  ///< nullopt: not computed yet
};

/// AP of what a score threshold and the chosen classes leave of a checkpoint's predictions, over
/// the predicted images: that of coco-eval on such files, to the last bit. For any thread.
class FilteredAp {
 public:
  /// Of the interval; coco-eval takes more, and longer.
  static constexpr int kResamples = 300;

  /// Matches at COCO's IoU thresholds. Blocks.
  explicit FilteredAp(std::shared_ptr<const CheckpointOverlaps> overlaps);

  const std::shared_ptr<const CheckpointOverlaps>& overlaps() const { return overlaps_; }
  /// Takes less than a millisecond with 500,000 detections of 80 classes.
  coco::ApFigures at(double scoreThreshold, const std::set<CategoryId>& hidden) const;
  /// With the interval of a bootstrap over the images. Takes about a second, unless it is stopped:
  /// then it ends soon, with a result that means nothing.
  coco::ApUncertainty withInterval(double scoreThreshold, const std::set<CategoryId>& hidden,
                                   const std::stop_token& stop = {}) const;

 private:
  coco::ImageMatches matchesOf(std::size_t index, double scoreThreshold,
                               const std::set<CategoryId>& hidden) const;

  std::shared_ptr<const CheckpointOverlaps> overlaps_;
  std::vector<coco::Outcome> outcomes_;  ///< of all detections, at Ranked::place
  /// By IoU threshold, as precisionsOf().
  std::vector<std::vector<coco::PrecisionOfFirst>> precisions_;
};

}  // namespace lockstep::widgets
