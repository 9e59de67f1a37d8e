#include "app/results/mask_sizes.h"

#include <QCoreApplication>

namespace lockstep::app {

QString maskSizeFault(const coco::Detection& detection, const coco::Image& image) {
  if (coco::fitsImage(detection, image)) return {};
  const coco::Rle& mask = detection.mask;
  return QCoreApplication::translate("MaskSizes",
                                     "masks of %1x%2 in an image of %3x%4 (%5, image %6)")
      .arg(mask.width)
      .arg(mask.height)
      .arg(image.width)
      .arg(image.height)
      .arg(QString::fromStdString(image.fileName))
      .arg(image.id.value);
}

QString maskSizeFault(const widgets::ImageDetections& detections, const coco::Image& image) {
  const auto all = detections.read();
  for (const coco::Detection& detection : *all)
    if (const QString fault = maskSizeFault(detection, image); !fault.isEmpty()) return fault;
  return {};
}

}  // namespace lockstep::app
