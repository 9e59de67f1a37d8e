#include "tests/widgets_image_view/made_pairs.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <cmath>

#include "engine/base/counter_hash.h"
#include "tests/widgets_image_view/made_images.h"

namespace lockstep::tests {
namespace {

constexpr int kImages = 40, kObjects = 7, kClasses = 3;

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : seed_(seed) {}
  double next() { return base::counterUniform({seed_, count_++, 0}); }
  double below(double limit) { return std::floor(limit * next()); }

 private:
  std::uint64_t seed_, count_ = 0;
};

std::vector<coco::Detection> detected(const coco::Image& image,
                                      const std::vector<coco::Annotation>& objects,
                                      Chance& chance) {
  std::vector<coco::Detection> found;
  for (const coco::Annotation& object : objects) {
    const double fate = chance.next();
    if (fate < 0.2) continue;
    for (int times = fate < 0.4 ? 2 : 1; times > 0; --times) {
      std::array<double, 4> box = object.boxXywh;
      box[0] += chance.below(12);
      box[1] += chance.below(6);
      found.push_back(boxDetection(image, object.categoryId.value, chance.below(10) / 10, box));
    }
  }
  return found;
}

}  // namespace

MadePairs::MadePairs(std::uint64_t seed) {
  Chance chance(seed);
  std::vector<coco::Image> images;
  std::vector<coco::Annotation> truth;
  std::int64_t id = 1;
  for (int i = 1; i <= kImages; ++i) {
    const coco::Image image{ImageId{i}, std::to_string(i) + ".png", 200, 120};
    std::vector<coco::Annotation> own;
    for (int k = 0; k < kObjects; ++k, ++id) {
      const double x = chance.below(140), y = chance.below(80), w = 12 + chance.below(30),
                   h = 10 + chance.below(20);
      own.push_back(boxAnnotation(id, i, 1 + id % kClasses, {x, y, w, h}));
      own.back().isCrowd = id % 19 == 0;
    }
    const auto add = [&](widgets::PredictionStore::ByImage& to) {
      to[image.id] =
          std::make_shared<const std::vector<coco::Detection>>(detected(image, own, chance));
    };
    if (i % 5 != 0) add(first);
    if (i % 7 != 0) add(second);
    images.push_back(image);
    truth.insert(truth.end(), own.begin(), own.end());
  }
  std::vector<coco::Category> categories;
  for (int c = 1; c <= kClasses; ++c) categories.push_back({CategoryId{c}, std::to_string(c)});
  dataset = coco::Dataset::fromParts(images, categories, truth, "made");
}

std::string writeResults(const QString& file, const widgets::PredictionStore::ByImage& predictions,
                         const coco::Dataset& images) {
  QJsonArray results;
  for (const auto& [id, detections] : predictions) {
    if (!images.findImage(id)) continue;
    const auto own = detections.read();
    for (const coco::Detection& one : *own) {
      QJsonArray box;
      for (const double side : one.boxXywh) box.append(side);
      results.append(QJsonObject{{QStringLiteral("image_id"), qint64{id.value}},
                                 {QStringLiteral("category_id"), qint64{one.categoryId.value}},
                                 {QStringLiteral("score"), one.score},
                                 {QStringLiteral("bbox"), box}});
    }
  }
  QFile to(file);
  if (to.open(QIODevice::WriteOnly)) to.write(QJsonDocument(results).toJson());
  return file.toStdString();
}

}  // namespace lockstep::tests
