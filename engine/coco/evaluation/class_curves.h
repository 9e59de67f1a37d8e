#pragma once

#include <span>
#include <vector>

#include "engine/coco/evaluation/image_matches.h"
#include "engine/coco/evaluation/precision_at_recalls.h"

/// From the matches of images to the ranked true positives of one class. Used only in this folder.
namespace lockstep::coco {

enum AreaRange : std::size_t { All, Small, Medium, Large };

/// The matches of one class, of the images that have any, in the order of images.
using ClassList = std::vector<const ClassMatches*>;

/// One list for each category.
std::vector<ClassList> matchesByClass(std::span<const ImageMatches> images,
                                      const std::vector<Category>& categories);

/// Number of annotations that are not ignored, by area range.
std::array<std::uint64_t, kAreaRangeCount> countAnnotations(const ClassList& images);

/// The `maxDetections` highest-scoring detections of each image, ranked by falling score; ties keep
/// the order of images.
std::vector<MatchedDetection> rankDetections(const ClassList& images, std::size_t maxDetections);

/// True positives of one area range, at each IoU threshold.
using HitsByThreshold = std::array<RankedHits, kIouThresholdCount>;
HitsByThreshold hitsOf(std::span<const MatchedDetection> ranked, std::size_t range);

/// Number of true positives among the `maxDetections` highest-scoring detections of each image, at
/// each IoU threshold. Without a limit it is the number that hitsOf finds.
std::array<std::uint64_t, kIouThresholdCount> countHits(const ClassList& images,
                                                        std::size_t maxDetections,
                                                        std::size_t range);

}  // namespace lockstep::coco
