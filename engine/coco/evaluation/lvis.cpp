#include "engine/coco/evaluation/lvis.h"

#include <algorithm>
#include <unordered_map>

#include "engine/base/parallel_for.h"
#include "engine/coco/evaluation/image_matches.h"

namespace lockstep::coco {
namespace {

bool contains(const std::vector<CategoryId>& categories, CategoryId id) {
  return std::ranges::find(categories, id) != categories.end();
}

/// The detections of one image that count, by falling score.
std::vector<const Detection*> countedDetections(const Image& image,
                                                const std::vector<Annotation>& annotations,
                                                const std::vector<Detection>& detections) {
  std::vector<const Detection*> ranked;
  for (const Detection& detection : detections) ranked.push_back(&detection);
  std::ranges::stable_sort(ranked,
                           [](const auto* a, const auto* b) { return a->score > b->score; });
  ranked.resize(std::min(ranked.size(), kLvisMaxDetections));
  std::erase_if(ranked, [&](const Detection* detection) {
    const CategoryId id = detection->categoryId;
    return !contains(image.negativeCategories, id) &&
           std::ranges::none_of(annotations, [id](const Annotation& annotation) {
             return annotation.categoryId == id;
           });
  });
  return ranked;
}

ImageMatches matchLvisImage(const Image& image, const std::vector<Annotation>& annotations,
                            const std::vector<Detection>& detections, IouType type,
                            const Params& params) {
  ImageMatches matches = matchDetections(
      image, annotations, countedDetections(image, annotations, detections), type, params);
  for (std::size_t c = 0; c < matches.size(); ++c) {
    if (contains(image.notExhaustiveCategories, matches[c].category)) matches.ignoreUnmatched(c);
  }
  return matches;
}

/// By LVIS' numbers of images.
CategoryFrequency frequencyOf(std::size_t images) {
  if (images <= 10) return CategoryFrequency::Rare;
  return images <= 100 ? CategoryFrequency::Common : CategoryFrequency::Frequent;
}

/// Of each category by the images of the ground truth that have it.
std::vector<CategoryFrequency> countFrequencies(const Dataset& groundTruth) {
  std::unordered_map<CategoryId, std::size_t> images;
  for (std::size_t i = 0; i < groundTruth.images().size(); ++i) {
    std::vector<CategoryId> present;
    for (const Annotation& annotation : groundTruth.annotationsOf(i))
      if (!contains(present, annotation.categoryId)) present.push_back(annotation.categoryId);
    for (const CategoryId id : present) ++images[id];
  }
  std::vector<CategoryFrequency> frequencies;
  for (const Category& category : groundTruth.categories())
    frequencies.push_back(frequencyOf(images[category.id]));
  return frequencies;
}

double meanAp(const AveragePrecision& all, const std::vector<CategoryFrequency>& frequencies,
              CategoryFrequency wanted) {
  double sum = 0;
  int count = 0;
  for (std::size_t k = 0; k < all.classes.size(); ++k) {
    if (frequencies[k] != wanted || all.classes[k].ap < 0) continue;
    sum += all.classes[k].ap;
    ++count;
  }
  return count == 0 ? -1 : sum / count;
}

}  // namespace

LvisMetrics evaluateLvis(const Dataset& groundTruth, const ResultsFile& results, IouType type,
                         const Params& given, int threads) {
  Params params = given;
  params.maxDetections = {1, 10, kLvisMaxDetections};
  std::vector<ImageMatches> matches(groundTruth.images().size());
  base::parallelFor(matches.size(), threads, [&](std::size_t i) {
    matches[i] = matchLvisImage(groundTruth.images()[i], groundTruth.annotationsOf(i),
                                results.detectionsOf(i), type, params);
  });
  LvisMetrics metrics;
  metrics.all = accumulate(matches, groundTruth.categories(), params, threads);
  std::vector<CategoryFrequency> frequencies;
  for (const Category& category : groundTruth.categories())
    frequencies.push_back(category.frequency);
  metrics.hasCountedFrequencies = std::ranges::all_of(
      frequencies, [](auto frequency) { return frequency == CategoryFrequency::Unknown; });
  if (metrics.hasCountedFrequencies) frequencies = countFrequencies(groundTruth);
  metrics.apRare = meanAp(metrics.all, frequencies, CategoryFrequency::Rare);
  metrics.apCommon = meanAp(metrics.all, frequencies, CategoryFrequency::Common);
  metrics.apFrequent = meanAp(metrics.all, frequencies, CategoryFrequency::Frequent);
  return metrics;
}

std::vector<std::pair<std::string, double>> namedMetrics(const LvisMetrics& metrics) {
  std::vector<std::pair<std::string, double>> named;
  const auto addAll = [&](bool isRecall) {
    for (std::size_t i = 0; i < metrics.all.names.size(); ++i) {
      const std::string& name = metrics.all.names[i];
      const bool isOfLvis = name != "AR1" && name != "AR10";
      if (isOfLvis && name.starts_with("AR") == isRecall)
        named.emplace_back(name, metrics.all.stats[i]);
    }
  };
  addAll(false);
  named.emplace_back("APr", metrics.apRare);
  named.emplace_back("APc", metrics.apCommon);
  named.emplace_back("APf", metrics.apFrequent);
  addAll(true);
  return named;
}

}  // namespace lockstep::coco
