#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/coco/evaluation/overlaps.h"
#include "engine/coco/evaluation/params.h"

/// The matches between detections and annotations of an image at any IoU threshold, as in
/// pycocotools: within a class, by falling score, each detection with the unmatched annotation of
/// highest IoU (the last of equals), and with an ignored one (a crowd, or of another size) only if
/// no other is left. A detection is matched before all that score lower, so a score threshold only
/// truncates the list: the matches of detections at or above it do not depend on it, and an
/// annotation whose detection falls below it is missed. To show an image at many scores, match once
/// and truncate.
namespace lockstep::coco {

enum class MatchVerdict : std::uint8_t {
  TruePositive,
  FalsePositive,
  Ignored,  ///< matched with a crowd or an object of another size, or itself of another size
};

struct DetectionMatch {
  MatchVerdict verdict = MatchVerdict::FalsePositive;
  std::int32_t annotation = -1;  ///< the matched one, may be a crowd; -1: none
  double iou = 0;                ///< with the matched annotation, else the highest of its class
};

/// Used instead of a detection's index.
inline constexpr std::int32_t kMissed = -1, kNotCounted = -2;

struct InstanceMatches {
  /// The matches of the first detections of ImageOverlaps, those at or above the score threshold.
  std::vector<DetectionMatch> detections;
  /// The index of the matched detection, kMissed, or kNotCounted (a crowd or of another size).
  std::vector<std::int32_t> detectionOfAnnotation;
};

/// Reuses its working memory between images; use one per thread.
class InstanceMatcher {
 public:
  /// At an IoU threshold <= 0 any overlap > 0 matches. `area`: objects and detections of other
  /// sizes are ignored, as in the evaluation by size. An annotation whose match is lost
  /// (OverlapAnnotation) occupies its detection, but counts as missed and the detection as a false
  /// positive. The result is valid until the next call.
  const InstanceMatches& match(const ImageOverlaps& image, double iouThreshold,
                               double scoreThreshold = -std::numeric_limits<double>::infinity(),
                               const AreaLimits& area = {});

  /// The number of detections with a score >= the threshold; they come first.
  static std::uint32_t countShown(const ImageOverlaps& image, double scoreThreshold);

  /// For counting without a list of matches: selects the candidate pairs of the first `shown`
  /// detections for forMatched, once for all sizes.
  void begin(const ImageOverlaps& image, double iouThreshold, std::uint32_t shown);
  /// For the image given to begin(), which must still exist: calls visit(detection, match) for each
  /// detection that gets an annotation, in order. The others are false positives, or Ignored if
  /// they are of another size; a match may also be FalsePositive (lost).
  template <typename Visit>
  void forMatched(const AreaLimits& area, Visit visit) {
    freeAnnotations(area);
    const Overlap* const last = candidates_.data() + candidates_.size();
    for (const Overlap* first = candidates_.data(); first != last;) {
      const Overlap* end = first;
      while (end != last && end->detection == first->detection) ++end;
      const Overlap* const best = bestOf({first, end});
      if (best != nullptr) visit(best->detection, take(*best));
      first = end;
    }
  }

  /// The detection matched with each annotation, after match() or forMatched() has returned.
  const std::vector<std::int32_t>& detectionOfAnnotation() const {
    return matches_.detectionOfAnnotation;
  }

 private:
  void freeAnnotations(const AreaLimits& area);
  /// The best of the candidates of one detection; nullptr: all are already matched.
  const Overlap* bestOf(std::span<const Overlap> candidates) const;
  DetectionMatch take(const Overlap& best);

  const ImageOverlaps* image_ = nullptr;
  std::vector<Overlap>
      candidates_;  ///< pairs of one class with IoU >= the threshold, in the order of the image
  InstanceMatches matches_;
  std::vector<char> isTaken_;  ///< by annotation
};

}  // namespace lockstep::coco
