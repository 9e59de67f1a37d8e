#pragma once

#include <QImage>
#include <QRectF>
#include <QSize>
#include <QString>
#include <memory>
#include <vector>

#include "engine/base/file_version.h"
#include "engine/coco/files/dataset.h"
#include "widgets/instances/image_detections.h"
#include "widgets/instances/listed_instances.h"

namespace lockstep::widgets {

/// Instances of one image, which is decoded once for them.
struct CropRequest {
  QString path;
  QSize annotatedSize;
  ImageDetections detections;
  std::shared_ptr<const coco::Dataset> dataset;
  std::vector<ListedInstance> instances;
};

struct Crops {
  struct Crop {
    QImage picture;  ///< null: its box is not on the image
    QRectF box;      ///< of the instance, px of the picture
  };
  std::vector<Crop> crops;  ///< of the instances; empty if there is a failure
  QString failure;
  base::FileVersion version{};

  qint64 sizeBytes() const;
};

/// What is around each instance, at most `sidePx` wide and high. Blocks; call it from any thread.
Crops cropInstances(const CropRequest& request, int sidePx);

}  // namespace lockstep::widgets
