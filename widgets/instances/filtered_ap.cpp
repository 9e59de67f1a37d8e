#include "widgets/instances/filtered_ap.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/base/parallel_for.h"
#include "widgets/instances/checkpoint_analysis.h"

namespace lockstep::widgets {
namespace {

using coco::MatchVerdict;

constexpr std::size_t kResamples = 300;

/// The rows of CheckpointOverlaps::categories that have objects and are shown, by category.
std::vector<std::size_t> shownRows(const CheckpointOverlaps& overlaps,
                                   const std::set<CategoryId>& hidden) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < overlaps.categories.size(); ++row)
    if (overlaps.categories[row].objects > 0 && !hidden.contains(overlaps.categories[row].id))
      rows.push_back(row);
  std::ranges::sort(rows, {}, [&](std::size_t row) { return overlaps.categories[row].id; });
  return rows;
}

/// The params of an evaluation that has no sizes.
coco::Params paramsOfAll() {
  coco::Params params;
  params.areas.resize(1);
  return params;
}

}  // namespace

std::vector<coco::RecallCurve> recallCurves(const CheckpointOverlaps& overlaps,
                                            const std::vector<MatchVerdict>& verdicts,
                                            double scoreThreshold,
                                            const std::vector<std::size_t>& rows) {
  std::vector<coco::RankedHits> hits(overlaps.categories.size());
  std::vector<double> counted(overlaps.categories.size());
  for (const CheckpointOverlaps::Ranked& ranked : overlaps.ranking) {
    if (ranked.score < scoreThreshold) break;
    const MatchVerdict verdict = verdicts[ranked.place];
    if (verdict == MatchVerdict::Ignored) continue;
    ++counted[ranked.category];
    coco::RankedHits& own = hits[ranked.category];
    if (verdict == MatchVerdict::TruePositive)
      own.push_back({static_cast<double>(own.size() + 1), counted[ranked.category]});
  }
  std::vector<coco::RecallCurve> curves;
  for (const std::size_t row : rows)
    curves.push_back(
        coco::precisionAtRecalls(hits[row], static_cast<double>(overlaps.categories[row].objects)));
  return curves;
}

FilteredAp::FilteredAp(std::shared_ptr<const CheckpointOverlaps> overlaps)
    : overlaps_(std::move(overlaps)) {
  for (const double iou : coco::kIouThresholds) verdicts_.push_back(verdictsAt(*overlaps_, iou));
}

coco::ApFigures FilteredAp::at(double scoreThreshold, const std::set<CategoryId>& hidden) const {
  const std::vector<std::size_t> rows = shownRows(*overlaps_, hidden);
  if (rows.empty()) return {};
  std::vector<std::vector<coco::RecallCurve>> curves(verdicts_.size());
  base::parallelFor(verdicts_.size(), 0, [&](std::size_t t) {
    curves[t] = recallCurves(*overlaps_, verdicts_[t], scoreThreshold, rows);
  });
  return {coco::meanPrecision(curves), coco::meanPrecision(curves.front())};
}

coco::Outcome FilteredAp::outcomeOf(std::uint32_t place) const {
  coco::Outcome outcome;
  for (std::size_t t = 0; t < verdicts_.size(); ++t) {
    const auto bit = static_cast<std::uint16_t>(1U << t);
    if (verdicts_[t][place] == MatchVerdict::TruePositive) outcome.truePositive |= bit;
    if (verdicts_[t][place] == MatchVerdict::FalsePositive) outcome.falsePositive |= bit;
  }
  return outcome;
}

/// Of overlaps_->images[index].
coco::ImageMatches FilteredAp::matchesOf(std::size_t index, double scoreThreshold,
                                         const std::set<CategoryId>& hidden) const {
  coco::ImageMatches matches(1);
  const auto& overlaps = overlaps_->images[index].overlaps;
  if (!overlaps) return matches;
  struct OfClass {
    std::vector<double> scores;
    std::vector<std::uint32_t> places;
    std::uint32_t objects = 0;
  };
  std::map<CategoryId, OfClass> classes;
  for (const coco::OverlapAnnotation& object : overlaps->annotations)
    if (!hidden.contains(object.category)) classes[object.category].objects += !object.isCrowd;
  std::uint32_t place = overlaps_->firstOf[index];
  for (const coco::OverlapDetection& detection : overlaps->detections) {
    const std::uint32_t own = place++;
    if (detection.score < scoreThreshold || hidden.contains(detection.category)) continue;
    classes[detection.category].scores.push_back(detection.score);
    classes[detection.category].places.push_back(own);
  }
  for (const auto& [category, ofClass] : classes) {
    matches.add(category, ofClass.scores, 0);
    matches.gtCount(0) = ofClass.objects;
    for (std::size_t d = 0; d < ofClass.places.size(); ++d)
      matches.outcome(d, 0) = outcomeOf(ofClass.places[d]);
  }
  return matches;
}

coco::ApUncertainty FilteredAp::withInterval(double scoreThreshold,
                                             const std::set<CategoryId>& hidden,
                                             const std::stop_token& stop) const {
  std::vector<coco::Category> categories;
  for (const CheckpointOverlaps::OfCategory& category : overlaps_->categories)
    if (!hidden.contains(category.id)) categories.push_back({category.id, {}});
  std::ranges::sort(categories, {}, &coco::Category::id);
  std::vector<coco::ImageMatches> matches;
  for (std::size_t i = 0; i < overlaps_->images.size(); ++i) {
    if (stop.stop_requested()) return {};
    matches.push_back(matchesOf(i, scoreThreshold, hidden));
  }
  // On one processor, so that the sliders stay quick.
  const coco::WeightedAp results(matches, categories, paramsOfAll(), 1);
  return coco::bootstrap(results, {.resamples = kResamples, .threads = 1, .stop = stop});
}

}  // namespace lockstep::widgets
