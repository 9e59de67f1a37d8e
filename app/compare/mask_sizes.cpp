#include "app/compare/mask_sizes.h"

#include <QCoreApplication>

namespace lockstep::app {

QString maskSizeFault(const coco::Detection& detection, const coco::Image& image) {
  const coco::Rle& mask = detection.mask;
  if (mask.height == 0 || (mask.height == image.height && mask.width == image.width)) return {};
  return QCoreApplication::translate("MaskSizes",
                                     "masks of %1x%2 in an image of %3x%4 (%5, image %6)")
      .arg(mask.width)
      .arg(mask.height)
      .arg(image.width)
      .arg(image.height)
      .arg(QString::fromStdString(image.fileName))
      .arg(image.id.value);
}

QString maskSizeFault(const coco::Dataset& dataset,
                      const widgets::PredictionStore::ByImage& predictions) {
  for (const coco::Image& image : dataset.images()) {
    const auto own = predictions.find(image.id);
    if (own == predictions.end()) continue;
    const auto detections = own->second.read();
    for (const coco::Detection& detection : *detections)
      if (const QString fault = maskSizeFault(detection, image); !fault.isEmpty()) return fault;
  }
  return {};
}

}  // namespace lockstep::app
