#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/coco/evaluation/params.h"

namespace lockstep::coco {

/// Values at each recall threshold.
using RecallCurve = std::array<double, kRecallThresholds.size()>;

/// A true positive in the list of detections ranked by falling score: the numbers of true positives
/// and of detections that are not ignored, up to and including it. Integers, or sums of integer
/// weights.
struct RankedHit {
  double truePositives, detections;
};
/// In ascending order. Recall changes only at true positives, so precision is needed only there;
/// pycocotools reads the same numbers from its longer lists.
using RankedHits = std::vector<RankedHit>;

/// The minimum number of true positives for each recall threshold with gtCount objects, with
/// pycocotools' rounding. gtCount is an integer > 0.
RecallCurve hitsNeeded(double gtCount);

/// COCO's interpolated precision at each of its 101 recall thresholds: the highest at that recall
/// or above, 0 if the recall is not reached; equal to pycocotools bit for bit.
RecallCurve precisionAtRecalls(std::span<const RankedHit> hits, const RecallCurve& needed);
inline RecallCurve precisionAtRecalls(std::span<const RankedHit> hits, double gtCount) {
  return precisionAtRecalls(hits, hitsNeeded(gtCount));
}

/// precisionAtRecalls() of the first detections of a ranked list, however many: what is found above
/// a score threshold is the beginning of the list. Each takes microseconds.
class PrecisionOfFirst {
 public:
  /// gtCount is an integer > 0.
  explicit PrecisionOfFirst(double gtCount) : needed_(hitsNeeded(gtCount)) {}

  /// The next detection of the list. An ignored one is not counted, but has its place.
  void add(bool isHit, bool isIgnored = false);
  RecallCurve at(std::size_t first) const;

 private:
  /// Hits of the same recall thresholds, in a row.
  struct Stretch {
    std::uint32_t place = 0;                 ///< of the first in the list
    std::uint32_t hits = 0, detections = 0;  ///< as RankedHit, of the first
    double best = 0;                         ///< precision
  };
  double bestOf(const Stretch& stretch, std::size_t end) const;

  RecallCurve needed_;
  std::size_t nextNeeded_ = 0;  ///< in needed_: the first that is not reached yet
  std::uint32_t hits_ = 0, detections_ = 0;
  std::vector<bool> isHit_, isIgnored_;
  std::vector<Stretch> stretches_;
};

/// The mean over 101 recalls and all curves, in numpy's order of summation. -1 without curves.
double meanPrecision(std::span<const RecallCurve> curves);
/// The same over IoU thresholds, with the curves of each. All have equally many.
double meanPrecision(std::span<const std::vector<RecallCurve>> byThreshold);

}  // namespace lockstep::coco
