#include "engine/coco/evaluation/class_curves.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace lockstep::coco {
namespace {

struct RankedPlace {
  double score;
  const Outcome* outcomes;
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
    for (std::uint32_t c = 0; c < image.size(); ++c)
      classes[rowOf.at(image[c].category)].push_back({&image, c});
  }
  return classes;
}

std::array<std::uint64_t, kMostAreas> countAnnotations(const ClassList& images) {
  std::array<std::uint64_t, kMostAreas> counts{};
  for (const ClassPlace& image : images) {
    const ClassMatches matches = image.matches();
    for (std::size_t a = 0; a < matches.gtCount.size(); ++a) counts[a] += matches.gtCount[a];
  }
  return counts;
}

RankedDetections rankDetections(const ClassList& images, std::size_t maxDetections,
                                std::size_t areas) {
  std::vector<RankedPlace> places;
  for (const ClassPlace& image : images) {
    const ClassMatches matches = image.matches();
    const std::size_t count = std::min(matches.scores.size(), maxDetections);
    for (std::size_t d = 0; d < count; ++d)
      places.push_back({matches.scores[d], &matches.outcomes[d * areas]});
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  RankedDetections ranked;
  ranked.scores.reserve(places.size());
  ranked.outcomes.resize(areas * places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    ranked.scores.push_back(places[i].score);
    for (std::size_t a = 0; a < areas; ++a)
      ranked.outcomes[a * places.size() + i] = places[i].outcomes[a];
  }
  return ranked;
}

HitsByThreshold hitsOf(std::span<const Outcome> ranked, std::size_t thresholds) {
  HitsByThreshold hits(thresholds);
  std::array<std::uint32_t, kMostIouThresholds> found{}, counted{};
  for (const auto& [truePositive, falsePositive] : ranked) {
    const unsigned counting = truePositive | falsePositive;
    for (std::size_t t = 0; t < kMostIouThresholds; ++t) counted[t] += counting >> t & 1;
    forEachThreshold(truePositive, [&](std::size_t t) {
      hits[t].push_back({static_cast<double>(++found[t]), static_cast<double>(counted[t])});
    });
  }
  return hits;
}

std::array<std::uint64_t, kMostIouThresholds> countHits(const ClassList& images,
                                                        std::size_t maxDetections, std::size_t area,
                                                        std::size_t areas) {
  std::array<std::uint64_t, kMostIouThresholds> counts{};
  for (const ClassPlace& image : images) {
    const ClassMatches matches = image.matches();
    const std::size_t count = std::min(matches.scores.size(), maxDetections);
    for (std::size_t d = 0; d < count; ++d) {
      forEachThreshold(matches.outcomes[d * areas + area].truePositive,
                       [&](std::size_t t) { ++counts[t]; });
    }
  }
  return counts;
}

}  // namespace lockstep::coco
