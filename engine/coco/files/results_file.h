#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/coco/files/category_selection.h"
#include "engine/coco/files/results.h"

namespace lockstep::coco {

/// A results file whose images and categories are not known yet.
class ParsedResults {
 public:
  /// Throws Error with file and position for what loadDetections() refuses, except invalid RLEs.
  static ParsedResults load(const std::filesystem::path& file);
  ParsedResults(ParsedResults&&) noexcept;
  ~ParsedResults();

 private:
  friend class ResultsFile;
  struct Content;
  explicit ParsedResults(std::unique_ptr<Content> content);
  std::unique_ptr<Content> content_;
};

/// A results file for a ground truth. It takes the memory of its text and 68 bytes per detection,
/// because masks are parsed on demand from a file in the kernel's cache.
class ResultsFile {
 public:
  /// Throws Error with file and position for a result of an unknown image. `groundTruth`, the whole
  /// one, must outlive this. Results of categories that are not selected are left out;
  /// class-agnostic, those of an image are ordered by category, as in pycocotools, and have
  /// kAnyCategory.
  ResultsFile(ParsedResults parsed, const Dataset& groundTruth,
              const CategorySelection& selection = {});
  /// The same of a file, with the errors of ParsedResults::load().
  static ResultsFile load(const std::filesystem::path& file, const Dataset& groundTruth,
                          const CategorySelection& selection = {}) {
    return ResultsFile(ParsedResults::load(file), groundTruth, selection);
  }
  ResultsFile(ResultsFile&&) noexcept;
  ~ResultsFile();

  std::size_t count() const;
  /// Number of results with an unknown category, which pycocotools and detectionsOf() ignore.
  std::size_t unknownCategoryCount() const { return unknownCategoryCount_; }
  /// Indices in the file, from 0, of the results of images()[imageIndex], in their order.
  std::span<const std::uint32_t> indicesOf(std::size_t imageIndex) const;
  /// The same results as detections with masks. Throws Error with file and position if an RLE is
  /// invalid or does not have the image's size. Thread-safe.
  std::vector<Detection> detectionsOf(std::size_t imageIndex) const;
  /// Category and score of the same results, without reading their masks.
  void forScores(std::size_t imageIndex,
                 const std::function<void(CategoryId, double score)>& visit) const;

 private:
  void makeClassAgnostic();

  const Dataset* groundTruth_;
  std::unique_ptr<ParsedResults::Content> content_;
  std::vector<std::uint32_t> indices_;  ///< by image, then by index in the file
  std::vector<std::size_t> begin_;      ///< of each image in indices_, and the end
  std::size_t unknownCategoryCount_ = 0;
};

}  // namespace lockstep::coco
