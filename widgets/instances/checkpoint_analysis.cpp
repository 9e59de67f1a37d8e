#include "widgets/instances/checkpoint_analysis.h"

#include <algorithm>
#include <utility>

#include "engine/base/parallel_for.h"

namespace lockstep::widgets {
namespace {

/// Images that one thread takes at a time.
constexpr std::size_t kChunk = 64;

void matchAll(const CheckpointOverlaps& overlaps, double iouThreshold,
              std::vector<std::vector<coco::MatchVerdict>>& verdicts) {
  const std::size_t count = overlaps.images.size();
  verdicts.resize(count);
  base::parallelFor((count + kChunk - 1) / kChunk, 0, [&](std::size_t chunk) {
    coco::InstanceMatcher matcher;
    const std::size_t end = std::min(count, (chunk + 1) * kChunk);
    for (std::size_t i = chunk * kChunk; i < end; ++i) {
      if (!overlaps.images[i].overlaps) continue;
      const auto& matches = matcher.match(*overlaps.images[i].overlaps, iouThreshold).detections;
      verdicts[i].reserve(matches.size());
      for (const coco::DetectionMatch& match : matches) verdicts[i].push_back(match.verdict);
    }
  });
}

/// In the order of the ranking, which sorts them.
ClassTallies talliesOf(const CheckpointAnalysis& analysis) {
  ClassTallies tallies;
  const CheckpointOverlaps& overlaps = *analysis.overlaps;
  for (const CheckpointOverlaps::OfImage& image : overlaps.images)
    if (image.overlaps)
      for (const coco::OverlapAnnotation& object : image.overlaps->annotations)
        if (!object.isCrowd) ++tallies[object.category].groundTruths;
  CategoryId last{};
  ScoreTally* tally = nullptr;
  for (const CheckpointOverlaps::Ranked& ranked : overlaps.ranking) {
    const CategoryId category =
        overlaps.images[ranked.image].overlaps->detections[ranked.detection].category;
    if (tally == nullptr || category != last) tally = &tallies[category];
    last = category;
    const coco::MatchVerdict verdict = analysis.verdicts[ranked.image][ranked.detection];
    if (verdict == coco::MatchVerdict::TruePositive) tally->truePositives.push_back(ranked.score);
    if (verdict == coco::MatchVerdict::FalsePositive) tally->falsePositives.push_back(ranked.score);
  }
  return tallies;
}

}  // namespace

std::size_t CheckpointAnalysis::imageCount() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      overlaps->images, [](const auto& image) { return image.overlaps != nullptr; }));
}

std::optional<coco::Counts> CheckpointAnalysis::countsOf(ImageId image, double scoreThreshold,
                                                         const std::set<CategoryId>& hidden) const {
  const CheckpointOverlaps::OfImage* const found = overlaps->find(image);
  if (found == nullptr || !found->overlaps) return std::nullopt;
  const auto& own = verdicts[static_cast<std::size_t>(found - overlaps->images.data())];
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
  matchAll(*analysis->overlaps, iouThreshold, analysis->verdicts);
  analysis->all = talliesOf(*analysis);
  for (const CheckpointOverlaps::OfImage& image : analysis->overlaps->images)
    if (analysis->failure.isEmpty()) analysis->failure = image.failure;
  return analysis;
}

}  // namespace lockstep::widgets
