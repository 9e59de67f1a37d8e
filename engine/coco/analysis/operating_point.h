#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/coco/analysis/overlap_set.h"
#include "engine/coco/evaluation/params.h"

/// The figures of a detector that is used at one score threshold, found right at one IoU threshold.
namespace lockstep::coco {

struct Counts {
  std::uint64_t truePositives = 0, falsePositives = 0, falseNegatives = 0;

  Counts& operator+=(const Counts& other);
  bool operator==(const Counts&) const = default;
  /// -1 where there is nothing to divide by: no detection, no object, neither.
  double precision() const;
  double recall() const;
  double f1() const;
};

/// Objects by what they are (row) and what they were taken for (column).
class ConfusionMatrix {
 public:
  explicit ConfusionMatrix(std::size_t classCount = 0)
      : side_(classCount + 1), cells_(side_ * side_) {}

  /// The last row and column: no object, no detection.
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
  /// By size, each as the evaluation does it for that size (All is `all` again). An object matched
  /// by a detection of another size counts; a detection of another size alone does not.
  std::array<Counts, kObjectSizeCount> sizes;
  std::vector<Counts> images;  ///< in the order of OverlapSet::images()
  /// Same class first, exactly as in the evaluation, so that the diagonal is the true positives.
  /// Then the false positives by falling score, each with the missed object of another class of
  /// highest IoU that is left and reaches the threshold. The rest is background. So a row sums to
  /// the objects of the class, a column to its detections that count.
  ConfusionMatrix confusion;
};

/// Detections with score >= scoreThreshold. Any thread; blocks for milliseconds.
OperatingPoint operatingPoint(const OverlapSet& set, double scoreThreshold, double iouThreshold,
                              int threads = 0);

/// Objects of a class that were taken for another one.
struct Confusion {
  std::size_t actual = 0, predicted = 0;  ///< rows of the matrix, never background
  std::uint32_t count = 0;
};

/// The most frequent ones, at most so many.
std::vector<Confusion> frequentConfusions(const ConfusionMatrix& matrix, std::size_t most);

}  // namespace lockstep::coco
