#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results.h"

namespace lockstep::coco {

/// A results file beside its ground truth, in the memory of its text and 76 bytes a detection:
/// masks stay text until they are asked for.
class ResultsFile {
 public:
  /// Throws Error with file and place for what loadDetections() refuses, save the content of runs,
  /// and for a result of an image that the data set does not name. `groundTruth` must outlive this.
  static ResultsFile load(const std::filesystem::path& file, const Dataset& groundTruth);
  ResultsFile(ResultsFile&&) noexcept;
  ~ResultsFile();

  std::size_t count() const;
  /// Results of categories that the data set does not name. pycocotools passes over them, and so
  /// does detectionsOf().
  std::size_t strangerCount() const { return strangerCount_; }
  /// Places in the file, from 0, of what images()[imageIndex] has, in the file's order.
  std::span<const std::uint32_t> placesOf(std::size_t imageIndex) const;
  /// The same as detections with their masks. Throws Error with file and place where runs are
  /// faulty or have another size than the image. May be called from several threads at once.
  std::vector<Detection> detectionsOf(std::size_t imageIndex) const;

 private:
  struct Content;
  ResultsFile(const Dataset& groundTruth, std::unique_ptr<Content> content);

  const Dataset* groundTruth_;
  std::unique_ptr<Content> content_;
  std::vector<std::uint32_t> places_;  ///< by image, then by place in the file
  std::vector<std::size_t> begin_;     ///< of each image in places_, and the end
  std::size_t strangerCount_ = 0;
};

}  // namespace lockstep::coco
