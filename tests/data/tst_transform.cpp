#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/data/photometric.h"
#include "engine/data/transform.h"
#include "engine/structures/image_row.h"
#include "tests/data/small_data_set.h"
#include "tests/support/masks.h"
#include "tests/support/test_main.h"
#include "tests/support/torch_reference.h"

using namespace lockstep;
using base::ImageSize;
using data::TransformPlan;

namespace {

TransformPlan plan(ImageSize original, ImageSize resized, bool flipHorizontal, bool flipVertical) {
  TransformPlan made;
  made.original = original;
  made.resized = resized;
  made.window = {0, 0, static_cast<int>(original.width), static_cast<int>(original.height)};
  made.flipHorizontal = flipHorizontal;
  made.flipVertical = flipVertical;
  return made;
}

at::Tensor transformed(const data::RgbImage& image, const TransformPlan& plan) {
  at::Tensor out = torch::full({3, plan.resized.height, plan.resized.width}, 99.0f);
  data::resizeImage(image, plan, plan.resized, out.data_ptr<float>());
  return out;
}

/// The same with ATen: to float, normalise, flip, interpolate.
at::Tensor plainTransform(const data::RgbImage& image, const TransformPlan& plan) {
  at::Tensor pixels =
      torch::from_blob(image.pixels.get(), {image.height, image.width, 3}, torch::kByte);
  pixels = pixels.permute({2, 0, 1}).to(torch::kFloat) / 255;
  const at::Tensor mean =
      torch::tensor(at::ArrayRef<float>(structures::kImageMean)).reshape({3, 1, 1});
  const at::Tensor deviation =
      torch::tensor(at::ArrayRef<float>(structures::kImageStd)).reshape({3, 1, 1});
  pixels = (pixels - mean) / deviation;
  if (plan.flipHorizontal) pixels = pixels.flip(2);
  if (plan.flipVertical) pixels = pixels.flip(1);
  namespace F = torch::nn::functional;
  const std::vector<std::int64_t> size{plan.resized.height, plan.resized.width};
  return F::interpolate(
      pixels.unsqueeze(0),
      F::InterpolateFuncOptions().size(size).mode(torch::kBilinear).align_corners(false))[0];
}

at::Tensor plainMask(const coco::Annotation& annotation, const coco::Image& image,
                     const TransformPlan& plan) {
  std::vector<std::uint8_t> full = coco::decodeMask(coco::annotationMask(annotation, image));
  at::Tensor mask =
      torch::from_blob(full.data(), {image.height, image.width}, torch::kByte).to(torch::kFloat);
  if (plan.flipHorizontal) mask = mask.flip(1);
  if (plan.flipVertical) mask = mask.flip(0);
  namespace F = torch::nn::functional;
  const std::vector<std::int64_t> size{plan.resized.height, plan.resized.width};
  return F::interpolate(mask.unsqueeze(0).unsqueeze(0),
                        F::InterpolateFuncOptions().size(size).mode(torch::kNearest))[0][0]
      .to(torch::kByte);
}

void sizeRows() {
  QTest::addColumn<int>("height");
  QTest::addColumn<int>("width");
  QTest::newRow("same") << 61 << 97;
  QTest::newRow("smaller") << 32 << 50;
  QTest::newRow("tiny") << 1 << 1;
  QTest::newRow("larger") << 128 << 203;
  QTest::newRow("twice") << 122 << 194;
  QTest::newRow("half") << 30 << 48;
  QTest::newRow("one side only") << 61 << 300;
  QTest::newRow("across") << 200 << 20;
}

const bool kFlips[4][2] = {{false, false}, {true, false}, {false, true}, {true, true}};

}  // namespace

