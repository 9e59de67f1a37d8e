#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/coco/evaluation/overlaps.h"
#include "engine/coco/files/results_file.h"

namespace lockstep::coco {

/// The overlaps of every image of a results file with its ground truth: what all figures at an IoU
/// and a score threshold are functions of. Keeps no mask, so both files may be dropped.
class OverlapSet {
 public:
  /// What counting needs of the detections and annotations of an image, close together.
  struct ClassRows {
    std::vector<std::uint32_t> ofDetections, ofAnnotations;  ///< of their class in categories()
    std::vector<std::uint8_t> sizesOfDetections;             ///< bit s: is of ObjectSize s
  };

  /// OverlapDetection::index is the place in `detections`. Throws Error as evaluate() does.
  /// `threads` 0: as many as the machine has.
  OverlapSet(const Dataset& groundTruth, const std::vector<Detection>& detections, IouType type,
             int threads = 0);
  /// The same from a file beside its ground truth, with the masks of few images in memory at a
  /// time. OverlapDetection::index is the place in the file, from 0.
  OverlapSet(const Dataset& groundTruth, const ResultsFile& results, IouType type, int threads = 0);

  /// In the order of the data set's images.
  const std::vector<ImageOverlaps>& images() const { return images_; }
  const std::vector<ImageId>& imageIds() const { return imageIds_; }
  const std::vector<Category>& categories() const { return categories_; }
  const ClassRows& rowsOf(std::size_t image) const { return rows_[image]; }

 private:
  explicit OverlapSet(const Dataset& groundTruth);
  void addImage(const Dataset& groundTruth, std::size_t image,
                std::span<const Detection* const> detections, IouType type);

  std::vector<ImageId> imageIds_;
  std::vector<Category> categories_;
  std::vector<ImageOverlaps> images_;
  std::vector<ClassRows> rows_;
};

}  // namespace lockstep::coco
