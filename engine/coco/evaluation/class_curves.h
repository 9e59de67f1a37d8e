#pragma once

#include <span>
#include <vector>

#include "engine/coco/evaluation/image_matches.h"
#include "engine/coco/evaluation/iou_thresholds.h"

/// From the matches of images to precision and recall of one class. Used by this folder alone.
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
std::vector<const MatchedDetection*> rankDetections(const ClassList& images,
                                                    std::size_t maxDetections);

/// Values at each recall threshold.
using RecallValues = std::array<double, kRecallThresholds.size()>;
struct PrecisionCurve {
  RecallValues precision{};  ///< the best at that recall or any higher one; 0 beyond the last
  RecallValues score{};      ///< of the detection that reaches it
};
/// Only true positives change a recall, so precision is kept at those alone; what pycocotools reads
/// off its longer lists is the same number.
PrecisionCurve precisionCurve(const std::vector<const MatchedDetection*>& ranked, std::size_t range,
                              std::size_t threshold, std::uint64_t gtCount);

/// Of the best `maxDetections` of each image.
double recallOf(const ClassList& images, std::size_t maxDetections, std::size_t range,
                std::size_t threshold, std::uint64_t gtCount);

}  // namespace lockstep::coco
