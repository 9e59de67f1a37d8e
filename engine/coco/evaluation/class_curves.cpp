#include "engine/coco/evaluation/class_curves.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace lockstep::coco {
namespace {

struct RankedPlace {
  double score;
  const MatchedDetection* detection;
};

/// Calls visit(threshold) for every bit that is set.
template <typename Visit>
void forEachThreshold(unsigned bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(std::countr_zero(bits)));
}

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

std::vector<MatchedDetection> rankDetections(const ClassList& images, std::size_t maxDetections) {
  std::vector<RankedPlace> places;
  for (const ClassMatches* image : images) {
    const std::size_t count = std::min(image->detections.size(), maxDetections);
    for (std::size_t d = 0; d < count; ++d) {
      places.push_back({image->detections[d].score, &image->detections[d]});
    }
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  std::vector<MatchedDetection> ranked;
  ranked.reserve(places.size());
  for (const RankedPlace& place : places) ranked.push_back(*place.detection);
  return ranked;
}

HitsByThreshold hitsOf(std::span<const MatchedDetection> ranked, std::size_t range) {
  HitsByThreshold hits;
  std::array<std::uint32_t, kIouThresholdCount> found{}, counted{};
  for (const MatchedDetection& detection : ranked) {
    const unsigned right = detection.truePositive[range];
    const unsigned counting = right | detection.falsePositive[range];
    for (std::size_t t = 0; t < kIouThresholdCount; ++t) counted[t] += counting >> t & 1;
    forEachThreshold(right, [&](std::size_t t) {
      hits[t].push_back({static_cast<double>(++found[t]), static_cast<double>(counted[t])});
    });
  }
  return hits;
}

std::array<std::uint64_t, kIouThresholdCount> countHits(const ClassList& images,
                                                        std::size_t maxDetections,
                                                        std::size_t range) {
  std::array<std::uint64_t, kIouThresholdCount> counts{};
  for (const ClassMatches* image : images) {
    const std::size_t count = std::min(image->detections.size(), maxDetections);
    for (std::size_t d = 0; d < count; ++d) {
      forEachThreshold(image->detections[d].truePositive[range],
                       [&](std::size_t t) { ++counts[t]; });
    }
  }
  return counts;
}

}  // namespace lockstep::coco
