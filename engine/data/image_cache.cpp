#include "engine/data/image_cache.h"

#include <mutex>
#include <utility>

namespace lockstep::data {

std::shared_ptr<const RgbImage> ImageCache::find(const std::filesystem::path& file) const {
  const std::shared_lock lock(mutex_);
  const auto found = images_.find(file.native());
  return found == images_.end() ? nullptr : found->second;
}

void ImageCache::add(const std::filesystem::path& file, std::shared_ptr<const RgbImage> image) {
  const std::int64_t bytes = static_cast<std::int64_t>(image->valueCount());
  const std::unique_lock lock(mutex_);
  if (bytes > freeBytes_ || !images_.emplace(file.native(), std::move(image)).second) return;
  freeBytes_ -= bytes;
}

std::size_t ImageCache::size() const {
  const std::shared_lock lock(mutex_);
  return images_.size();
}

}  // namespace lockstep::data
