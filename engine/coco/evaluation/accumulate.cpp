// From the matches of all images to the twelve figures. Only true positives change a recall, so
// precision is kept at those alone; what pycocotools reads off its longer lists is the same number.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "engine/base/parallel_for.h"
#include "engine/coco/evaluation/image_matches.h"
#include "engine/coco/evaluation/iou_thresholds.h"
#include "engine/coco/evaluation/pairwise_mean.h"

namespace lockstep::coco {
namespace {

constexpr double kSpacing = 0x1.0p-52;  // numpy's spacing(1)
constexpr std::size_t kRecalls = kRecallThresholds.size();

enum AreaRange : std::size_t { All, Small, Medium, Large };

/// The recalls that are asked for, in the order AR1 AR10 AR100 ARs ARm ARl.
struct RecallKind {
  AreaRange range;
  std::size_t maxDetections;
};
constexpr std::array<RecallKind, 6> kRecallKinds{
    {{All, 1}, {All, 10}, {All, 100}, {Small, 100}, {Medium, 100}, {Large, 100}}};

using PrecisionCurve = std::array<double, kRecalls>;

/// One class over all images.
struct ClassFigures {
  std::array<std::uint64_t, kAreaRangeCount> gtCount{};
  std::array<std::array<PrecisionCurve, kIouThresholdCount>, kAreaRangeCount> precision;
  std::array<std::array<double, kIouThresholdCount>, kRecallKinds.size()> recall;
};

using ClassList = std::vector<const ClassMatches*>;

/// Every detection of the class by falling score; equal scores stay in the order of images.
std::vector<const MatchedDetection*> rankDetections(const ClassList& images) {
  std::vector<const MatchedDetection*> ranked;
  for (const ClassMatches* image : images) {
    for (const MatchedDetection& detection : image->detections) ranked.push_back(&detection);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto* a, const auto* b) { return a->score > b->score; });
  return ranked;
}

/// Precision at each recall threshold: the best at that recall or any higher one.
PrecisionCurve precisionCurve(const std::vector<const MatchedDetection*>& ranked, std::size_t range,
                              std::size_t threshold, std::uint64_t gtCount) {
  std::vector<double> precision;  // after each true positive
  double truePositives = 0, falsePositives = 0;
  for (const MatchedDetection* detection : ranked) {
    falsePositives += detection->falsePositive[range] >> threshold & 1;
    if ((detection->truePositive[range] >> threshold & 1) == 0) continue;
    ++truePositives;
    precision.push_back(truePositives / (falsePositives + truePositives + kSpacing));
  }
  for (std::size_t i = precision.size(); i-- > 1;) {
    precision[i - 1] = std::max(precision[i - 1], precision[i]);
  }
  PrecisionCurve curve{};
  std::size_t reached = 0;
  for (std::size_t r = 0; r < kRecalls; ++r) {
    while (reached < precision.size() &&
           static_cast<double>(reached + 1) / static_cast<double>(gtCount) < kRecallThresholds[r]) {
      ++reached;
    }
    if (reached == precision.size()) break;
    curve[r] = precision[reached];
  }
  return curve;
}

double recallOf(const ClassList& images, const RecallKind& kind, std::size_t threshold,
                std::uint64_t gtCount) {
  std::uint64_t truePositives = 0;
  for (const ClassMatches* image : images) {
    const std::size_t count = std::min(image->detections.size(), kind.maxDetections);
    for (std::size_t d = 0; d < count; ++d) {
      truePositives += image->detections[d].truePositive[kind.range] >> threshold & 1;
    }
  }
  return static_cast<double>(truePositives) / static_cast<double>(gtCount);
}

ClassFigures figuresOf(const ClassList& images) {
  ClassFigures figures;
  for (const ClassMatches* image : images) {
    for (std::size_t a = 0; a < kAreaRangeCount; ++a) figures.gtCount[a] += image->gtCount[a];
  }
  if (figures.gtCount[All] == 0) return figures;
  const auto ranked = rankDetections(images);
  for (std::size_t t = 0; t < kIouThresholdCount; ++t) {
    for (std::size_t a = 0; a < kAreaRangeCount; ++a) {
      if (figures.gtCount[a] == 0) continue;
      figures.precision[a][t] = precisionCurve(ranked, a, t, figures.gtCount[a]);
    }
    for (std::size_t k = 0; k < kRecallKinds.size(); ++k) {
      const std::uint64_t gtCount = figures.gtCount[kRecallKinds[k].range];
      if (gtCount == 0) continue;
      figures.recall[k][t] = recallOf(images, kRecallKinds[k], t, gtCount);
    }
  }
  return figures;
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
    for (std::size_t r = 0; r < kRecalls; ++r) {
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

std::vector<ClassList> matchesByClass(std::span<const ImageMatches> images,
                                      const std::vector<Category>& categories) {
  std::unordered_map<CategoryId, std::size_t> rowOf;
  for (std::size_t k = 0; k < categories.size(); ++k) rowOf.emplace(categories[k].id, k);
  std::vector<ClassList> classes(categories.size());
  for (const ImageMatches& image : images) {
    for (const ClassMatches& matches : image) {
      classes[rowOf.at(matches.category)].push_back(&matches);
    }
  }
  return classes;
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
  return result;
}

}  // namespace lockstep::coco
