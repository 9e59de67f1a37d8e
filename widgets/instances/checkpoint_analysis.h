#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "engine/coco/evaluation/instance_matches.h"
#include "engine/coco/evaluation/precision_at_recalls.h"
#include "widgets/instances/checkpoint_overlaps.h"
#include "widgets/instances/instance_match.h"

namespace lockstep::widgets {

/// True and false positives of every predicted image at one checkpoint and IoU threshold, for any
/// score threshold.
struct CheckpointAnalysis {
  std::shared_ptr<const CheckpointOverlaps> overlaps;
  double iouThreshold = 0.5;
  std::vector<coco::MatchVerdict> verdicts;  ///< of all detections, at Ranked::place
  ClassTallies all;
  std::vector<coco::PrecisionOfFirst> precisions;  ///< as precisionsOf()
  QString failure;  ///< the first image that could not be matched, and why

  qint64 step() const { return overlaps->step; }
  /// That were predicted and can be matched.
  std::size_t imageCount() const;
  /// Of one image, without the hidden classes; std::nullopt: it was not predicted, or cannot be
  /// matched.
  std::optional<coco::Counts> countsOf(ImageId image, double scoreThreshold,
                                       const std::set<CategoryId>& hidden) const;
};

/// Of all detections, at Ranked::place. On all processors; blocks.
std::vector<coco::MatchVerdict> verdictsAt(const CheckpointOverlaps& overlaps, double iouThreshold);

/// By CheckpointOverlaps::categories, over their rankings; those without objects are empty.
std::vector<coco::PrecisionOfFirst> precisionsOf(const CheckpointOverlaps& overlaps,
                                                 const std::vector<coco::MatchVerdict>& verdicts);

/// Matches at an IoU threshold, on all processors. Blocks; call it from any thread; does not throw.
std::shared_ptr<const CheckpointAnalysis> analyseCheckpoint(
    std::shared_ptr<const CheckpointOverlaps> overlaps, double iouThreshold);

}  // namespace lockstep::widgets
