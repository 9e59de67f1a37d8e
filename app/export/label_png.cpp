#include "app/export/label_png.h"

#include <QBuffer>
#include <QImage>
#include <algorithm>
#include <vector>

#include "engine/base/error.h"
#include "engine/coco/files/results.h"
#include "engine/formats/label_masks.h"

namespace lockstep::app {
namespace {

constexpr std::size_t kMostOf8Bits = 255, kMostOf16Bits = 65535;

/// A mask and its label; those that cover others come later.
using Labels = std::vector<std::pair<std::uint32_t, coco::Rle>>;

Labels labelsOfObjects(const widgets::ShownResults& of) {
  Labels labels;
  const auto& objects = of.dataset->annotationsOf(of.imageIndex);
  for (std::size_t i = 0; i < objects.size(); ++i)
    if (objects[i].hasMask && !objects[i].isCrowd)
      labels.emplace_back(static_cast<std::uint32_t>(i + 1),
                          coco::annotationMask(objects[i], of.image()));
  return labels;
}

Labels labelsOfDetections(const widgets::ShownResults& of) {
  const auto found = of.predictions.find(of.image().id);
  if (found == of.predictions.end()) return {};
  const auto detections = found->second.read();
  std::vector<const coco::Detection*> shown;
  for (const coco::Detection& one : *detections)
    if (one.score >= of.scoreThreshold && one.mask.height > 0 &&
        !of.hidden.contains(one.categoryId)) {
      coco::requireMaskSize(one, of.image());
      shown.push_back(&one);
    }
  std::ranges::stable_sort(shown, std::greater(), &coco::Detection::score);
  Labels labels;
  for (std::size_t i = shown.size(); i-- > 0;)
    labels.emplace_back(static_cast<std::uint32_t>(i + 1), shown[i]->mask);
  return labels;
}

QImage imageOf(const formats::LabelImage& labels, bool isWide) {
  QImage image(labels.width, labels.height,
               isWide ? QImage::Format_Grayscale16 : QImage::Format_Grayscale8);
  for (int y = 0; y < labels.height; ++y)
    for (int x = 0; x < labels.width; ++x) {
      const std::uint32_t id =
          labels.ids[static_cast<std::size_t>(y) * static_cast<std::size_t>(labels.width) +
                     static_cast<std::size_t>(x)];
      if (isWide)
        reinterpret_cast<quint16*>(image.scanLine(y))[x] = static_cast<quint16>(id);
      else
        image.scanLine(y)[x] = static_cast<uchar>(id);
    }
  return image;
}

}  // namespace

QByteArray labelPng(const widgets::ShownResults& of, LabelSource source) {
  const Labels labels =
      source == LabelSource::Objects ? labelsOfObjects(of) : labelsOfDetections(of);
  std::uint32_t most = 0;
  for (const auto& [id, mask] : labels) most = std::max(most, id);
  if (most > kMostOf16Bits)
    throw Error(of.image().fileName + ": has over 65,535 masks, which no label image can hold");
  formats::LabelImage image{of.image().width, of.image().height, {}};
  image.ids.assign(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height),
                   0);
  for (const auto& [id, mask] : labels) formats::paint(mask, id, image);
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  imageOf(image, most > kMostOf8Bits).save(&buffer, "PNG");
  return buffer.data();
}

}  // namespace lockstep::app
