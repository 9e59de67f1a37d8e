#include "engine/coco/evaluation/class_curves.h"

#include <algorithm>
#include <unordered_map>

namespace lockstep::coco {
namespace {

constexpr double kSpacing = 0x1.0p-52;  // numpy's spacing(1)

}  // namespace

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

std::array<std::uint64_t, kAreaRangeCount> countAnnotations(const ClassList& images) {
  std::array<std::uint64_t, kAreaRangeCount> counts{};
  for (const ClassMatches* image : images) {
    for (std::size_t a = 0; a < kAreaRangeCount; ++a) counts[a] += image->gtCount[a];
  }
  return counts;
}

std::vector<const MatchedDetection*> rankDetections(const ClassList& images,
                                                    std::size_t maxDetections) {
  std::vector<const MatchedDetection*> ranked;
  for (const ClassMatches* image : images) {
    const std::size_t count = std::min(image->detections.size(), maxDetections);
    for (std::size_t d = 0; d < count; ++d) ranked.push_back(&image->detections[d]);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto* a, const auto* b) { return a->score > b->score; });
  return ranked;
}

PrecisionCurve precisionCurve(const std::vector<const MatchedDetection*>& ranked, std::size_t range,
                              std::size_t threshold, std::uint64_t gtCount) {
  std::vector<double> precision, score;  // after each true positive
  double truePositives = 0, falsePositives = 0;
  for (const MatchedDetection* detection : ranked) {
    falsePositives += detection->falsePositive[range] >> threshold & 1;
    if ((detection->truePositive[range] >> threshold & 1) == 0) continue;
    ++truePositives;
    precision.push_back(truePositives / (falsePositives + truePositives + kSpacing));
    score.push_back(detection->score);
  }
  for (std::size_t i = precision.size(); i-- > 1;) {
    precision[i - 1] = std::max(precision[i - 1], precision[i]);
  }
  PrecisionCurve curve;
  std::size_t reached = 0;
  for (std::size_t r = 0; r < kRecallThresholds.size(); ++r) {
    while (reached < precision.size() &&
           static_cast<double>(reached + 1) / static_cast<double>(gtCount) < kRecallThresholds[r]) {
      ++reached;
    }
    if (reached == precision.size()) break;
    curve.precision[r] = precision[reached];
    curve.score[r] = score[reached];
  }
  // Recall 0 is reached by whichever detection comes first.
  if (!ranked.empty()) curve.score[0] = ranked.front()->score;
  return curve;
}

double recallOf(const ClassList& images, std::size_t maxDetections, std::size_t range,
                std::size_t threshold, std::uint64_t gtCount) {
  std::uint64_t truePositives = 0;
  for (const ClassMatches* image : images) {
    const std::size_t count = std::min(image->detections.size(), maxDetections);
    for (std::size_t d = 0; d < count; ++d) {
      truePositives += image->detections[d].truePositive[range] >> threshold & 1;
    }
  }
  return static_cast<double>(truePositives) / static_cast<double>(gtCount);
}

}  // namespace lockstep::coco
