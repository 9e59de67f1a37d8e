#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/anchor_fit.h"
#include "engine/dataset_check/part_data.h"

namespace lockstep::dataset_check {

/// How many values are between edges: counts[i] in edges[i] … edges[i + 1], without the upper edge.
/// Values beyond are in the first or last.
struct Histogram {
  std::vector<double> edges{};
  std::vector<std::int64_t> counts{};

  explicit Histogram(std::vector<double> theEdges = {});
  std::size_t binOf(double value) const;
  void add(double value) { ++counts[binOf(value)]; }
};

struct ClassFacts {
  coco::Category category;
  std::int64_t objects = 0, images = 0;  ///< without crowds
};

struct SizeFacts {
  int width = 0, height = 0;  ///< px
  std::int64_t images = 0;
};

/// What a part of a dataset consists of. Objects are annotations without crowds.
struct PartFacts {
  std::int64_t images = 0, objects = 0, crowds = 0, emptyImages = 0;
  std::int64_t boxOnlyObjects = 0;      ///< with a box and no mask
  std::vector<SizeFacts> imageSizes{};  ///< the most frequent first
  std::vector<ClassFacts> classes{};
  std::int64_t fewestObjects = 0, mostObjects = 0;  ///< of an image
  double meanObjects = 0;
  std::int64_t mostCrowdedId = 0;  ///< image
  std::string mostCrowdedFile{};
  Histogram objectsPerImage{}, aspectRatios{};  ///< height / width of boxes
  Histogram sides{};                            ///< root of the area after resizing, px
  std::array<std::int64_t, 3> bySize{};         ///< small, medium, large after resizing
  config::AnchorFit anchors{};
  std::int64_t usableObjects = 0;  ///< that anchors are compared with: over 1 px
  config::AnchorConfig suggestedAnchors{};
  double suggestedMissed = 0;  ///< share that they miss
  std::string limitText{};     ///< about images with more objects than AP or the model takes
};

/// Root of an object's area after its image is resized as in evaluation, px.
double resizedSide(const coco::Annotation& object, const coco::Image& image,
                   const config::AugmentConfig& augment);
/// height / width of its box; std::nullopt: the box has no area.
std::optional<double> aspectRatio(const coco::Annotation& object);

PartFacts factsOf(const PartData& part, const config::Experiment& experiment);

/// Notes about objects whose logarithm of area or aspect ratio is over 5 standard deviations from
/// the mean of their class, images without objects, and classes of few images.
std::vector<Finding> suspicions(const PartData& part);

}  // namespace lockstep::dataset_check
