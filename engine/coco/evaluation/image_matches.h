#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/coco/evaluation/average_precision.h"
#include "engine/coco/files/results_file.h"

/// AP in two halves: what each image gives is a value of its own, which may be kept, and the
/// figures are a function of them. A area ranges (all, small, medium, large), T IoU thresholds (0.5
/// … 0.95).
namespace lockstep::coco {

inline constexpr std::size_t kAreaRangeCount = 4, kIouThresholdCount = 10;

/// One detection against the ground truth; bit t is threshold t. Neither bit: it does not count.
struct MatchedDetection {
  double score = 0;
  std::array<std::uint16_t, kAreaRangeCount> truePositive{}, falsePositive{};
};

/// One class of one image.
struct ClassMatches {
  CategoryId category;
  std::vector<MatchedDetection> detections;  ///< by falling score, at most kMaxDetections
  std::array<std::uint32_t, kAreaRangeCount> gtCount{};  ///< annotations that count
  std::uint32_t leftOut = 0;                             ///< detections past kMaxDetections
};

/// One image; classes with neither annotation nor detection are left out, the others sorted by
/// category.
using ImageMatches = std::vector<ClassMatches>;

/// Greedy matching of one image as pycocotools does it. `detections` in the order of the results:
/// it decides ties. An annotation with id 0 is never matched, which is what pycocotools makes of
/// it.
ImageMatches matchDetections(const Image& image, const std::vector<Annotation>& annotations,
                             std::span<const Detection* const> detections, IouType type);

/// Of every image of the data set, or of imageIds alone, by image id: the first half of evaluate(),
/// with its arguments and errors.
std::vector<ImageMatches> matchDataset(const Dataset& groundTruth,
                                       const std::vector<Detection>& detections, IouType type,
                                       const std::vector<ImageId>& imageIds = {}, int threads = 0);

/// All images of the data set that the results are beside, with the masks of few images in memory
/// at a time. `threads` 0: as many as the machine has. Throws Error as ResultsFile::detectionsOf().
std::vector<ImageMatches> matchResults(const Dataset& groundTruth, const ResultsFile& results,
                                       IouType type, int threads = 0);

/// The figures from what the images gave, in the order of image ids. `threads` 0: as many as there
/// are.
AveragePrecision accumulate(std::span<const ImageMatches> images,
                            const std::vector<Category>& categories, int threads = 0);

}  // namespace lockstep::coco
