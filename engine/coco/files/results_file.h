#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results.h"

namespace lockstep::coco {

/// A results file for a ground truth. It takes the memory of its text and 76 bytes per detection,
/// because masks are parsed on demand.
class ResultsFile {
 public:
  /// Throws Error with file and position for what loadDetections() refuses, except invalid RLEs,
  /// and for a result of an unknown image. `groundTruth` must outlive this.
  static ResultsFile load(const std::filesystem::path& file, const Dataset& groundTruth);
  ResultsFile(ResultsFile&&) noexcept;
  ~ResultsFile();

  std::size_t count() const;
  /// Number of results with an unknown category, which pycocotools and detectionsOf() ignore.
  std::size_t unknownCategoryCount() const { return unknownCategoryCount_; }
  /// Indices in the file, from 0, of the results of images()[imageIndex], in the file's order.
  std::span<const std::uint32_t> indicesOf(std::size_t imageIndex) const;
  /// The same results as detections with masks. Throws Error with file and position if an RLE is
  /// invalid or does not have the image's size. Thread-safe.
  std::vector<Detection> detectionsOf(std::size_t imageIndex) const;

 private:
  struct Content;
  ResultsFile(const Dataset& groundTruth, std::unique_ptr<Content> content);

  const Dataset* groundTruth_;
  std::unique_ptr<Content> content_;
  std::vector<std::uint32_t> indices_;  ///< by image, then by index in the file
  std::vector<std::size_t> begin_;      ///< of each image in indices_, and the end
  std::size_t unknownCategoryCount_ = 0;
};

}  // namespace lockstep::coco
