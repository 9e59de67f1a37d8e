#include "widgets/instances/image_detections.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace lockstep::widgets {
namespace {

qint64 detectionBytes(const std::vector<coco::Detection>& detections) {
  std::size_t bytes = detections.capacity() * sizeof(coco::Detection) + 1;
  for (const coco::Detection& detection : detections)
    bytes += detection.mask.counts.capacity() * sizeof(std::uint32_t);
  return static_cast<qint64>(bytes);
}

bool haveAllMasks(const std::vector<coco::Detection>& detections) {
  return std::ranges::all_of(detections,
                             [](const coco::Detection& one) { return one.mask.height > 0; });
}

quint64 nextKey() {
  static std::atomic<quint64> last{0};
  return ++last;
}

}  // namespace

struct ImageDetections::Source {
  DetectionCache::Detections inMemory;  ///< nullptr: in the file
  std::shared_ptr<const coco::ResultsByImage> file;
  ImageId image;
  std::shared_ptr<DetectionCache> cache;
  quint64 key = 0;  ///< also in the cache
  bool haveMasks = true;
};

DetectionCache::Detections DetectionCache::find(quint64 key) const {
  const std::lock_guard lock(mutex_);
  const Detections* const kept = kept_.object(key);
  return kept != nullptr ? *kept : nullptr;
}

void DetectionCache::keep(quint64 key, const Detections& detections) {
  const std::lock_guard lock(mutex_);
  kept_.insert(key, new Detections(detections), detectionBytes(*detections));
}

ImageDetections::ImageDetections(DetectionCache::Detections detections) {
  const bool haveMasks = haveAllMasks(*detections);
  source_ = std::make_shared<const Source>(
      Source{std::move(detections), nullptr, {}, nullptr, nextKey(), haveMasks});
}

ImageDetections::ImageDetections(std::shared_ptr<const coco::ResultsByImage> file, ImageId image,
                                 std::shared_ptr<DetectionCache> cache) {
  const bool haveMasks = file->haveMasks();
  source_ = std::make_shared<const Source>(
      Source{nullptr, std::move(file), image, std::move(cache), nextKey(), haveMasks});
}

bool ImageDetections::haveMasks() const { return source_->haveMasks; }

quint64 ImageDetections::id() const { return source_ ? source_->key : 0; }

DetectionCache::Detections ImageDetections::readOnce() const {
  if (source_->inMemory) return source_->inMemory;
  if (auto kept = source_->cache->find(source_->key)) return kept;
  return std::make_shared<const std::vector<coco::Detection>>(
      source_->file->detectionsOf(source_->image));
}

DetectionCache::Detections ImageDetections::read() const {
  auto detections = readOnce();
  if (!source_->inMemory) source_->cache->keep(source_->key, detections);
  return detections;
}

}  // namespace lockstep::widgets
