// From the matches of all images to the twelve metrics.
#include <algorithm>

#include "engine/base/parallel_for.h"
#include "engine/coco/evaluation/class_curves.h"
#include "engine/coco/evaluation/pairwise_mean.h"

namespace lockstep::coco {
namespace {

/// The AR metrics, in the order AR1 AR10 AR100 ARs ARm ARl.
struct RecallKind {
  AreaRange range;
  std::size_t maxDetections;
};
constexpr std::array<RecallKind, 6> kRecallKinds{
    {{All, 1}, {All, 10}, {All, 100}, {Small, 100}, {Medium, 100}, {Large, 100}}};

/// One class over all images.
struct ClassFigures {
  std::array<std::uint64_t, kAreaRangeCount> gtCount{};
  std::array<std::array<RecallCurve, kIouThresholdCount>, kAreaRangeCount> precision;
  std::array<std::array<double, kIouThresholdCount>, kRecallKinds.size()> recall;
};

void fillRecall(const ClassList& images, std::size_t kind, ClassFigures& figures) {
  const auto [range, maxDetections] = kRecallKinds[kind];
  const auto found = countHits(images, maxDetections, range);
  for (std::size_t t = 0; t < kIouThresholdCount; ++t) {
    figures.recall[kind][t] =
        static_cast<double>(found[t]) / static_cast<double>(figures.gtCount[range]);
  }
}

ClassFigures figuresOf(const ClassList& images) {
  ClassFigures figures;
  figures.gtCount = countAnnotations(images);
  if (figures.gtCount[All] == 0) return figures;
  const std::vector<MatchedDetection> ranked = rankDetections(images, kMaxDetections);
  for (std::size_t a = 0; a < kAreaRangeCount; ++a) {
    if (figures.gtCount[a] == 0) continue;
    const HitsByThreshold hits = hitsOf(ranked, a);
    const RecallCurve needed = hitsNeeded(static_cast<double>(figures.gtCount[a]));
    for (std::size_t t = 0; t < kIouThresholdCount; ++t) {
      figures.precision[a][t] = precisionAtRecalls(hits[t], needed);
    }
  }
  for (std::size_t k = 0; k < kRecallKinds.size(); ++k) {
    if (figures.gtCount[kRecallKinds[k].range] > 0) fillRecall(images, k, figures);
  }
  return figures;
}

PastLimit pastLimitOf(std::span<const ImageMatches> images) {
  PastLimit past;
  for (const ImageMatches& image : images) {
    const PastLimit before = past;
    for (const ClassMatches& matches : image) {
      const std::size_t objects = matches.gtCount[All];
      past.objects += objects - std::min(objects, kMaxDetections);
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

/// Mean precision over thresholds first … last, all recalls and the classes, in numpy's order [T,
/// R, K].
double meanPrecision(std::span<const ClassFigures> classes, AreaRange range, std::size_t first,
                     std::size_t last) {
  std::vector<double> values;
  for (std::size_t t = first; t <= last; ++t) {
    for (std::size_t r = 0; r < kRecallThresholds.size(); ++r) {
      for (const ClassFigures& figures : classes) {
        if (figures.gtCount[range] > 0) values.push_back(figures.precision[range][t][r]);
      }
    }
  }
  return meanOrNone(values);
}

double meanRecall(std::span<const ClassFigures> classes, std::size_t kind) {
  std::vector<double> values;
  for (std::size_t t = 0; t < kIouThresholdCount; ++t) {
    for (const ClassFigures& figures : classes) {
      if (figures.gtCount[kRecallKinds[kind].range] > 0) values.push_back(figures.recall[kind][t]);
    }
  }
  return meanOrNone(values);
}

}  // namespace

AveragePrecision accumulate(std::span<const ImageMatches> images,
                            const std::vector<Category>& categories, int threads) {
  const std::vector<ClassList> lists = matchesByClass(images, categories);
  std::vector<ClassFigures> classes(lists.size());
  base::parallelFor(lists.size(), threads,
                    [&](std::size_t k) { classes[k] = figuresOf(lists[k]); });

  constexpr std::size_t kLast = kIouThresholdCount - 1;
  AveragePrecision result;
  result.stats = {meanPrecision(classes, All, 0, kLast),
                  meanPrecision(classes, All, kThreshold50, kThreshold50),
                  meanPrecision(classes, All, kThreshold75, kThreshold75),
                  meanPrecision(classes, Small, 0, kLast),
                  meanPrecision(classes, Medium, 0, kLast),
                  meanPrecision(classes, Large, 0, kLast)};
  for (std::size_t k = 0; k < kRecallKinds.size(); ++k) {
    result.stats[6 + k] = meanRecall(classes, k);
  }
  for (std::size_t k = 0; k < categories.size(); ++k) {
    const std::span<const ClassFigures> one(&classes[k], 1);
    result.classes.push_back({categories[k].id, categories[k].name,
                              meanPrecision(one, All, 0, kLast),
                              meanPrecision(one, All, kThreshold50, kThreshold50)});
  }
  result.pastLimit = pastLimitOf(images);
  return result;
}

}  // namespace lockstep::coco
