#include "engine/coco/evaluation/image_matches.h"

#include <algorithm>

#include "engine/base/parallel_for.h"
#include "engine/coco/evaluation/regions.h"

namespace lockstep::coco {
namespace {

/// An annotation that a detection can match: the IoU reaches the lowest threshold.
struct Candidate {
  std::size_t gt;
  double iou;
};

/// The annotations and detections of the classes of one image, one class after another in the same
/// memory.
class ClassMatcher {
 public:
  ClassMatcher(const Image& image, IouType type, const Params& params)
      : image_(image), type_(type), params_(params) {
    leastIous_.reserve(params.iouThresholds.size());
    for (const double threshold : params.iouThresholds)
      leastIous_.push_back(cappedIouThreshold(threshold));
  }

  void matchInto(ImageMatches& matches, CategoryId category,
                 std::span<const Annotation* const> annotations,
                 std::span<const Detection* const> detections) {
    annotations_ = annotations;
    detections_.assign(detections.begin(), detections.end());
    const auto isHigher = [](const auto* a, const auto* b) { return a->score > b->score; };
    if (!std::is_sorted(detections_.begin(), detections_.end(), isHigher))
      std::stable_sort(detections_.begin(), detections_.end(), isHigher);
    const std::size_t kept = std::min(detections_.size(), params_.mostDetections());
    const auto leftOut = static_cast<std::uint32_t>(detections_.size() - kept);
    detections_.resize(kept);
    candidates_.clear();
    if (!annotations_.empty()) findCandidates();
    scores_.clear();
    for (const Detection* detection : detections_) scores_.push_back(detection->score);
    matches.add(category, scores_, leftOut);
    for (std::size_t a = 0; a < params_.areas.size(); ++a) matchRange(a, matches);
  }

 private:
  void findCandidates() {
    std::vector<Region> gtRegions;
    gtRegions.reserve(annotations_.size());
    for (const Annotation* annotation : annotations_)
      gtRegions.emplace_back(*annotation, image_, type_);
    candidates_.resize(detections_.size());
    for (std::size_t d = 0; d < detections_.size(); ++d) {
      const Region region(*detections_[d], image_, type_);
      for (std::size_t g = 0; g < annotations_.size(); ++g) {
        const bool isCrowd = isIgnoredRegion(*annotations_[g], type_);
        if (!region.canReach(gtRegions[g], isCrowd, leastIous_.front())) continue;
        const double iou = region.iouWith(gtRegions[g], isCrowd, leastIous_.front());
        if (iou >= leastIous_.front()) candidates_[d].push_back({g, iou});
      }
    }
  }

  void matchRange(std::size_t range, ImageMatches& matches) {
    const AreaRange& area = params_.areas[range];
    isIgnored_.resize(annotations_.size());
    for (std::size_t g = 0; g < annotations_.size(); ++g) {
      isIgnored_[g] =
          isIgnoredRegion(*annotations_[g], type_) || !area.contains(annotations_[g]->area);
      matches.gtCount(range) += !isIgnored_[g];
    }
    takenAt_.assign(annotations_.size(), 0);
    for (std::size_t d = 0; d < detections_.size(); ++d) {
      const bool outside = !area.contains(sizeAreaPx(*detections_[d]));
      Outcome& outcome = matches.outcome(d, range);
      for (std::size_t t = 0; t < leastIous_.size(); ++t) {
        const auto bit = static_cast<std::uint16_t>(1U << t);
        const Candidate* best = d < candidates_.size() ? bestCandidate(d, t) : nullptr;
        if (best != nullptr) takenAt_[best->gt] |= bit;
        const bool isMatched = best != nullptr && !params_.losesMatchOf(annotations_[best->gt]->id);
        if (best != nullptr ? isIgnored_[best->gt] || (!isMatched && outside) : outside) continue;
        (isMatched ? outcome.truePositive : outcome.falsePositive) |= bit;
      }
    }
  }

