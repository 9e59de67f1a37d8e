#pragma once

#include <QCache>
#include <QtGlobal>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/base/ids.h"
#include "engine/coco/files/results_by_image.h"

namespace lockstep::widgets {

/// The detections of images that were read last, within a limit of memory. For any thread.
class DetectionCache {
 public:
  using Detections = std::shared_ptr<const std::vector<coco::Detection>>;

  explicit DetectionCache(qint64 mostBytes = qint64{8} << 20) : kept_(mostBytes) {}

  /// nullptr: not kept.
  Detections find(quint64 key) const;
  void keep(quint64 key, const Detections& detections);

 private:
  mutable std::mutex mutex_;
  QCache<quint64, Detections> kept_;  ///< by bytes
};

/// What was detected on an image: of a file it is read when it is asked for. Copies are of the same
/// image, and equal. For any thread.
class ImageDetections {
 public:
  /// The image was not predicted.
  ImageDetections() = default;
  /// In memory.
  ImageDetections(DetectionCache::Detections detections);
  ImageDetections(std::shared_ptr<const coco::ResultsByImage> file, ImageId image,
                  std::shared_ptr<DetectionCache> cache);

  explicit operator bool() const { return source_ != nullptr; }
  bool operator==(const ImageDetections&) const = default;
  /// The image was predicted. Whether each detection has a mask; in a file, each of the file.
  bool haveMasks() const;
  /// Of these detections and no others; 0: the image was not predicted.
  quint64 id() const;
  /// The image was predicted. Blocks while they are read; throws Error if they cannot be. The
  /// cache may drop them at any time: keep the result while they are used.
  DetectionCache::Detections read() const;
  /// The same for reading all images, which are not kept: those that are looked at would make room
  /// for them.
  DetectionCache::Detections readOnce() const;

 private:
  struct Source;
  std::shared_ptr<const Source> source_;
};

}  // namespace lockstep::widgets
