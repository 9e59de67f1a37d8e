#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "engine/data/rgb_image.h"

namespace lockstep::data {

/// Decoded images by their files. What is in the cache stays there: of images that are drawn in
/// random order, dropping one for another gains nothing. Any thread.
class ImageCache {
 public:
  /// limitBytes: of the pixels.
  explicit ImageCache(std::int64_t limitBytes) : freeBytes_(limitBytes) {}

  /// Null if it is not there.
  std::shared_ptr<const RgbImage> find(const std::filesystem::path& file) const;
  /// Keeps the image if there is room for it.
  void add(const std::filesystem::path& file, std::shared_ptr<const RgbImage> image);
  std::size_t size() const;

 private:
  mutable std::shared_mutex mutex_;  ///< guards the members below
  std::int64_t freeBytes_;
  std::unordered_map<std::string, std::shared_ptr<const RgbImage>> images_;
};

}  // namespace lockstep::data
