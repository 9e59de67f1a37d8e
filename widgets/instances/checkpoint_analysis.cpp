#include "widgets/instances/checkpoint_analysis.h"

#include <algorithm>
#include <utility>

#include "engine/base/parallel_for.h"

namespace lockstep::widgets {
namespace {

/// Images that one thread takes at a time.
constexpr std::size_t kJudgedChunk = 64;

/// In the order of the rankings, which sorts them.
ClassTallies talliesOf(const CheckpointAnalysis& analysis) {
  const auto& categories = analysis.overlaps->categories;
  std::vector<ScoreTally> rows(categories.size());
  base::parallelFor(rows.size(), 0, [&](std::size_t row) {
    rows[row].groundTruths = categories[row].objects;
    for (const CheckpointOverlaps::Ranked& ranked : categories[row].ranking) {
      const coco::MatchVerdict verdict = analysis.verdicts[ranked.place];
      if (verdict == coco::MatchVerdict::TruePositive)
        rows[row].truePositives.push_back(ranked.score);
      if (verdict == coco::MatchVerdict::FalsePositive)
        rows[row].falsePositives.push_back(ranked.score);
    }
  });
  ClassTallies tallies;
  for (std::size_t row = 0; row < rows.size(); ++row)
    tallies[categories[row].id] = std::move(rows[row]);
  return tallies;
}

}  // namespace

std::vector<coco::MatchVerdict> verdictsAt(const CheckpointOverlaps& overlaps,
                                           double iouThreshold) {
  std::vector<coco::MatchVerdict> verdicts(overlaps.firstOf.back(),
                                           coco::MatchVerdict::FalsePositive);
  if (!overlaps.rules.hasTruth) {
    std::ranges::fill(verdicts, coco::MatchVerdict::Ignored);
    return verdicts;
  }
  const auto judge = [&](std::size_t begin, std::size_t end) {
    coco::InstanceMatcher matcher;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t first = overlaps.firstOf[i], shown = overlaps.firstOf[i + 1] - first;
      if (shown == 0) continue;
      matcher.begin(*overlaps.images[i].overlaps, iouThreshold, shown);
      matcher.forMatched({}, [&](std::uint32_t d, const coco::DetectionMatch& match) {
        verdicts[first + d] = match.verdict;
      });
    }
  };
  base::parallelForChunks(overlaps.images.size(), kJudgedChunk, 0, judge);
  return verdicts;
}

std::vector<coco::PrecisionOfFirst> precisionsOf(const CheckpointOverlaps& overlaps,
                                                 const std::vector<coco::MatchVerdict>& verdicts) {
  std::vector<coco::PrecisionOfFirst> precisions;
  for (const CheckpointOverlaps::OfCategory& category : overlaps.categories)
    precisions.emplace_back(static_cast<double>(std::max<std::size_t>(category.objects, 1)));
  base::parallelFor(precisions.size(), 0, [&](std::size_t row) {
    if (overlaps.categories[row].objects == 0) return;
    for (const CheckpointOverlaps::Ranked& ranked : overlaps.categories[row].ranking) {
      const coco::MatchVerdict verdict = verdicts[ranked.place];
      precisions[row].add(verdict == coco::MatchVerdict::TruePositive,
                          verdict == coco::MatchVerdict::Ignored);
    }
  });
  return precisions;
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
  const auto isShown = [&](const auto& one) { return !hidden.contains(one.category); };
  coco::Counts counts;
  counts.falseNegatives = found->objects;
  if (!hidden.empty())  // else neither objects nor detections are looked at: there are many
    counts.falseNegatives = static_cast<std::size_t>(std::ranges::count_if(
        found->overlaps->annotations,
        [&](const auto& object) { return !object.isCrowd && isShown(object); }));
  const std::uint32_t shown = coco::InstanceMatcher::countShown(*found->overlaps, scoreThreshold);
  for (std::uint32_t d = 0; d < shown; ++d) {
    if (!hidden.empty() && !isShown(found->overlaps->detections[d])) continue;
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
  analysis->precisions = precisionsOf(*analysis->overlaps, analysis->verdicts);
  for (const CheckpointOverlaps::OfImage& image : analysis->overlaps->images)
    if (analysis->failure.isEmpty()) analysis->failure = image.failure;
  return analysis;
}

}  // namespace lockstep::widgets
