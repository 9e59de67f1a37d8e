#include "widgets/image_view/instance_crops.h"

#include <algorithm>
#include <exception>

#include "widgets/image_view/box_rect.h"
#include "widgets/image_view/decoded_image.h"

namespace lockstep::widgets {
namespace {

constexpr double kBeside = 0.25;     ///< of the longer side of the box, at each side
constexpr double kLeastSidePx = 24;  ///< of the image, so that what is around a small one is seen

/// Boxes are on the image as it was annotated; empty: it has that size.
QString whyOfAnotherSize(QSize size, QSize annotated) {
  const QString difference = differenceOfSizes(size, annotated);
  return difference.isEmpty() ? QString() : difference % u'.';
}

std::vector<QRectF> boxesOf(const CropRequest& request) {
  DetectionCache::Detections detections;
  std::vector<QRectF> boxes;
  for (const ListedInstance& instance : request.instances) {
    if (instance.annotation >= 0) {
      const auto& objects = request.dataset->annotationsOf(instance.image);
      boxes.push_back(rectOf(objects[static_cast<std::size_t>(instance.annotation)].boxXywh));
      continue;
    }
    if (!detections) detections = request.detections.read();
    boxes.push_back(rectOf(detections->at(static_cast<std::size_t>(instance.detection)).boxXywh));
  }
  return boxes;
}

Crops::Crop cropOf(const ImageLevels& image, const QRectF& box, int sidePx) {
  const double longer = std::max(box.width(), box.height());
  const double side = std::max(longer * (1 + 2 * kBeside), kLeastSidePx);
  QRectF part(0, 0, side, side);
  part.moveCenter(box.center());
  part &= QRectF(QPointF(), QSizeF(image.size()));
  if (part.isEmpty()) return {};
  const double wanted = sidePx / std::max(part.width(), part.height());
  const QImage& level = image.levelFor(wanted);
  const double ratio = static_cast<double>(level.width()) / image.size().width();
  const QRect source =
      QRectF(part.topLeft() * ratio, part.size() * ratio).toAlignedRect() & level.rect();
  if (source.isEmpty()) return {};
  QImage picture = level.copy(source);
  if (std::max(picture.width(), picture.height()) > sidePx)
    picture = picture.scaled(sidePx, sidePx, Qt::KeepAspectRatio, Qt::SmoothTransformation);
  const double scale = ratio * picture.width() / source.width();
  const QPointF corner = QPointF(source.topLeft()) / ratio;
  return {picture, QRectF((box.topLeft() - corner) * scale, box.size() * scale)};
}

}  // namespace

qint64 Crops::sizeBytes() const {
  qint64 bytes = 0;
  for (const Crop& crop : crops) bytes += crop.picture.sizeInBytes();
  return bytes;
}

Crops cropInstances(const CropRequest& request, int sidePx) {
  const DecodedImage decoded = decodeImage(request.path, request.annotatedSize);
  Crops found{{}, decoded.failure, decoded.version};
  if (found.failure.isEmpty())
    found.failure = whyOfAnotherSize(decoded.levels.size(), request.annotatedSize);
  if (!found.failure.isEmpty()) return found;
  try {
    for (const QRectF& box : boxesOf(request))
      found.crops.push_back(cropOf(decoded.levels, box, sidePx));
  } catch (const std::exception& error) {
    found.crops.clear();
    found.failure = QString::fromUtf8(error.what());
  }
  return found;
}

}  // namespace lockstep::widgets
