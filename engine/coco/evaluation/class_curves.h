#pragma once

#include <span>
#include <vector>

#include "engine/coco/evaluation/image_matches.h"
#include "engine/coco/evaluation/precision_at_recalls.h"

/// From the matches of images to the ranked true positives of one class. Used only in this folder.
namespace lockstep::coco {

/// A class of an image.
struct ClassPlace {
  const ImageMatches* image;
  std::uint32_t index;
  ClassMatches matches() const { return (*image)[index]; }
};

/// The matches of one class, of the images that have any, in the order of images.
using ClassList = std::vector<ClassPlace>;

/// One list for each category.
std::vector<ClassList> matchesByClass(std::span<const ImageMatches> images,
                                      const std::vector<Category>& categories);

/// Number of annotations that are not ignored, by area range.
std::array<std::uint64_t, kMostAreas> countAnnotations(const ClassList& images);

/// The detections of one class, by falling score; ties keep the order of images.
struct RankedDetections {
  std::vector<double> scores;
  std::vector<Outcome> outcomes;  ///< row-major: areas, detections

  std::span<const Outcome> outcomesIn(std::size_t area) const {
    return std::span(outcomes).subspan(area * scores.size(), scores.size());
  }
};

/// The `maxDetections` highest-scoring detections of each image.
RankedDetections rankDetections(const ClassList& images, std::size_t maxDetections,
                                std::size_t areas);

/// True positives of one area range, at each of `thresholds` IoU thresholds.
using HitsByThreshold = std::vector<RankedHits>;
HitsByThreshold hitsOf(std::span<const Outcome> ranked, std::size_t thresholds);

/// Number of true positives among the `maxDetections` highest-scoring detections of each image, at
/// each IoU threshold. Without a limit it is the number that hitsOf finds.
std::array<std::uint64_t, kMostIouThresholds> countHits(const ClassList& images,
                                                        std::size_t maxDetections, std::size_t area,
                                                        std::size_t areas);

}  // namespace lockstep::coco