class TstTransform : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void imagesAreResizedAsByAten_data() { sizeRows(); }
  void imagesAreResizedAsByAten() {
    QFETCH(int, height);
    QFETCH(int, width);
    const data::RgbImage image = tests::noisePicture(97, 61, 4);
    for (const auto& [horizontal, vertical] : kFlips) {
      const TransformPlan made = plan({61, 97}, {height, width}, horizontal, vertical);
      const double difference =
          (transformed(image, made) - plainTransform(image, made)).abs().max().item<double>();
      QVERIFY2(difference <= 1e-6, qPrintable(QString::number(difference)));
    }
  }

  void masksAreResizedAsByATen_data() { sizeRows(); }
  void masksAreResizedAsByATen() {
    QFETCH(int, height);
    QFETCH(int, width);
    const coco::Dataset dataset = tests::smallDataset();
    for (std::size_t i = 0; i < dataset.images().size(); ++i) {
      const coco::Image& image = dataset.images()[i];
      for (const auto& [horizontal, vertical] : kFlips) {
        const TransformPlan made =
            plan({image.height, image.width}, {height, width}, horizontal, vertical);
        const auto gt =
            data::transformAnnotations(dataset.annotationsOf(i), data::ClassTable(dataset), made);
        const at::Tensor masks = tests::wholeMasks(gt.masks);
        std::int64_t row = 0;
        for (const coco::Annotation& annotation : dataset.annotationsOf(i)) {
          if (!annotation.isUsable()) continue;
          QVERIFY(torch::equal(masks[row], plainMask(annotation, image, made)));
          ++row;
        }
        QCOMPARE(gt.count(), row);
        QCOMPARE(masks.size(0), row);
      }
    }
  }

  void boxesAreTransformedWithTheirImage() {
    const coco::Dataset dataset = tests::smallDataset();
    const std::size_t index = dataset.imageIndex({2});  // 60 x 100, box -4 70 30 40
    const auto boxOf = [&](bool horizontal, bool vertical) {
      const TransformPlan made = plan({100, 60}, {200, 90}, horizontal, vertical);
      return data::transformAnnotations(dataset.annotationsOf(index), data::ClassTable(dataset),
                                        made)
          .boxesXyxy;
    };
    QVERIFY(torch::allclose(boxOf(false, false), torch::tensor({{0.0f, 140.0f, 39.0f, 200.0f}})));
    QVERIFY(torch::allclose(boxOf(true, false), torch::tensor({{51.0f, 140.0f, 90.0f, 200.0f}})));
    QVERIFY(torch::allclose(boxOf(false, true), torch::tensor({{0.0f, 0.0f, 39.0f, 60.0f}})));
    QVERIFY(torch::allclose(boxOf(true, true), torch::tensor({{51.0f, 0.0f, 90.0f, 60.0f}})));
  }

  void onlyUsableAnnotationsAreKept() {
    const coco::Dataset dataset = tests::smallDataset();
    const std::size_t index = dataset.imageIndex({7});  // two usable ones, one 1 px wide, a crowd
    const auto gt =
        data::transformAnnotations(dataset.annotationsOf(index), data::ClassTable(dataset),
                                   plan({61, 97}, {61, 97}, false, false));
    QVERIFY(torch::equal(gt.classes, torch::tensor({2, 1}, torch::kLong)));
    QCOMPARE(gt.boxesXyxy.scalar_type(), torch::kFloat);
    QCOMPARE(gt.masks.pixels.scalar_type(), torch::kByte);
    const std::size_t empty = dataset.imageIndex({41});
    const auto none =
        data::transformAnnotations(dataset.annotationsOf(empty), data::ClassTable(dataset),
                                   plan({48, 64}, {24, 32}, false, false));
    QVERIFY((none.boxesXyxy.sizes() == at::IntArrayRef{0, 4}) &&
            (tests::wholeMasks(none.masks).sizes() == at::IntArrayRef{0, 24, 32}));
  }

  void boxesOutsideTheImageAreLeftOut() {
    coco::Annotation outside;
    outside.id = 1;
    outside.imageId = {1};
    outside.categoryId = {1};
    outside.boxXywh = {200, 10, 20, 20};
    outside.area = 400;
    outside.segmentation = std::vector<std::vector<double>>{{200, 10, 220, 10, 220, 30}};
    const coco::Dataset dataset = coco::Dataset::fromParts(
        {{{1}, "a.png", 100, 50}}, {{{1}, "thing"}}, {outside}, "made.json");
    const auto gt = data::transformAnnotations(dataset.annotationsOf(0), data::ClassTable(dataset),
                                               plan({50, 100}, {50, 100}, false, false));
    QCOMPARE(gt.count(), std::int64_t{0});
  }

  void remainingBoxesAreNotEmpty_data() {
    QTest::addColumn<double>("x");
    QTest::addColumn<double>("y");
    QTest::addColumn<double>("width");
    QTest::addColumn<double>("height");
    QTest::newRow("sliver on the left") << -5.0 << 10.0 << 5.000001 << 20.0;
    QTest::newRow("sliver above") << 10.0 << -5.0 << 20.0 << 5.000001;
    QTest::newRow("sliver on the right") << 640 - 1e-4 << 10.0 << 20.0 << 20.0;
    QTest::newRow("corner of a pixel") << -4.0 << -4.0 << 4 + 1e-9 << 4 + 1e-9;
    QTest::newRow("whole") << 10.0 << 10.0 << 2.0 << 2.0;
  }
  void remainingBoxesAreNotEmpty() {
    QFETCH(double, x);
    QFETCH(double, y);
    QFETCH(double, width);
    QFETCH(double, height);
    coco::Annotation annotation;
    annotation.id = 1;
    annotation.imageId = {1};
    annotation.categoryId = {1};
    annotation.boxXywh = {x, y, width, height};
    annotation.area = 400;
    annotation.segmentation = std::vector<std::vector<double>>{{x, y, x + width, y, x, y + height}};
    const coco::Dataset dataset = coco::Dataset::fromParts(
        {{{1}, "a.png", 640, 480}}, {{{1}, "thing"}}, {annotation}, "made.json");
    for (const auto& [horizontal, vertical] : kFlips) {
      const auto gt =
          data::transformAnnotations(dataset.annotationsOf(0), data::ClassTable(dataset),
                                     plan({480, 640}, {800, 1066}, horizontal, vertical));
      const at::Tensor sides = gt.boxesXyxy.slice(1, 2) - gt.boxesXyxy.slice(1, 0, 2);
      QVERIFY2((sides > 0).all().item<bool>(), "its regression target would be -infinity");
      QCOMPARE(gt.classes.size(0), gt.count());
      QCOMPARE(gt.masks.windows.size(0), gt.count());
      if (width == 2) QCOMPARE(gt.count(), std::int64_t{1});
    }
  }

  void classesAreThoseOfTheModel() {
    const coco::Dataset dataset = tests::smallDataset();  // names 3 and 18
    const std::size_t index = dataset.imageIndex({7});    // an 18, then a 3
    const auto classesIn = [&](const data::ClassTable& model) {
      return data::transformAnnotations(dataset.annotationsOf(index), model,
                                        plan({61, 97}, {61, 97}, false, false))
          .classes;
    };
    const std::vector<CategoryId> more{{3}, {7}, {18}}, turned{{18}, {3}}, fewer{{3}};
    QVERIFY(torch::equal(classesIn(data::ClassTable(more)), torch::tensor({3, 1}, torch::kLong)));
    QVERIFY(torch::equal(classesIn(data::ClassTable(turned)), torch::tensor({1, 2}, torch::kLong)));
    QVERIFY_EXCEPTION_THROWN(classesIn(data::ClassTable(fewer)), Error);
  }

  void plansAreAFunctionOfSeedEpochAndImage() {
    config::AugmentConfig augment;
    augment.minSize = {40, 50, 60};
    augment.brightness = augment.contrast = augment.saturation = 0.3;
    augment.verticalFlip = 0.25;
    int horizontal = 0, vertical = 0, sizes[3] = {};
    double least = 2, most = 0;
    for (std::int64_t id = 0; id < 3000; ++id) {
      const TransformPlan made = data::planTraining(augment, {100, 150}, {id}, 4, 9);
      const TransformPlan again = data::planTraining(augment, {100, 150}, {id}, 4, 9);
      QVERIFY(made.flipHorizontal == again.flipHorizontal && made.brightness == again.brightness);
      horizontal += made.flipHorizontal;
      vertical += made.flipVertical;
      ++sizes[(made.resized.height - 40) / 10];
      least = std::min({least, made.brightness, made.contrast, made.saturation});
      most = std::max({most, made.brightness, made.contrast, made.saturation});
    }
    QVERIFY(std::abs(horizontal - 1500) < 120 && std::abs(vertical - 750) < 120);
    for (int count : sizes) QVERIFY(std::abs(count - 1000) < 120);
    QVERIFY(least >= 0.7 && least < 0.71 && most < 1.3 && most > 1.29);
    const TransformPlan held = data::planEvaluation(augment, {100, 150});
    QVERIFY(!held.flipHorizontal && !held.flipVertical && !held.changesColour() &&
            held.resized.height == 60);
  }

  void jitterFactorsOfOneAndZero() {
    data::RgbImage image = tests::noisePicture(20, 10, 3);
    const data::RgbImage before = tests::noisePicture(20, 10, 3);
    data::jitterColour(image, 1, 1, 1);
    QVERIFY(std::equal(image.pixels.get(), image.pixels.get() + 600, before.pixels.get()));
    data::jitterColour(image, 1, 1, 0);
    for (int i = 0; i < 200; ++i) {
      QCOMPARE(image.pixels[3 * i], image.pixels[3 * i + 1]);
      QCOMPARE(image.pixels[3 * i], image.pixels[3 * i + 2]);
    }
    data::jitterColour(image, 1, 0, 1);
    QVERIFY(std::count(image.pixels.get(), image.pixels.get() + 600, image.pixels[0]) == 600);
    data::jitterColour(image, 0, 1, 1);
    QVERIFY(std::count(image.pixels.get(), image.pixels.get() + 600, 0) == 600);
  }
};

LOCKSTEP_TEST(TstTransform)
#include "tst_transform.moc"
