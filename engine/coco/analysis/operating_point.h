#pragma once

#include <cstdint>
#include <vector>

#include "engine/coco/analysis/overlap_set.h"

/// Metrics of a detector at one score threshold and one IoU threshold.
namespace lockstep::coco {

struct Counts {
  std::uint64_t truePositives = 0, falsePositives = 0, falseNegatives = 0;

  Counts& operator+=(const Counts& other);
  bool operator==(const Counts&) const = default;
  /// -1 if undefined: without detections, without objects, without both.
  double precision() const;
  double recall() const;
  double f1() const;
};

/// Objects by ground-truth class (row) and predicted class (column).
class ConfusionMatrix {
 public:
  explicit ConfusionMatrix(std::size_t classCount = 0)
      : side_(classCount + 1), cells_(side_ * side_) {}

  /// Index of the last row (no object) and the last column (no detection).
  std::size_t background() const { return side_ - 1; }
  std::uint32_t at(std::size_t actual, std::size_t predicted) const {
    return cells_[actual * side_ + predicted];
  }
  std::uint32_t& at(std::size_t actual, std::size_t predicted) {
    return cells_[actual * side_ + predicted];
  }

 private:
  std::size_t side_;
  std::vector<std::uint32_t> cells_;
};

struct OperatingPoint {
  Counts all;
  std::vector<Counts> classes;  ///< in the order of OverlapSet::categories()
  /// In the order of OverlapSet::areas(), as COCO's evaluation does it (the first equals `all`). An
  /// object matched by a detection of another size counts; an unmatched detection of another size
  /// is ignored.
  std::vector<Counts> sizes;
  std::vector<Counts> images;  ///< in the order of OverlapSet::images()
  /// Detections are matched within their class first, exactly as in the evaluation, so that the
  /// diagonal holds the true positives. Then each false positive, by falling score, is matched with
  /// the unmatched object of another class of highest IoU, if that reaches the threshold. The rest
  /// is background. So a row sums to the objects of the class, and a column to its detections that
  /// are not ignored.
  ConfusionMatrix confusion;
};

/// Detections with score >= scoreThreshold. Any thread; blocks for milliseconds.
OperatingPoint operatingPoint(const OverlapSet& set, double scoreThreshold, double iouThreshold,
                              int threads = 0);

/// What a cell of the matrix counts: an object with its detection, an object without one, or a
/// detection without an object. Indices in ImageOverlaps; -1: none.
struct ConfusedInstance {
  std::int32_t annotation = -1, detection = -1;
};

/// Of set.images()[image]: with those of all images every cell is counted as in
/// OperatingPoint::confusion. Objects first, in their order.
std::vector<ConfusedInstance> confusedInstances(const OverlapSet& set, std::size_t image,
                                                double scoreThreshold, double iouThreshold);

/// Objects of one class that were predicted as another.
struct Confusion {
  std::size_t actual = 0, predicted = 0;  ///< row and column of the matrix, never background
  std::uint32_t count = 0;
};

/// The `most` most frequent confusions.
std::vector<Confusion> frequentConfusions(const ConfusionMatrix& matrix, std::size_t most);

}  // namespace lockstep::coco
