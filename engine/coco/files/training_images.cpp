#include "engine/coco/files/training_images.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <unordered_map>

namespace lockstep::coco {
namespace {

std::set<CategoryId> categoriesIn(const std::vector<Annotation>& annotations) {
  std::set<CategoryId> categories;
  for (const Annotation& annotation : annotations)
    if (annotation.isUsable()) categories.insert(annotation.categoryId);
  return categories;
}

}  // namespace

std::vector<std::size_t> trainingImages(const Dataset& dataset, bool skipsEmpty) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < dataset.images().size(); ++i) {
    if (!skipsEmpty || std::ranges::any_of(dataset.annotationsOf(i), &Annotation::isUsable))
      used.push_back(i);
  }
  return used;
}

std::vector<double> repeatFactors(const Dataset& dataset, std::span<const std::size_t> images,
                                  double threshold) {
  std::vector<double> factors(images.size(), 1);
  if (threshold <= 0) return factors;
  std::unordered_map<CategoryId, double> imagesWith;
  for (const std::size_t image : images)
    for (const CategoryId category : categoriesIn(dataset.annotationsOf(image)))
      ++imagesWith[category];
  const auto count = static_cast<double>(images.size());
  for (std::size_t i = 0; i < images.size(); ++i) {
    for (const CategoryId category : categoriesIn(dataset.annotationsOf(images[i])))
      factors[i] = std::max(factors[i], std::sqrt(threshold / (imagesWith[category] / count)));
  }
  return factors;
}

std::int64_t drawsPerEpoch(std::span<const double> repeatFactors) {
  return std::llround(std::accumulate(repeatFactors.begin(), repeatFactors.end(), 0.0));
}

std::int64_t drawsPerEpoch(const Dataset& dataset, bool skipsEmpty, double repeatThreshold) {
  return drawsPerEpoch(
      repeatFactors(dataset, trainingImages(dataset, skipsEmpty), repeatThreshold));
}

std::vector<double> inverseClassWeights(const Dataset& dataset,
                                        std::span<const std::size_t> images) {
  std::vector<double> objects(dataset.categories().size());
  for (const std::size_t image : images) {
    for (const Annotation& annotation : dataset.annotationsOf(image)) {
      if (annotation.isUsable())
        ++objects[static_cast<std::size_t>(dataset.classOf(annotation.categoryId).value) - 1];
    }
  }
  const double all = std::accumulate(objects.begin(), objects.end(), 0.0);
  const auto present =
      static_cast<double>(std::ranges::count_if(objects, [](double count) { return count > 0; }));
  std::vector<double> weights;
  for (const double count : objects) weights.push_back(count > 0 ? all / (present * count) : 1);
  return weights;
}

}  // namespace lockstep::coco
