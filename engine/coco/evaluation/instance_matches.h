#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/coco/evaluation/overlaps.h"
#include "engine/coco/evaluation/params.h"

/// Which detection of an image goes with which annotation, at any IoU threshold, as pycocotools
/// matches them: within a class, by falling score, each with the free annotation of highest IoU
/// (the last of equals), with one that does not count (a crowd, or of another size) only where no
/// other is left. A detection is matched before all that score lower, so a score threshold only
/// cuts the list: the matches of the detections at or above it are the same at every threshold, and
/// an annotation whose detection falls below it is missed. What shows one image at many scores
/// matches once and cuts.
namespace lockstep::coco {

enum class MatchVerdict : std::uint8_t {
  TruePositive,
  FalsePositive,
  Ignored,  ///< neither: on a crowd, on an object of another size, or itself of another size
};

struct DetectionMatch {
  MatchVerdict verdict = MatchVerdict::FalsePositive;
  std::int32_t annotation = -1;  ///< the matched one, a crowd too; -1: none
  double iou = 0;                ///< with the matched, else the best with any of its class
};

/// Instead of a detection's index.
inline constexpr std::int32_t kMissed = -1, kNotCounted = -2;

struct InstanceMatches {
  /// Those of ImageOverlaps at or above the score threshold, which come first there.
  std::vector<DetectionMatch> detections;
  /// The detection that found it, kMissed, or kNotCounted: a crowd or of another size.
  std::vector<std::int32_t> detectionOfAnnotation;
};

/// pycocotools takes no threshold above 1 - 1e-10.
constexpr double leastIou(double iouThreshold) {
  return iouThreshold < 1 - 1e-10 ? iouThreshold : 1 - 1e-10;
}

/// Keeps its working memory from image to image; one for each thread.
class InstanceMatcher {
 public:
  /// At an IoU threshold of 0 or less any overlap is enough, but none at all is not. With a size
  /// as the evaluation does it for that size: the others do not count. An annotation with id 0 is
  /// taken by a detection but never found, and the detection is a false positive: what pycocotools
  /// makes of it. The answer holds until the next call.
  const InstanceMatches& match(const ImageOverlaps& image, double iouThreshold,
                               double scoreThreshold = -std::numeric_limits<double>::infinity(),
                               ObjectSize size = ObjectSize::All);

  /// How many detections score as much as the threshold or more: the first ones.
  static std::uint32_t countShown(const ImageOverlaps& image, double scoreThreshold);

  /// For counting, without a list: chooses the pairs of the first `shown` detections that
  /// forMatched may match, once for all sizes.
  void begin(const ImageOverlaps& image, double iouThreshold, std::uint32_t shown);
  /// Of the image of begin(), which must still be there: calls visit(detection, match) for the
  /// detections that take an annotation, in order. The others are false positives, or Ignored where
  /// they are of another size; so is one whose match is FalsePositive here (id 0).
  template <typename Visit>
  void forMatched(ObjectSize size, Visit visit) {
    freeAnnotations(size);
    const Overlap* const last = candidates_.data() + candidates_.size();
    for (const Overlap* first = candidates_.data(); first != last;) {
      const Overlap* end = first;
      while (end != last && end->detection == first->detection) ++end;
      const Overlap* const best = bestOf({first, end});
      if (best != nullptr) visit(best->detection, take(*best));
      first = end;
    }
  }

  /// Of the last call, whole when it has returned: the detection that found each annotation.
  const std::vector<std::int32_t>& detectionOfAnnotation() const {
    return matches_.detectionOfAnnotation;
  }

 private:
  void freeAnnotations(ObjectSize size);
  /// Of the candidates of one detection; nullptr: none is free.
  const Overlap* bestOf(std::span<const Overlap> candidates) const;
  DetectionMatch take(const Overlap& best);

  const ImageOverlaps* image_ = nullptr;
  std::vector<Overlap>
      candidates_;  ///< of one class and at or above the threshold, as in the image
  InstanceMatches matches_;
  std::vector<char> isTaken_;  ///< of each annotation
};

}  // namespace lockstep::coco
