#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/coco/evaluation/average_precision.h"
#include "engine/coco/evaluation/params.h"
#include "engine/coco/files/results_file.h"

/// AP in two steps, as COCOeval's evaluate() and accumulate(): the matches of each image, which may
/// be kept, and the metrics computed from them. A and T are the numbers of area ranges and of IoU
/// thresholds of the Params.
namespace lockstep::coco {

/// Of one detection in one area range; bit t is for IoU threshold t. If neither bit is set, it is
/// ignored.
struct Outcome {
  std::uint16_t truePositive = 0, falsePositive = 0;
};

/// One class of one image, in the memory of its ImageMatches.
struct ClassMatches {
  CategoryId category;
  std::span<const double> scores;          ///< falling, at most Params::mostDetections()
  std::span<const Outcome> outcomes;       ///< row-major: detections, A
  std::span<const std::uint32_t> gtCount;  ///< [A] annotations that are not ignored
  std::uint32_t leftOut = 0;               ///< detections over the limit
};

/// The matches of one image by category, ascending; classes with neither annotation nor detection
/// are omitted. All classes share three arrays: data sets have hundreds of thousands of them.
class ImageMatches {
 public:
  ImageMatches() = default;
  explicit ImageMatches(std::size_t areas) : areas_(areas), gtCounts_(areas) {}

  std::size_t size() const { return classes_.size(); }
  ClassMatches operator[](std::size_t index) const {
    const ClassRow& row = classes_[index];
    const std::size_t count = row.end - row.begin;
    return {row.category, std::span(scores_).subspan(row.begin, count),
            std::span(outcomes_).subspan(row.begin * areas_, count * areas_),
            std::span(gtCounts_).subspan(row.gtCounts, areas_), row.leftOut};
  }

  /// Begins the next class, of a higher category, whose detections are ignored and annotations
  /// not counted until they are set.
  void add(CategoryId category, std::span<const double> scores, std::uint32_t leftOut);
  /// Of a detection of the class that was added last.
  Outcome& outcome(std::size_t detection, std::size_t area) {
    return outcomes_[(classes_.back().begin + detection) * areas_ + area];
  }
  std::uint32_t& gtCount(std::size_t area) {
    ClassRow& row = classes_.back();
    if (row.gtCounts == 0) {
      row.gtCounts = static_cast<std::uint32_t>(gtCounts_.size());
      gtCounts_.resize(gtCounts_.size() + areas_);
    }
    return gtCounts_[row.gtCounts + area];
  }
  /// Ignores the detections of a class that match no annotation.
  void ignoreUnmatched(std::size_t index);
  void shrinkToFit();

 private:
  struct ClassRow {
    CategoryId category;
    std::uint32_t begin = 0, end = 0;  ///< of its detections
    std::uint32_t leftOut = 0;
    std::uint32_t gtCounts = 0;  ///< its begin in gtCounts_
  };

  std::size_t areas_ = 0;
  std::vector<ClassRow> classes_;
  std::vector<double> scores_;
  std::vector<Outcome> outcomes_;
  std::vector<std::uint32_t> gtCounts_;  ///< [A] zeros of classes without annotations, and others
};

/// Greedy matching of one image as in pycocotools. `detections` in the order of the results file,
/// which breaks ties.
ImageMatches matchDetections(const Image& image, const std::vector<Annotation>& annotations,
                             std::span<const Detection* const> detections, IouType type,
                             const Params& params = {});

/// The matches of every image of the dataset, or only of imageIds, by image id: the first step of
/// evaluate(), with the same arguments and errors.
std::vector<ImageMatches> matchDataset(const Dataset& groundTruth,
                                       const std::vector<Detection>& detections, IouType type,
                                       const std::vector<ImageId>& imageIds = {},
                                       const Params& params = {}, int threads = 0);

/// The same for a results file, with the masks of only a few images in memory at a time. `threads`
/// 0: as many as the machine has. Throws Error as ResultsFile::detectionsOf().
std::vector<ImageMatches> matchResults(const Dataset& groundTruth, const ResultsFile& results,
                                       IouType type, const Params& params = {}, int threads = 0);

/// The metrics from the matches of all images, in the order of image ids, by the Params that they
/// were matched with. `threads` 0: as many as the machine has.
AveragePrecision accumulate(std::span<const ImageMatches> images,
                            const std::vector<Category>& categories, const Params& params = {},
                            int threads = 0);

}  // namespace lockstep::coco
