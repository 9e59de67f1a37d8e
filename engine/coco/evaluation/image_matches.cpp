#include "engine/coco/evaluation/image_matches.h"

#include <algorithm>

#include "engine/base/parallel_for.h"
#include "engine/coco/evaluation/params.h"
#include "engine/coco/evaluation/regions.h"

namespace lockstep::coco {
namespace {

/// An annotation that a detection can match: the IoU reaches the lowest threshold.
struct Candidate {
  std::size_t gt;
  double iou;
};

/// The annotations and detections of one class of one image.
class ClassMatcher {
 public:
  ClassMatcher(const Image& image, std::span<const Annotation* const> annotations,
               std::span<const Detection* const> detections, IouType type)
      : annotations_(annotations), detections_(detections.begin(), detections.end()) {
    std::stable_sort(detections_.begin(), detections_.end(),
                     [](const auto* a, const auto* b) { return a->score > b->score; });
    leftOut_ = detections_.size() - std::min(detections_.size(), kMaxDetections);
    detections_.resize(detections_.size() - leftOut_);
    if (!annotations_.empty()) findCandidates(image, type);
  }

  ClassMatches match() {
    ClassMatches matches;
    matches.leftOut = static_cast<std::uint32_t>(leftOut_);
    matches.detections.resize(detections_.size());
    for (std::size_t d = 0; d < detections_.size(); ++d) {
      matches.detections[d].score = detections_[d]->score;
    }
    for (std::size_t a = 0; a < kAreaRangeCount; ++a) matchRange(a, matches);
    return matches;
  }

 private:
  void findCandidates(const Image& image, IouType type) {
    std::vector<Region> gtRegions;
    gtRegions.reserve(annotations_.size());
    for (const Annotation* annotation : annotations_)
      gtRegions.emplace_back(*annotation, image, type);
    candidates_.resize(detections_.size());
    for (std::size_t d = 0; d < detections_.size(); ++d) {
      const Region region(*detections_[d], image, type);
      for (std::size_t g = 0; g < annotations_.size(); ++g) {
        const bool isCrowd = annotations_[g]->isCrowd;
        if (!region.canReachHalf(gtRegions[g], isCrowd)) continue;
        const double iou = region.iouWith(gtRegions[g], isCrowd, kIouThresholds.front());
        if (iou >= kIouThresholds.front()) candidates_[d].push_back({g, iou});
      }
    }
  }

  void matchRange(std::size_t range, ClassMatches& matches) {
    isIgnored_.resize(annotations_.size());
    for (std::size_t g = 0; g < annotations_.size(); ++g) {
      isIgnored_[g] =
          annotations_[g]->isCrowd || !isOfSize(annotations_[g]->area, ObjectSize(range));
      matches.gtCount[range] += !isIgnored_[g];
    }
    takenAt_.assign(annotations_.size(), 0);
    for (std::size_t d = 0; d < detections_.size(); ++d) {
      const bool outside = !isOfSize(sizeAreaPx(*detections_[d]), ObjectSize(range));
      for (std::size_t t = 0; t < kIouThresholdCount; ++t) {
        const auto bit = static_cast<std::uint16_t>(1U << t);
        const Candidate* best = d < candidates_.size() ? bestCandidate(d, t) : nullptr;
        if (best != nullptr) takenAt_[best->gt] |= bit;
        const bool isMatched = best != nullptr && annotations_[best->gt]->id != 0;
        if (best != nullptr ? isIgnored_[best->gt] || (!isMatched && outside) : outside) continue;
        MatchedDetection& matched = matches.detections[d];
        (isMatched ? matched.truePositive : matched.falsePositive)[range] |= bit;
      }
    }
  }

  /// The unmatched annotation of highest IoU, the last of equals; ignored annotations only if no
  /// other is left.
  const Candidate* bestCandidate(std::size_t detection, std::size_t threshold) const {
    for (const bool ignored : {false, true}) {
      const Candidate* best = nullptr;
      double least = kIouThresholds[threshold];
      for (const Candidate& candidate : candidates_[detection]) {
        const std::size_t g = candidate.gt;
        if (isIgnored_[g] != ignored || candidate.iou < least) continue;
        if ((takenAt_[g] >> threshold & 1) && !annotations_[g]->isCrowd) continue;
        least = candidate.iou;
        best = &candidate;
      }
      if (best != nullptr) return best;
    }
    return nullptr;
  }

  std::span<const Annotation* const> annotations_;
  std::vector<const Detection*> detections_;
  std::size_t leftOut_ = 0;  ///< detections over kMaxDetections
  std::vector<std::vector<Candidate>>
      candidates_;                      ///< of each detection, in the annotations' order
  std::vector<char> isIgnored_;         ///< by annotation, in the current area range
  std::vector<std::uint16_t> takenAt_;  ///< bit t: matched at threshold t
};

template <typename Entry>
void sortByCategory(std::vector<const Entry*>& entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto* a, const auto* b) { return a->categoryId < b->categoryId; });
}

/// Removes the leading entries of one category from the list.
template <typename Entry>
std::span<const Entry* const> takeCategory(std::span<const Entry* const>& entries, CategoryId id) {
  std::size_t count = 0;
  while (count < entries.size() && entries[count]->categoryId == id) ++count;
  const auto taken = entries.first(count);
  entries = entries.subspan(count);
  return taken;
}

}  // namespace

ImageMatches matchDetections(const Image& image, const std::vector<Annotation>& annotations,
                             std::span<const Detection* const> detections, IouType type) {
  std::vector<const Annotation*> sortedGt;
  sortedGt.reserve(annotations.size());
  for (const Annotation& annotation : annotations) sortedGt.push_back(&annotation);
  std::vector<const Detection*> sortedDetections(detections.begin(), detections.end());
  sortByCategory(sortedGt);
  sortByCategory(sortedDetections);
  std::span<const Annotation* const> gtLeft(sortedGt);
  std::span<const Detection* const> detectionsLeft(sortedDetections);
  ImageMatches matches;
  while (!gtLeft.empty() || !detectionsLeft.empty()) {
    const CategoryId category =
        detectionsLeft.empty() ? gtLeft.front()->categoryId
        : gtLeft.empty()       ? detectionsLeft.front()->categoryId
                         : std::min(gtLeft.front()->categoryId, detectionsLeft.front()->categoryId);
    const auto classGt = takeCategory(gtLeft, category);
    const auto classDetections = takeCategory(detectionsLeft, category);
    matches.push_back(ClassMatcher(image, classGt, classDetections, type).match());
    matches.back().category = category;
  }
  return matches;
}

std::vector<ImageMatches> matchResults(const Dataset& groundTruth, const ResultsFile& results,
                                       IouType type, int threads) {
  std::vector<ImageMatches> matches(groundTruth.images().size());
  base::parallelFor(matches.size(), threads, [&](std::size_t i) {
    const std::vector<Detection> detections = results.detectionsOf(i);
    std::vector<const Detection*> pointers;
    pointers.reserve(detections.size());
    for (const Detection& detection : detections) pointers.push_back(&detection);
    matches[i] =
        matchDetections(groundTruth.images()[i], groundTruth.annotationsOf(i), pointers, type);
  });
  return matches;
}

}  // namespace lockstep::coco
