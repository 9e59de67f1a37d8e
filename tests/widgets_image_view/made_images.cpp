#include "tests/widgets_image_view/made_images.h"

#include <QDir>
#include <QImage>

namespace lockstep::tests {

coco::Detection boxDetection(const coco::Image& image, std::int64_t category, double score,
                             std::array<double, 4> xywh) {
  const double left = xywh[0], top = xywh[1], right = left + xywh[2], bottom = top + xywh[3];
  const std::array<double, 8> xy{left, top, right, top, right, bottom, left, bottom};
  return {image.id, CategoryId{category}, score, xywh,
          coco::rasterisePolygon(xy, image.height, image.width)};
}

std::shared_ptr<const coco::Dataset> writeMadeImages(const QString& folder, int count) {
  std::vector<coco::Image> images;
  std::vector<coco::Annotation> annotations;
  for (int i = 1; i <= count; ++i) {
    const QString name = QStringLiteral("image%1.png").arg(i);
    QImage picture(64, 48, QImage::Format_RGB32);
    picture.fill(qRgb(40 + i, 40, 40));
    picture.save(QDir(folder).filePath(name));
    images.push_back({ImageId{i}, name.toStdString(), 64, 48});
    annotations.push_back(boxAnnotation(2 * i, i, 1, {4, 4, 16, 16}));
    annotations.push_back(boxAnnotation(2 * i + 1, i, 2, {36, 20, 16, 16}));
  }
  return std::make_shared<const coco::Dataset>(coco::Dataset::fromParts(
      images, {{CategoryId{1}, "disc"}, {CategoryId{2}, "star"}}, annotations, "made"));
}

}  // namespace lockstep::tests
