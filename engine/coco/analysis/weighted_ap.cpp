#include "engine/coco/analysis/weighted_ap.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "engine/base/parallel_for.h"
#include "engine/coco/evaluation/precision_at_recalls.h"

namespace lockstep::coco {

/// Of one call of at().
struct WeightedAp::Workspace {
  std::vector<std::uint32_t> weightBefore;  ///< of the detections before each index
  RankedHits hits;
  std::vector<std::vector<RecallCurve>> curves;  ///< [threshold][class with objects]
};

WeightedAp::RankedClass WeightedAp::rankClass(const std::vector<ClassMatches>& matches,
                                              const std::vector<std::uint32_t>& images,
                                              const Params& params) {
  struct Entry {
    double score;
    Outcome outcome;
    std::uint32_t image;
  };
  RankedClass ranked;
  std::vector<Entry> entries;
  for (std::size_t m = 0; m < matches.size(); ++m) {
    for (std::size_t d = 0; d < matches[m].scores.size(); ++d) {
      entries.push_back(
          {matches[m].scores[d], matches[m].outcomes[d * params.areas.size()], images[m]});
    }
    if (matches[m].gtCount[0] > 0) ranked.gtCounts.push_back({images[m], matches[m].gtCount[0]});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.score > b.score; });
  ranked.thresholds.resize(params.iouThresholds.size());
  for (std::uint32_t index = 0; index < entries.size(); ++index) {
    const auto& [truePositive, falsePositive] = entries[index].outcome;
    ranked.ranked.push_back(entries[index].image);
    for (std::size_t t = 0; t < ranked.thresholds.size(); ++t) {
      const bool isTruePositive = truePositive >> t & 1;
      const bool isFalsePositive = falsePositive >> t & 1;
      if (isTruePositive) ranked.thresholds[t].hits.push_back(index);
      if (!isTruePositive && !isFalsePositive) ranked.thresholds[t].ignored.push_back(index);
    }
  }
  cutAfterLastHit(ranked);
  return ranked;
}

void WeightedAp::cutAfterLastHit(RankedClass& ranked) {
  std::size_t end = 0;
  for (const AtThreshold& at : ranked.thresholds) {
    if (!at.hits.empty()) end = std::max<std::size_t>(end, at.hits.back() + 1);
  }
  ranked.ranked.resize(end);
}

WeightedAp::WeightedAp(std::span<const ImageMatches> images,
                       const std::vector<Category>& categories, const Params& params, int threads)
    : imageCount_(images.size()),
      thresholdCount_(params.iouThresholds.size()),
      classes_(categories.size()) {
  const auto at50 = std::ranges::find(params.iouThresholds, .5);
  if (at50 != params.iouThresholds.end())
    at50_ = static_cast<std::size_t>(at50 - params.iouThresholds.begin());
  std::unordered_map<CategoryId, std::size_t> rowOf;
  for (std::size_t k = 0; k < categories.size(); ++k) rowOf.emplace(categories[k].id, k);
  std::vector<std::vector<ClassMatches>> matches(categories.size());
  std::vector<std::vector<std::uint32_t>> imagesOf(categories.size());
  for (std::uint32_t i = 0; i < images.size(); ++i) {
    for (std::size_t c = 0; c < images[i].size(); ++c) {
      const ClassMatches ofClass = images[i][c];
      const std::size_t row = rowOf.at(ofClass.category);
      matches[row].push_back(ofClass);
      imagesOf[row].push_back(i);
    }
  }
  base::parallelFor(classes_.size(), threads, [&](std::size_t k) {
    classes_[k] = rankClass(matches[k], imagesOf[k], params);
  });
}

void WeightedAp::addCurves(const RankedClass& ranked, std::span<const std::uint32_t> weights,
                           double gtCount, Workspace& workspace) {
  std::vector<std::uint32_t>& before = workspace.weightBefore;
  before.resize(ranked.ranked.size() + 1);
  before[0] = 0;
  for (std::size_t i = 0; i < ranked.ranked.size(); ++i) {
    before[i + 1] = before[i] + weights[ranked.ranked[i]];
  }
  const RecallCurve needed = hitsNeeded(gtCount);
  for (std::size_t t = 0; t < ranked.thresholds.size(); ++t) {
    const AtThreshold& at = ranked.thresholds[t];
    RankedHits& hits = workspace.hits;
    hits.clear();
    std::uint32_t found = 0, ignoredWeight = 0;
    auto ignored = at.ignored.begin();
    for (const std::uint32_t index : at.hits) {
      const std::uint32_t weight = before[index + 1] - before[index];
      if (weight == 0) continue;
      for (; ignored != at.ignored.end() && *ignored < index; ++ignored) {
        ignoredWeight += before[*ignored + 1] - before[*ignored];
      }
      found += weight;
      hits.push_back(
          {static_cast<double>(found), static_cast<double>(before[index + 1] - ignoredWeight)});
    }
    workspace.curves[t].push_back(precisionAtRecalls(hits, needed));
  }
}

ApFigures WeightedAp::at(std::span<const std::uint32_t> weights) const {
  Workspace workspace;
  workspace.curves.resize(thresholdCount_);
  for (const RankedClass& ranked : classes_) {
    double gtCount = 0;
    for (const auto& [image, count] : ranked.gtCounts) {
      gtCount += static_cast<double>(count) * weights[image];
    }
    if (gtCount > 0) addCurves(ranked, weights, gtCount, workspace);
  }
  return {meanPrecision(workspace.curves), at50_ ? meanPrecision(workspace.curves[*at50_]) : -1};
}

}  // namespace lockstep::coco
