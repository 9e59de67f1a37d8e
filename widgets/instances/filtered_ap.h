#pragma once

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <vector>

#include "engine/coco/analysis/bootstrap.h"
#include "engine/coco/evaluation/image_matches.h"
#include "engine/coco/evaluation/instance_matches.h"
#include "engine/coco/evaluation/precision_at_recalls.h"
#include "widgets/instances/checkpoint_overlaps.h"

namespace lockstep::widgets {

/// AP of what the score threshold and the chosen classes leave.
struct ShownAp {
  double ap = -1;                            ///< -1: no objects
  std::optional<coco::Interval> interval{};  ///< nullopt: not computed yet
};

/// Precision over recall of categories with objects, `rows` of CheckpointOverlaps::categories, of
/// the detections from a score on. `verdicts`: as verdictsAt().
std::vector<coco::RecallCurve> recallCurves(const CheckpointOverlaps& overlaps,
                                            const std::vector<coco::MatchVerdict>& verdicts,
                                            double scoreThreshold,
                                            const std::vector<std::size_t>& rows);

/// AP of what a score threshold and the chosen classes leave of a checkpoint's predictions, over
/// the predicted images: that of coco-eval on such files, to the last bit. For any thread.
class FilteredAp {
 public:
  /// Matches at COCO's IoU thresholds. Blocks.
  explicit FilteredAp(std::shared_ptr<const CheckpointOverlaps> overlaps);

  const std::shared_ptr<const CheckpointOverlaps>& overlaps() const { return overlaps_; }
  /// Milliseconds with 500,000 detections.
  coco::ApFigures at(double scoreThreshold, const std::set<CategoryId>& hidden) const;
  /// With the interval of a bootstrap over the images. Takes about a second, unless it is stopped:
  /// then it ends soon, with a result that means nothing.
  coco::ApUncertainty withInterval(double scoreThreshold, const std::set<CategoryId>& hidden,
                                   const std::stop_token& stop = {}) const;

 private:
  /// Of a detection at Ranked::place, at all thresholds.
  coco::Outcome outcomeOf(std::uint32_t place) const;
  coco::ImageMatches matchesOf(std::size_t index, double scoreThreshold,
                               const std::set<CategoryId>& hidden) const;

  std::shared_ptr<const CheckpointOverlaps> overlaps_;
  std::vector<std::vector<coco::MatchVerdict>> verdicts_;  ///< by IoU threshold, as verdictsAt()
};

}  // namespace lockstep::widgets
