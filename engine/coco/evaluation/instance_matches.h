#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/coco/evaluation/object_sizes.h"
#include "engine/coco/evaluation/overlaps.h"

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

  /// The same without a list, for counting: calls visit(detection, match) for the first `shown`
  /// detections that take an annotation, in order. The others are false positives, or Ignored where
  /// they are of another size; so is one whose match is FalsePositive here (id 0). Costs by pairs,
  /// not by detections.
  template <typename Visit>
  void forMatched(const ImageOverlaps& image, double iouThreshold, std::uint32_t shown,
                  ObjectSize size, Visit visit) {
    const double least = leastIou(iouThreshold);
    begin(image, size);
    for (std::size_t p = 0; p < image.pairs.size() && image.pairs[p].detection < shown;) {
      const std::uint32_t detection = image.pairs[p].detection;
      const Overlap* const best = bestOf(image, detection, least, p);
      if (best != nullptr) visit(detection, take(image, *best));
    }
  }

  /// Of the last call, whole when it has returned: the detection that found each annotation.
  const std::vector<std::int32_t>& detectionOfAnnotation() const {
    return matches_.detectionOfAnnotation;
  }

 private:
  void begin(const ImageOverlaps& image, ObjectSize size);
  /// The pair of the detection to match, nullptr: none. Moves `pair` on to the next detection's.
  const Overlap* bestOf(const ImageOverlaps& image, std::uint32_t detection, double least,
                        std::size_t& pair) const;
  DetectionMatch take(const ImageOverlaps& image, const Overlap& best);

  InstanceMatches matches_;
  std::vector<char> isTaken_;  ///< of each annotation
};

}  // namespace lockstep::coco
