#include "widgets/instances/checkpoint_analysis.h"

#include <algorithm>
#include <utility>

#include "engine/base/parallel_for.h"

namespace lockstep::widgets {
namespace {

/// Images that one thread takes at a time.
constexpr std::size_t kChunk = 64;

/// In the order of the ranking, which sorts them.
ClassTallies talliesOf(const CheckpointAnalysis& analysis) {
  const CheckpointOverlaps& overlaps = *analysis.overlaps;
  std::vector<ScoreTally> rows(overlaps.categories.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    rows[row].groundTruths = overlaps.categories[row].objects;
    rows[row].truePositives.reserve(overlaps.categories[row].detections);
    rows[row].falsePositives.reserve(overlaps.categories[row].detections);
  }
  for (const CheckpointOverlaps::Ranked& ranked : overlaps.ranking) {
    const coco::MatchVerdict verdict = analysis.verdicts[ranked.place];
    ScoreTally& tally = rows[ranked.category];
    if (verdict == coco::MatchVerdict::TruePositive) tally.truePositives.push_back(ranked.score);
    if (verdict == coco::MatchVerdict::FalsePositive) tally.falsePositives.push_back(ranked.score);
  }
  ClassTallies tallies;
  for (std::size_t row = 0; row < rows.size(); ++row)
    tallies[overlaps.categories[row].id] = std::move(rows[row]);
  return tallies;
}

}  // namespace

std::vector<coco::MatchVerdict> verdictsAt(const CheckpointOverlaps& overlaps,
                                           double iouThreshold) {
  std::vector<coco::MatchVerdict> verdicts(overlaps.firstOf.back(),
                                           coco::MatchVerdict::FalsePositive);
  if (!overlaps.hasTruth) {
    std::ranges::fill(verdicts, coco::MatchVerdict::Ignored);
    return verdicts;
  }
  const std::size_t count = overlaps.images.size();
  base::parallelFor((count + kChunk - 1) / kChunk, 0, [&](std::size_t chunk) {
    coco::InstanceMatcher matcher;
    const std::size_t end = std::min(count, (chunk + 1) * kChunk);
    for (std::size_t i = chunk * kChunk; i < end; ++i) {
      const std::uint32_t first = overlaps.firstOf[i], shown = overlaps.firstOf[i + 1] - first;
      if (shown == 0) continue;
      matcher.begin(*overlaps.images[i].overlaps, iouThreshold, shown);
      matcher.forMatched({}, [&](std::uint32_t d, const coco::DetectionMatch& match) {
        verdicts[first + d] = match.verdict;
      });
    }
  });
  return verdicts;
}

std::size_t CheckpointAnalysis::imageCount() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      overlaps->images, [](const auto& image) { return image.overlaps != nullptr; }));
}

std::optional<coco::Counts> CheckpointAnalysis::countsOf(ImageId image, double scoreThreshold,
                                                         const std::set<CategoryId>& hidden) const {
  const CheckpointOverlaps::OfImage* const found = overlaps->find(image);
  if (found == nullptr || !found->overlaps) return std::nullopt;
  const coco::MatchVerdict* const own =
      verdicts.data() +
      overlaps->firstOf[static_cast<std::size_t>(found - overlaps->images.data())];
  const auto isShown = [&](CategoryId category) {
    return hidden.empty() || !hidden.contains(category);
  };
  coco::Counts counts;
  for (const coco::OverlapAnnotation& object : found->overlaps->annotations)
    counts.falseNegatives += !object.isCrowd && isShown(object.category);
  const std::uint32_t shown = coco::InstanceMatcher::countShown(*found->overlaps, scoreThreshold);
  for (std::uint32_t d = 0; d < shown; ++d) {
    if (!isShown(found->overlaps->detections[d].category)) continue;
    counts.truePositives += own[d] == coco::MatchVerdict::TruePositive;
    counts.falsePositives += own[d] == coco::MatchVerdict::FalsePositive;
  }
  counts.falseNegatives -= counts.truePositives;
  return counts;
}

std::shared_ptr<const CheckpointAnalysis> analyseCheckpoint(
    std::shared_ptr<const CheckpointOverlaps> overlaps, double iouThreshold) {
  auto analysis = std::make_shared<CheckpointAnalysis>();
  analysis->overlaps = std::move(overlaps);
  analysis->iouThreshold = iouThreshold;
  analysis->verdicts = verdictsAt(*analysis->overlaps, iouThreshold);
  analysis->all = talliesOf(*analysis);
  for (const CheckpointOverlaps::OfImage& image : analysis->overlaps->images)
    if (analysis->failure.isEmpty()) analysis->failure = image.failure;
  return analysis;
}

}  // namespace lockstep::widgets
