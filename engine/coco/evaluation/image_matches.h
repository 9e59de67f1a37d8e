#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/coco/evaluation/average_precision.h"
#include "engine/coco/files/results_file.h"

/// AP in two steps, as COCOeval's evaluate() and accumulate(): the matches of each image, which may
/// be kept, and the metrics computed from them. A area ranges (all, small, medium, large), T IoU
/// thresholds (0.5 … 0.95).
namespace lockstep::coco {

inline constexpr std::size_t kAreaRangeCount = 4, kIouThresholdCount = 10;

/// One detection; bit t is for IoU threshold t. If neither bit is set, it is ignored.
struct MatchedDetection {
  double score = 0;
  std::array<std::uint16_t, kAreaRangeCount> truePositive{}, falsePositive{};
};

/// One class of one image.
struct ClassMatches {
  CategoryId category;
  std::vector<MatchedDetection> detections;  ///< by falling score, at most kMaxDetections
  std::array<std::uint32_t, kAreaRangeCount> gtCount{};  ///< annotations that are not ignored
  std::uint32_t leftOut = 0;                             ///< detections over kMaxDetections
};

/// The matches of one image by category, sorted; classes with neither annotation nor detection are
/// omitted.
using ImageMatches = std::vector<ClassMatches>;

/// Greedy matching of one image as in pycocotools. `detections` in the order of the results file,
/// which breaks ties. An annotation with id 0 is never matched, as in pycocotools.
ImageMatches matchDetections(const Image& image, const std::vector<Annotation>& annotations,
                             std::span<const Detection* const> detections, IouType type);

/// The matches of every image of the dataset, or only of imageIds, by image id: the first step of
/// evaluate(), with the same arguments and errors.
std::vector<ImageMatches> matchDataset(const Dataset& groundTruth,
                                       const std::vector<Detection>& detections, IouType type,
                                       const std::vector<ImageId>& imageIds = {}, int threads = 0);

/// The same for a results file, with the masks of only a few images in memory at a time. `threads`
/// 0: as many as the machine has. Throws Error as ResultsFile::detectionsOf().
std::vector<ImageMatches> matchResults(const Dataset& groundTruth, const ResultsFile& results,
                                       IouType type, int threads = 0);

/// The metrics from the matches of all images, in the order of image ids. `threads` 0: as many as
/// the machine has.
AveragePrecision accumulate(std::span<const ImageMatches> images,
                            const std::vector<Category>& categories, int threads = 0);

}  // namespace lockstep::coco
