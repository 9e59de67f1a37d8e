#pragma once

#include <QStringList>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/coco/files/dataset.h"

namespace lockstep::app {

/// Image files that a person opened beside a run's data.
struct OpenedImages {
  std::vector<coco::Image> images;     ///< absolute names, sizes as displayed, rising ids
  QStringList leftOut;                 ///< `FILE: reason` of what is not among them
  std::int64_t lastId = 0;             ///< that was given to any, also to those that were closed
  std::optional<coco::Image> again{};  ///< the first that was opened before

  /// In the order of the files; of those that are not among the images
  /// coco::ResultsByImage::kUnwanted.
  std::vector<ImageId> idsOf(const QStringList& files) const;
};

/// The images among `paths`, files and folders with all below them, that `known` does not have yet;
/// their ids follow its last one. Blocks; call it from any thread; does not throw.
OpenedImages findImages(const QStringList& paths, const OpenedImages& known);

/// The run and the step of a checkpoint that a person opened.
struct OpenedCheckpoint {
  QString runFolder;
  qint64 step = 0;
  QString failure{};  ///< why there is none
};

/// `path`: the folder of a run's checkpoint, or its weights. Blocks; does not throw.
OpenedCheckpoint findCheckpoint(const QString& path);

/// Whether a path may be one, by its name alone.
bool looksLikeCheckpoint(const QString& path);

}  // namespace lockstep::app
