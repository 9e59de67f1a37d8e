#pragma once

#include <span>
#include <vector>

#include "engine/coco/evaluation/image_matches.h"
#include "engine/coco/evaluation/precision_at_recalls.h"

/// From the matches of images to the ranked hits of one class. Used by this folder alone.
namespace lockstep::coco {

enum AreaRange : std::size_t { All, Small, Medium, Large };

/// The matches of one class in the images that have any, in their order.
using ClassList = std::vector<const ClassMatches*>;

/// One list for each category.
std::vector<ClassList> matchesByClass(std::span<const ImageMatches> images,
                                      const std::vector<Category>& categories);

/// Annotations that count, by area range.
std::array<std::uint64_t, kAreaRangeCount> countAnnotations(const ClassList& images);

/// The best `maxDetections` of each image by falling score; equal scores stay in the order of
/// images.
std::vector<MatchedDetection> rankDetections(const ClassList& images, std::size_t maxDetections);

/// Of one area range, at each IoU threshold.
using HitsByThreshold = std::array<RankedHits, kIouThresholdCount>;
HitsByThreshold hitsOf(std::span<const MatchedDetection> ranked, std::size_t range);

/// True positives among the best `maxDetections` of each image, at each IoU threshold: with as many
/// as there are, what hitsOf finds.
std::array<std::uint64_t, kIouThresholdCount> countHits(const ClassList& images,
                                                        std::size_t maxDetections,
                                                        std::size_t range);

}  // namespace lockstep::coco
