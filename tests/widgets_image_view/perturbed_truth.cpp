#include "tests/widgets_image_view/perturbed_truth.h"

#include <algorithm>
#include <cmath>

#include "engine/base/counter_hash.h"

namespace lockstep::tests {
namespace {

/// -1 … 1.
double noise(std::uint64_t image, std::uint64_t object, std::uint64_t what) {
  return 2.0 * base::counterUniform({image, object, what}) - 1.0;
}

std::vector<double> moved(const std::vector<double>& xy, double dx, double dy, double scale) {
  double centreX = 0, centreY = 0;
  const auto points = static_cast<double>(xy.size() / 2);
  for (std::size_t i = 0; i + 1 < xy.size(); i += 2) {
    centreX += xy[i] / points;
    centreY += xy[i + 1] / points;
  }
  std::vector<double> result(xy.size());
  for (std::size_t i = 0; i + 1 < xy.size(); i += 2) {
    result[i] = centreX + (xy[i] - centreX) * scale + dx;
    result[i + 1] = centreY + (xy[i + 1] - centreY) * scale + dy;
  }
  return result;
}

coco::Detection detectionOf(const coco::Annotation& truth, const coco::Image& image, coco::Rle mask,
                            double score) {
  coco::Detection detection{image.id, truth.categoryId, score, coco::boundingBoxXywh(mask),
                            std::move(mask)};
  return detection;
}

}  // namespace

std::vector<coco::Detection> perturbedTruth(const coco::Dataset& dataset, double quality) {
  std::vector<coco::Detection> detections;
  const double spread = 1.0 - quality;
  for (std::size_t i = 0; i < dataset.images().size(); ++i) {
    const coco::Image& image = dataset.images()[i];
    const auto imageKey = static_cast<std::uint64_t>(image.id.value);
    std::uint64_t object = 0;
    for (const coco::Annotation& truth : dataset.annotationsOf(i)) {
      ++object;
      const auto* polygons = std::get_if<std::vector<std::vector<double>>>(&truth.segmentation);
      if (truth.isCrowd || polygons == nullptr || polygons->empty()) continue;
      if (base::counterUniform({imageKey, object, 1}) < 0.25 * spread) continue;
      const double side = std::sqrt(truth.boxXywh[2] * truth.boxXywh[3]);
      const bool isWild = base::counterUniform({imageKey, object, 2}) < 0.3 * spread;
      const double reach = side * (isWild ? 0.7 : 0.16 * spread);
      const std::vector<double> xy = moved(polygons->front(), reach * noise(imageKey, object, 3),
                                           reach * noise(imageKey, object, 4),
                                           1.0 + 0.2 * spread * noise(imageKey, object, 5));
      const double score = std::clamp(
          (isWild ? 0.6 : 0.94) + 0.12 * noise(imageKey, object, 6) - 0.1 * spread, 0.02, 0.999);
      coco::Rle mask = coco::rasterisePolygon(xy, image.height, image.width);
      if (coco::areaPx(mask) > 0)
        detections.push_back(detectionOf(truth, image, std::move(mask), score));
    }
  }
  return detections;
}

}  // namespace lockstep::tests
