#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/coco/files/results.h"

namespace lockstep::coco {

/// A file of results whose dataset is not needed: COCO results, or an object with them as
/// "detections" and perhaps with "image_ids", all images that were looked at. Only the places of
/// each image's results are in memory, 32 bytes for each stretch of the file with results of one
/// image; they are parsed when they are asked for, from a file in the kernel's cache. Its const
/// methods are thread-safe.
class ResultsByImage {
 public:
  /// In place of an image: what there is of it is left out.
  static constexpr ImageId kUnwanted{-1};

  /// Reads it once. Throws Error with file and position for what loadDetections() refuses, except
  /// invalid RLEs. `as`: the images that were looked at, whatever ids they have in the file. All
  /// results are of the only one; of several, those with the ids 1 … n are of these in turn. Those
  /// that a file leaves out of its "image_ids" were not looked at.
  explicit ResultsByImage(const std::filesystem::path& file, const std::vector<ImageId>& as = {});
  ResultsByImage(const ResultsByImage&) = delete;
  ResultsByImage& operator=(const ResultsByImage&) = delete;
  ~ResultsByImage();

  /// From now on the results of the first of each pair are of the second, of which there may be
  /// results already: those follow in the order of the ids that are written.
  void renameImages(const std::map<ImageId, ImageId>& meant);

  /// All images that were looked at, by rising id.
  const std::vector<ImageId>& images() const { return images_; }
  /// "unreadable": why images were not looked at, a line that names the file for each.
  const std::vector<std::string>& unreadable() const;
  /// Every result of the file has a mask, of whatever class it is.
  bool haveMasks() const;
  /// How many results of the file have a score below 0 or over 1.
  std::size_t oddScoreCount() const;
  /// Of one image, in the order of the file. Throws Error with file and position if an RLE is
  /// invalid, or if the file has changed.
  std::vector<Detection> detectionsOf(ImageId image) const;

 private:
  struct Stretch;
  struct Content;
  std::span<const Stretch> stretchesOf(ImageId image) const;
  void orderImages();

  std::unique_ptr<Content> content_;
  std::vector<ImageId> images_;
};

}  // namespace lockstep::coco