  /// The unmatched annotation of highest IoU, the last of equals; ignored annotations only if no
  /// other is left.
  const Candidate* bestCandidate(std::size_t detection, std::size_t threshold) const {
    for (const bool ignored : {false, true}) {
      const Candidate* best = nullptr;
      double least = leastIous_[threshold];
      for (const Candidate& candidate : candidates_[detection]) {
        const std::size_t g = candidate.gt;
        if (isIgnored_[g] != ignored || candidate.iou < least) continue;
        if ((takenAt_[g] >> threshold & 1) && !isIgnoredRegion(*annotations_[g], type_)) continue;
        least = candidate.iou;
        best = &candidate;
      }
      if (best != nullptr) return best;
    }
    return nullptr;
  }

  const Image& image_;
  IouType type_;
  const Params& params_;
  std::vector<double> leastIous_;  ///< by threshold
  // Of the present class:
  std::span<const Annotation* const> annotations_;
  std::vector<const Detection*> detections_;
  std::vector<double> scores_;
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
std::span<const Entry* const> takeEntriesOf(std::span<const Entry* const>& entries, CategoryId id) {
  std::size_t count = 0;
  while (count < entries.size() && entries[count]->categoryId == id) ++count;
  const auto taken = entries.first(count);
  entries = entries.subspan(count);
  return taken;
}

}  // namespace

void ImageMatches::add(CategoryId category, std::span<const double> scores, std::uint32_t leftOut) {
  const auto begin = static_cast<std::uint32_t>(scores_.size());
  classes_.push_back(
      {category, begin, begin + static_cast<std::uint32_t>(scores.size()), leftOut, 0});
  scores_.insert(scores_.end(), scores.begin(), scores.end());
  outcomes_.resize(scores_.size() * areas_);
}

void ImageMatches::ignoreUnmatched(std::size_t index) {
  const ClassRow& row = classes_[index];
  for (std::size_t i = row.begin * areas_; i < row.end * areas_; ++i)
    outcomes_[i].falsePositive = 0;
}

void ImageMatches::shrinkToFit() {
  classes_.shrink_to_fit();
  scores_.shrink_to_fit();
  outcomes_.shrink_to_fit();
  gtCounts_.shrink_to_fit();
}

ImageMatches matchDetections(const Image& image, const std::vector<Annotation>& annotations,
                             std::span<const Detection* const> detections, IouType type,
                             const Params& params) {
  std::vector<const Annotation*> sortedGt;
  sortedGt.reserve(annotations.size());
  for (const Annotation& annotation : annotations) sortedGt.push_back(&annotation);
  std::vector<const Detection*> sortedDetections(detections.begin(), detections.end());
  sortByCategory(sortedGt);
  sortByCategory(sortedDetections);
  std::span<const Annotation* const> gtLeft(sortedGt);
  std::span<const Detection* const> detectionsLeft(sortedDetections);
  ImageMatches matches(params.areas.size());
  ClassMatcher matcher(image, type, params);
  while (!gtLeft.empty() || !detectionsLeft.empty()) {
    const CategoryId category =
        detectionsLeft.empty() ? gtLeft.front()->categoryId
        : gtLeft.empty()       ? detectionsLeft.front()->categoryId
                         : std::min(gtLeft.front()->categoryId, detectionsLeft.front()->categoryId);
    const auto classGt = takeEntriesOf(gtLeft, category);
    const auto classDetections = takeEntriesOf(detectionsLeft, category);
    matcher.matchInto(matches, category, classGt, classDetections);
  }
  matches.shrinkToFit();
  return matches;
}

std::vector<ImageMatches> matchResults(const Dataset& groundTruth, const ResultsFile& results,
                                       IouType type, const Params& params, int threads) {
  std::vector<ImageMatches> matches(groundTruth.images().size());
  base::parallelFor(matches.size(), threads, [&](std::size_t i) {
    const std::vector<Detection> detections = results.detectionsOf(i);
    std::vector<const Detection*> pointers;
    pointers.reserve(detections.size());
    for (const Detection& detection : detections) pointers.push_back(&detection);
    matches[i] = matchDetections(groundTruth.images()[i], groundTruth.annotationsOf(i), pointers,
                                 type, params);
  });
  return matches;
}

}  // namespace lockstep::coco
