#include "widgets/instances/filtered_ap.h"

#include <algorithm>
#include <map>
#include <utility>

#include "widgets/instances/checkpoint_analysis.h"

namespace lockstep::widgets {
namespace {

using coco::MatchVerdict;

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

FilteredAp::FilteredAp(std::shared_ptr<const CheckpointOverlaps> overlaps)
    : overlaps_(std::move(overlaps)), outcomes_(overlaps_->firstOf.back()) {
  for (std::size_t t = 0; t < coco::kIouThresholds.size(); ++t) {
    const std::vector<MatchVerdict> verdicts = verdictsAt(*overlaps_, coco::kIouThresholds[t]);
    precisions_.push_back(precisionsOf(*overlaps_, verdicts));
    const auto bit = static_cast<std::uint16_t>(1U << t);
    for (std::size_t place = 0; place < verdicts.size(); ++place) {
      if (verdicts[place] == MatchVerdict::TruePositive) outcomes_[place].truePositive |= bit;
      if (verdicts[place] == MatchVerdict::FalsePositive) outcomes_[place].falsePositive |= bit;
    }
  }
}

coco::ApFigures FilteredAp::at(double scoreThreshold, const std::set<CategoryId>& hidden) const {
  const std::vector<std::size_t> rows = shownRows(*overlaps_, hidden);
  if (rows.empty()) return {};
  std::vector<std::vector<coco::RecallCurve>> curves(precisions_.size());
  for (const std::size_t row : rows) {
    const std::size_t count = overlaps_->categories[row].countFrom(scoreThreshold);
    for (std::size_t t = 0; t < curves.size(); ++t)
      curves[t].push_back(precisions_[t][row].at(count));
  }
  return {coco::meanPrecision(curves), coco::meanPrecision(curves.front())};
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
      matches.outcome(d, 0) = outcomes_[ofClass.places[d]];
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
  return coco::bootstrap(results,
                         {.resamples = std::size_t{kResamples}, .threads = 1, .stop = stop});
}

}  // namespace lockstep::widgets
