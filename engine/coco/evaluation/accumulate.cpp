// From the matches of all images to the metrics.
#include <algorithm>

#include "engine/base/parallel_for.h"
#include "engine/coco/evaluation/class_curves.h"
#include "engine/coco/evaluation/pairwise_mean.h"

namespace lockstep::coco {
namespace {

constexpr std::size_t kAll = 0;  ///< the area range of all objects

/// An AR metric.
struct RecallKind {
  std::size_t area, maxDetections;
};

/// As metricNames() lists them.
std::vector<RecallKind> recallKinds(const Params& params) {
  std::vector<RecallKind> kinds;
  for (const std::size_t count : params.maxDetections) kinds.push_back({kAll, count});
  for (std::size_t a = 1; a < params.areas.size(); ++a)
    kinds.push_back({a, params.mostDetections()});
  return kinds;
}

/// One class over all images.
struct ClassFigures {
  std::array<std::uint64_t, kMostAreas> gtCount{};
  std::vector<std::vector<RecallCurve>> precision;  ///< [area][threshold]; empty: no objects
  std::vector<std::vector<double>> recall;          ///< [kind][threshold]; empty: no objects
};

ClassFigures figuresOf(const ClassList& images, const Params& params) {
  ClassFigures figures;
  figures.gtCount = countAnnotations(images);
  if (figures.gtCount[kAll] == 0) return figures;
  const std::size_t areas = params.areas.size(), thresholds = params.iouThresholds.size();
  const RankedDetections ranked = rankDetections(images, params.mostDetections(), areas);
  figures.precision.resize(areas);
  for (std::size_t a = 0; a < areas; ++a) {
    if (figures.gtCount[a] == 0) continue;
    const RecallCurve needed = hitsNeeded(static_cast<double>(figures.gtCount[a]));
    for (const RankedHits& hits : hitsOf(ranked.outcomesIn(a), thresholds))
      figures.precision[a].push_back(precisionAtRecalls(hits, needed));
  }
  for (const auto& [area, maxDetections] : recallKinds(params)) {
    std::vector<double>& recall = figures.recall.emplace_back();
    if (figures.gtCount[area] == 0) continue;
    const auto found = countHits(images, maxDetections, area, areas);
    for (std::size_t t = 0; t < thresholds; ++t)
      recall.push_back(static_cast<double>(found[t]) / static_cast<double>(figures.gtCount[area]));
  }
  return figures;
}

PastLimit pastLimitOf(std::span<const ImageMatches> images, std::size_t limit) {
  PastLimit past;
  past.limit = limit;
  for (const ImageMatches& image : images) {
    const PastLimit before = past;
    for (std::size_t c = 0; c < image.size(); ++c) {
      const ClassMatches matches = image[c];
      const std::size_t objects = matches.gtCount[kAll];
      past.objects += objects - std::min(objects, limit);
      past.detections += matches.leftOut;
    }
    past.imagesOfObjects += past.objects > before.objects ? 1 : 0;
    past.imagesOfDetections += past.detections > before.detections ? 1 : 0;
  }
  return past;
}

double meanOrNone(const std::vector<double>& values) {
  return values.empty() ? -1 : pairwiseMean(values);
}

/// Consecutive IoU thresholds.
struct ThresholdRange {
  std::size_t first = 0, count = 0;
};

/// None if it is not among them.
ThresholdRange thresholdAt(double iou, const Params& params) {
  const auto found = std::ranges::find(params.iouThresholds, iou);
  if (found == params.iouThresholds.end()) return {};
  return {static_cast<std::size_t>(found - params.iouThresholds.begin()), 1};
}

/// Mean precision over the thresholds, all recalls and the classes, in numpy's order [T, R, K].
double meanPrecision(std::span<const ClassFigures> classes, std::size_t area,
                     const ThresholdRange& thresholds) {
  std::vector<double> values;
  for (std::size_t t = thresholds.first; t < thresholds.first + thresholds.count; ++t) {
    for (std::size_t r = 0; r < kRecallThresholds.size(); ++r) {
      for (const ClassFigures& figures : classes) {
        if (figures.gtCount[area] > 0) values.push_back(figures.precision[area][t][r]);
      }
    }
  }
  return meanOrNone(values);
}

double meanRecall(std::span<const ClassFigures> classes, std::size_t kind, std::size_t thresholds) {
  std::vector<double> values;
  for (std::size_t t = 0; t < thresholds; ++t) {
    for (const ClassFigures& figures : classes) {
      if (!figures.recall.empty() && !figures.recall[kind].empty())
        values.push_back(figures.recall[kind][t]);
    }
  }
  return meanOrNone(values);
}

}  // namespace

AveragePrecision accumulate(std::span<const ImageMatches> images,
                            const std::vector<Category>& categories, const Params& params,
                            int threads) {
  const std::vector<ClassList> lists = matchesByClass(images, categories);
  std::vector<ClassFigures> classes(lists.size());
  base::parallelFor(lists.size(), threads,
                    [&](std::size_t k) { classes[k] = figuresOf(lists[k], params); });

  const ThresholdRange all{0, params.iouThresholds.size()};
  const ThresholdRange at50 = thresholdAt(.5, params), at75 = thresholdAt(.75, params);
  AveragePrecision result;
  result.names = metricNames(params);
  result.stats = {meanPrecision(classes, kAll, all), meanPrecision(classes, kAll, at50),
                  meanPrecision(classes, kAll, at75)};
  for (std::size_t a = 1; a < params.areas.size(); ++a)
    result.stats.push_back(meanPrecision(classes, a, all));
  for (std::size_t k = 0; k < recallKinds(params).size(); ++k)
    result.stats.push_back(meanRecall(classes, k, all.count));
  for (std::size_t k = 0; k < categories.size(); ++k) {
    const std::span<const ClassFigures> one(&classes[k], 1);
    result.classes.push_back({categories[k].id, categories[k].name, meanPrecision(one, kAll, all),
                              meanPrecision(one, kAll, at50)});
  }
  result.pastLimit = pastLimitOf(images, params.mostDetections());
  return result;
}

}  // namespace lockstep::coco
