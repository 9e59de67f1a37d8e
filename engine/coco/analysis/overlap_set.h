#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/coco/evaluation/overlaps.h"
#include "engine/coco/files/results_file.h"

namespace lockstep::coco {

/// The IoUs of all detections of a results file with the ground truth, by image. All metrics at an
/// IoU and a score threshold are computed from them. Keeps no masks, so both files may be released.
class OverlapSet {
 public:
  /// What counting needs of the detections and annotations of an image, in compact arrays.
  struct ClassRows {
    std::vector<std::uint32_t> ofDetections, ofAnnotations;  ///< index of the class in categories()
    std::vector<std::uint8_t> sizesOfDetections;             ///< bit a is set for areas()[a]
  };

  /// OverlapDetection::index is the index in `detections`. Throws Error as evaluate() does. Ignores
  /// the IoU thresholds of `params`. `threads` 0: as many as the machine has.
  OverlapSet(const Dataset& groundTruth, const std::vector<Detection>& detections, IouType type,
             const Params& params = {}, int threads = 0);
  /// The same from a results file, with the masks of only a few images in memory at a time.
  /// OverlapDetection::index is the index in the file, from 0.
  OverlapSet(const Dataset& groundTruth, const ResultsFile& results, IouType type,
             const Params& params = {}, int threads = 0);

  /// In the order of the dataset's images.
  const std::vector<ImageOverlaps>& images() const { return images_; }
  const std::vector<ImageId>& imageIds() const { return imageIds_; }
  const std::vector<Category>& categories() const { return categories_; }
  const std::vector<AreaRange>& areas() const { return areas_; }
  const ClassRows& rowsOf(std::size_t image) const { return rows_[image]; }

 private:
  OverlapSet(const Dataset& groundTruth, const Params& params);
  void addImage(const Dataset& groundTruth, std::size_t image,
                std::span<const Detection* const> detections, IouType type, const Params& params);

  std::vector<ImageId> imageIds_;
  std::vector<Category> categories_;
  std::vector<AreaRange> areas_;
  std::vector<ImageOverlaps> images_;
  std::vector<ClassRows> rows_;
};

}  // namespace lockstep::coco
