#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "engine/coco/masks/mask_geometry.h"
#include "engine/config/resized_size.h"
#include "engine/data/annotated_image.h"
#include "engine/data/copy_paste.h"
#include "engine/data/image_cache.h"
#include "engine/data/photometric.h"
#include "engine/data/sample_loader.h"
#include "engine/data/transform.h"
#include "engine/data/transform_plan.h"
#include "tests/data/small_data_set.h"
#include "tests/support/masks.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using base::ImageSize;
using data::AnnotatedImage;
using data::TransformPlan;

namespace {

constexpr int kTrials = 400;

config::AugmentConfig smallSizes() {
  config::AugmentConfig augment;
  augment.minSize = {60};
  augment.maxSize = 90;
  return augment;
}

TransformPlan planOf(const config::AugmentConfig& augment, std::int64_t id,
                     const ImageSize& size = {100, 150}) {
  return data::planTraining(augment, size, {id}, 2, 7);
}

/// [H,W,3]
at::Tensor tensorOf(const data::RgbImage& image) {
  return torch::from_blob(image.pixels.get(), {image.height, image.width, 3}, torch::kByte).clone();
}

/// [H,W]
at::Tensor tensorOf(const coco::Rle& mask) {
  std::vector<std::uint8_t> pixels = coco::decodeMask(mask);
  return torch::from_blob(pixels.data(), {mask.height, mask.width}, torch::kByte).clone();
}

const coco::Rle& maskOf(const coco::Annotation& annotation) {
  return std::get<coco::Rle>(annotation.segmentation);
}

/// The plan applied to whole tensors [H,W,…].
at::Tensor plainCut(at::Tensor values, const TransformPlan& plan, bool withFlips) {
  values = values.rot90(-plan.quarterTurns, {0, 1});
  values = values.slice(0, plan.window.y, plan.window.y + plan.window.height)
               .slice(1, plan.window.x, plan.window.x + plan.window.width);
  if (withFlips && plan.flipHorizontal) values = values.flip(1);
  if (withFlips && plan.flipVertical) values = values.flip(0);
  return values.contiguous();
}

/// x, y, width, height of the pixels of a mask.
std::array<double, 4> boxOf(const at::Tensor& mask) {
  const at::Tensor inside = mask.nonzero();
  const at::Tensor low = std::get<0>(inside.min(0)), high = std::get<0>(inside.max(0)) + 1;
  const auto x = low[1].item<double>(), y = low[0].item<double>();
  return {x, y, high[1].item<double>() - x, high[0].item<double>() - y};
}

/// A grey image with rectangles as objects, whose masks are RLE.
AnnotatedImage rectangles(const ImageSize& size, std::uint8_t grey,
                          const std::vector<std::array<int, 4>>& boxes) {
  AnnotatedImage image;
  image.pixels = data::RgbImage(static_cast<int>(size.width), static_cast<int>(size.height));
  std::fill_n(image.pixels.pixels.get(), image.pixels.valueCount(), grey);
  for (const auto& [x, y, width, height] : boxes) {
    coco::Annotation annotation;
    annotation.id = static_cast<std::int64_t>(image.annotations.size()) + 1;
    annotation.imageId = {1};
    annotation.categoryId = {1};
    annotation.boxXywh = {double(x), double(y), double(width), double(height)};
    annotation.area = width * height;
    annotation.segmentation =
        coco::placed({x, y, width, height,
                      std::vector<std::uint8_t>(static_cast<std::size_t>(width * height), 1)},
                     size);
    image.annotations.push_back(annotation);
  }
  return image;
}

}  // namespace

class TstAugmentation : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  coco::Dataset dataset_ = tests::smallDataset();

  data::SampleLoader loader(const config::AugmentConfig& augment,
                            std::shared_ptr<data::ImageCache> cache = {}) const {
    return {dataset_, folder_.path().toStdString(), augment, data::ClassTable(dataset_),
            data::LoaderOptions{.seed = 7, .cache = std::move(cache)}};
  }
  static config::AugmentConfig everything() {
    config::AugmentConfig augment = smallSizes();
    augment.crop = 0.5;
    augment.scaleJitter = {0.5, 2};
    augment.quarterTurns = 0.75;
    augment.verticalFlip = 0.5;
    augment.blur = 1.5;
    augment.noise = 0.05;
    augment.brightness = 0.2;
    augment.copyPaste = 1;
    return augment;
  }

 private Q_SLOTS:
  void initTestCase() { tests::writePictures(dataset_, folder_.path().toStdString()); }

  void cropsKeepAPartOfEachSide() {
    config::AugmentConfig augment = smallSizes();
    augment.crop = 0.4;
    int narrowest = 150, lowest = 100, touching = 0;
    for (std::int64_t id = 0; id < kTrials; ++id) {
      const TransformPlan plan = planOf(augment, id);
      const coco::PixelWindow& window = plan.window;
      QVERIFY(window.x >= 0 && window.y >= 0 && window.x + window.width <= 150 &&
              window.y + window.height <= 100);
      QCOMPARE(plan.resized, config::resizedSize(plan.croppedSize(), 60, 90));
      narrowest = std::min(narrowest, window.width);
      lowest = std::min(lowest, window.height);
      touching += window.x + window.width == 150;
    }
    QVERIFY(narrowest >= 60 && narrowest < 63 && lowest >= 40 && lowest < 42);
    QVERIFY2(touching > 0, "a window may end at the border");
  }

  void scaleJitterResizesOrCrops() {
    config::AugmentConfig augment = smallSizes();
    augment.scaleJitter = {0.1, 2};
    const ImageSize whole = config::resizedSize({100, 150}, 60, 90);
    int smaller = 0, cropped = 0;
    for (std::int64_t id = 0; id < kTrials; ++id) {
      const TransformPlan plan = planOf(augment, id);
      QVERIFY(plan.resized.height <= whole.height && plan.resized.width <= whole.width);
      if (plan.isTurnedOrCropped()) {
        ++cropped;
        QCOMPARE(plan.resized, whole);
        QVERIFY(plan.window.width >= 75 && plan.window.height >= 50);
        QVERIFY(std::abs(plan.window.width * 100 - plan.window.height * 150) <= 150);
      } else {
        ++smaller;
        QVERIFY(plan.resized.height >= 6);
      }
    }
    // Factors are uniform in 0.1 … 2: 9 of 19 are below 1.
    QVERIFY(std::abs(smaller - kTrials * 9 / 19) < 40 && cropped + smaller == kTrials);
  }

  void quarterTurnsAreEquallyLikely() {
    config::AugmentConfig augment = smallSizes();
    augment.quarterTurns = 0.75;
    std::map<int, int> counts;
    for (std::int64_t id = 0; id < kTrials; ++id) {
      const TransformPlan plan = planOf(augment, id);
      ++counts[plan.quarterTurns];
      const bool isOnItsSide = plan.quarterTurns % 2 == 1;
      QCOMPARE(plan.window.width, isOnItsSide ? 100 : 150);
      QCOMPARE(plan.resized.width, isOnItsSide ? 60 : 90);
    }
    QCOMPARE(counts.size(), std::size_t{4});
    for (const auto& [turns, count] : counts) QVERIFY(std::abs(count - kTrials / 4) < 40);
  }

  void plansWithoutTheseKeysAreUnchanged() {
    for (std::int64_t id = 0; id < 20; ++id) {
      const TransformPlan plan = planOf(smallSizes(), id);
      QVERIFY(!plan.isTurnedOrCropped() && !plan.changesColour());
    }
    QVERIFY(!data::planEvaluation(everything(), {100, 150}).isTurnedOrCropped());
    QVERIFY(!data::planEvaluation(everything(), {100, 150}).changesColour());
  }

  void cutImagesEqualCutTensors() {
    config::AugmentConfig augment = everything();
    for (std::size_t index = 0; index < dataset_.images().size(); ++index) {
      const coco::Image& image = dataset_.images()[index];
      const data::RgbImage pixels = tests::noisePicture(image.width, image.height, index);
      for (std::int64_t trial = 0; trial < 20; ++trial) {
        const TransformPlan plan = planOf(augment, trial, {image.height, image.width});
        for (const bool withFlips : {false, true}) {
          const AnnotatedImage cut =
              data::turnAndCrop(pixels, dataset_.annotationsOf(index), plan, withFlips);
          QVERIFY(torch::equal(tensorOf(cut.pixels), plainCut(tensorOf(pixels), plan, withFlips)));
          compareObjects(cut, index, plan, withFlips);
        }
      }
    }
  }

  void aCutBoxAloneHasTheAreaOfItsRest() {
    AnnotatedImage image = rectangles({40, 50}, 50, {{10, 10, 20, 20}});
    image.annotations[0].hasMask = false;
    TransformPlan plan = data::planEvaluation(smallSizes(), {40, 50});
    plan.window = {20, 0, 30, 40};
    const AnnotatedImage cropped = data::turnAndCrop(image.pixels, image.annotations, plan);
    QCOMPARE(cropped.annotations[0].boxXywh, (std::array<double, 4>{0, 10, 10, 20}));
    QCOMPARE(cropped.annotations[0].area, 200.0);
  }

  void pastedObjectsCoverOthers() {
    const AnnotatedImage donor = rectangles({40, 50}, 200, {{10, 10, 20, 20}});
    AnnotatedImage image =
        rectangles({40, 50}, 50, {{5, 5, 20, 20}, {12, 12, 10, 10}, {35, 0, 9, 9}});
    data::pasteObjects(image, donor, {{40, 50}, 0, 0, 1});
    // The second object lies wholly under the pasted one; a quarter or so of the first remains.
    QCOMPARE(image.annotations.size(), std::size_t{3});
    const at::Tensor pasted = tensorOf(maskOf(image.annotations[2]));
    QCOMPARE(image.annotations[2].area, 400.0);
    QCOMPARE(image.annotations[0].area, 400.0 - 15 * 15);
    QCOMPARE(image.annotations[0].boxXywh, (std::array<double, 4>{5, 5, 20, 20}));
    QCOMPARE(image.annotations[1].area, 81.0);
    const at::Tensor pixels = tensorOf(image.pixels);
    QVERIFY((pixels.index({pasted == 1}) == 200).all().item<bool>());
    QVERIFY((pixels.index({pasted == 0}) == 50).all().item<bool>());
    const at::Tensor both = tensorOf(maskOf(image.annotations[0])) * pasted;
    QCOMPARE(both.sum().item<int>(), 0);
  }

  void objectsAreDroppedUnderATenth_data() {
    QTest::addColumn<int>("visibleColumns");
    QTest::addColumn<bool>("isKept");
    QTest::newRow("less than a tenth") << 1 << false;
    QTest::newRow("a tenth") << 2 << true;
    QTest::newRow("more") << 5 << true;
  }
  void objectsAreDroppedUnderATenth() {
    QFETCH(int, visibleColumns);
    QFETCH(bool, isKept);
    const AnnotatedImage donor = rectangles({40, 60}, 200, {{20, 0, 30, 40}});
    AnnotatedImage image = rectangles({40, 60}, 50, {{20 - visibleColumns, 5, 20, 20}});
    data::pasteObjects(image, donor, {{40, 60}, 0, 0, 1});
    QCOMPARE(image.annotations.size(), isKept ? std::size_t{2} : std::size_t{1});
    if (isKept) QCOMPARE(image.annotations[0].area, visibleColumns * 20.0);
  }

  void pastedObjectsAreResizedAndCutAtTheBorder() {
    const AnnotatedImage donor = rectangles({20, 20}, 200, {{5, 5, 10, 10}});
    AnnotatedImage image = rectangles({40, 40}, 50, {});
    data::pasteObjects(image, donor, {{40, 40}, 20, -20, 1});
    QCOMPARE(image.annotations.size(), std::size_t{1});
    QCOMPARE(image.annotations[0].boxXywh, (std::array<double, 4>{30, 0, 10, 10}));
    AnnotatedImage far = rectangles({40, 40}, 50, {});
    data::pasteObjects(far, donor, {{40, 40}, 29, 0, 1});
    QVERIFY2(far.annotations.empty(), "less than a tenth of it would be seen");
    QVERIFY((tensorOf(far.pixels) == 50).all().item<bool>());
  }

  void someObjectsOfTheDonorArePasted() {
    std::vector<std::array<int, 4>> boxes;
    for (int i = 0; i < 8; ++i) boxes.push_back({10 * i, 0, 8, 8});
    const AnnotatedImage donor = rectangles({20, 80}, 200, boxes);
    std::size_t all = 0;
    for (std::uint64_t key = 0; key < 200; ++key) {
      AnnotatedImage image = rectangles({20, 80}, 50, {});
      data::pasteObjects(image, donor, {{20, 80}, 0, 0, key});
      QVERIFY(!image.annotations.empty());
      all += image.annotations.size();
    }
    QVERIFY(std::abs(static_cast<int>(all) - 800) < 60);
  }

  void boxesAloneAreNotPasted() {
    AnnotatedImage donor = rectangles({40, 50}, 200, {{10, 10, 20, 20}});
    donor.annotations[0].hasMask = false;
    AnnotatedImage image = rectangles({40, 50}, 50, {});
    data::pasteObjects(image, donor, {{40, 50}, 0, 0, 1});
    QVERIFY(image.annotations.empty());
  }

  void donorsKeepTheirScale() {
    TransformPlan image, donor;
    image.window = {0, 0, 200, 100};
    image.resized = {50, 100};
    donor.resized = {25, 25};
    for (std::uint64_t key = 0; key < 50; ++key) {
      const data::PastePlan plan = data::planPaste(image, donor, key);
      QCOMPARE(plan.donorSize, (ImageSize{50, 50}));
      QVERIFY(plan.left >= 0 && plan.left <= 150 && plan.top >= 0 && plan.top <= 50);
      donor.resized = {100, 200};
      const data::PastePlan larger = data::planPaste(image, donor, key);
      QVERIFY(larger.left <= 0 && larger.left >= -200 && larger.top <= 0 && larger.top >= -100);
      donor.resized = {25, 25};
    }
  }

  void noiseIsNormal() {
    data::RgbImage image(200, 200);
    std::fill_n(image.pixels.get(), image.valueCount(), std::uint8_t{128});
    data::addNoise(image, 0.05, 3);
    const at::Tensor noise = tensorOf(image).to(torch::kDouble) - 128;
    const double deviation = noise.std().item<double>();
    QVERIFY(std::abs(noise.mean().item<double>()) < 0.2);
    QVERIFY(std::abs(deviation - 0.05 * 255) < 0.2);
    const double within = (noise.abs() <= deviation).to(torch::kDouble).mean().item<double>();
    QVERIFY(std::abs(within - 0.683) < 0.02);
    const at::Tensor flat = noise.flatten();
    const at::Tensor products = flat.slice(0, 1) * flat.slice(0, 0, -1);
    QVERIFY2(std::abs(products.mean().item<double>()) < 2, "neighbours are independent");
    data::RgbImage again(200, 200);
    std::fill_n(again.pixels.get(), again.valueCount(), std::uint8_t{128});
    data::addNoise(again, 0.05, 4);
    QVERIFY(!torch::equal(tensorOf(again), tensorOf(image)));
  }

  void batchesAreAFunctionOfSeedAndDraw() {
    const std::vector<data::Sampler::Draw> draws{{0, 3, 0, 1}, {1, 3, 0, 3}, {3, 3, 1, 0}};
    const data::Batch first = loader(everything()).loadTraining(draws);
    const data::Batch again = loader(everything()).loadTraining(draws);
    QVERIFY(torch::equal(first.images, again.images));
    QVERIFY(torch::equal(first.gts.boxesXyxy, again.gts.boxesXyxy));
    QVERIFY(torch::equal(first.gts.masks.pixels, again.gts.masks.pixels));
    std::vector<data::Sampler::Draw> others = draws;
    for (data::Sampler::Draw& draw : others) draw.epoch = 4;
    const data::Batch other = loader(everything()).loadTraining(others);
    QVERIFY(first.images.sizes() != other.images.sizes() ||
            !torch::equal(first.images, other.images));
  }

  void masksLieOnTheirPixels() {
    // Objects are white on black, so that whatever is done to the image, masks must be on white.
    AnnotatedImage drawn = rectangles({90, 120}, 0, {{10, 10, 40, 30}, {60, 40, 50, 40}});
    for (const coco::Annotation& annotation : drawn.annotations) {
      const auto box = annotation.boxXywh;
      for (int y = static_cast<int>(box[1]); y < static_cast<int>(box[1] + box[3]); ++y)
        std::fill_n(drawn.pixels.pixelAt(static_cast<int>(box[0]), y),
                    3 * static_cast<std::size_t>(box[2]), std::uint8_t{255});
    }
    for (const std::int64_t id : {1, 2}) {
      data::writeImage(drawn.pixels, std::filesystem::path(folder_.path().toStdString()) /
                                         ("white" + std::to_string(id) + ".png"));
    }
    std::vector<coco::Annotation> annotations = drawn.annotations;
    for (coco::Annotation annotation : drawn.annotations) {
      annotation.imageId = {2};
      annotation.id += 2;
      annotations.push_back(annotation);
    }
    const coco::Dataset dataset =
        coco::Dataset::fromParts({{{1}, "white1.png", 120, 90}, {{2}, "white2.png", 120, 90}},
                                 {{{1}, "thing"}}, annotations, "white.json");
    config::AugmentConfig augment = everything();
    augment.blur = augment.noise = augment.brightness = 0;
    const data::SampleLoader loader(dataset, folder_.path().toStdString(), augment,
                                    data::ClassTable(dataset), {.seed = 7});
    double onWhite = 0, all = 0;
    for (std::int64_t epoch = 0; epoch < 40; ++epoch) {
      const std::vector<data::Sampler::Draw> draws{{0, epoch, 0, 1}};
      const data::Batch batch = loader.loadTraining(draws);
      const at::Tensor masks = tests::wholeMasks(tests::instancesOf(batch.gts, 0).masks);
      const auto height = masks.size(1), width = masks.size(2);
      const at::Tensor white = (batch.images[0][0].slice(0, 0, height).slice(1, 0, width) > 0.2);
      const at::Tensor inMasks = masks.sum(0) > 0;
      QVERIFY2(masks.sum(0).max().item<int>() <= 1, "objects do not overlap");
      onWhite += white.logical_and(inMasks).sum().item<double>();
      all += white.logical_or(inMasks).sum().item<double>();
    }
    QVERIFY2(onWhite / all > 0.95, qPrintable(QString::number(onWhite / all)));
  }

  void aCacheChangesNothing() {
    const auto cache = std::make_shared<data::ImageCache>(std::int64_t{1} << 30);
    const data::SampleLoader plain = loader(everything()), cached = loader(everything(), cache);
    const std::vector<data::Sampler::Draw> draws{{0, 3, 0, 1}, {1, 3, 0, 3}};
    for (int round = 0; round < 2; ++round) {
      QVERIFY(torch::equal(plain.loadTraining(draws).images, cached.loadTraining(draws).images));
      QVERIFY(torch::equal(plain.loadEvaluation(2).images, cached.loadEvaluation(2).images));
    }
    QCOMPARE(cache->size(), std::size_t{4});
  }

  void aCacheKeepsItsLimit() {
    const auto bytesOf = [&](std::size_t index) {
      const coco::Image& image = dataset_.images()[index];
      return std::int64_t{3} * image.width * image.height;
    };
    const auto cache = std::make_shared<data::ImageCache>(bytesOf(0) + bytesOf(1));
    const data::SampleLoader cached = loader(smallSizes(), cache);
    for (const std::size_t index : {0, 1, 2, 0, 3}) cached.loadEvaluation(index);
    QCOMPARE(cache->size(), std::size_t{2});
    std::filesystem::remove(std::filesystem::path(folder_.path().toStdString()) /
                            dataset_.images()[0].fileName);
    QVERIFY2(cached.loadEvaluation(0).count() == 1, "it is not read again");
    tests::writePictures(dataset_, folder_.path().toStdString());
  }

  void boxesAloneHaveNoMask() {
    coco::Dataset dataset = tests::smallDataset();
    const std::size_t index = dataset.imageIndex({7});
    std::vector<coco::Annotation> annotations = dataset.annotationsOf(index);
    annotations[0].hasMask = false;
    const TransformPlan plan = data::planEvaluation(smallSizes(), {61, 97});
    const auto gt = data::transformAnnotations(annotations, data::ClassTable(dataset), plan);
    const at::Tensor hasMask = structures::batchGroundTruth({gt, gt, gt}).masks.hasMask();
    for (std::int64_t n = 0; n < 3; ++n) {
      QVERIFY(torch::equal(hasMask[n].slice(0, 0, gt.count()), torch::tensor({false, true})));
    }
    const auto none = data::transformAnnotations(annotations, data::ClassTable(dataset), plan,
                                                 /*withMasks=*/false);
    QVERIFY(!structures::batchGroundTruth({none}).masks.hasMask().any().item<bool>());
    QVERIFY(torch::equal(none.boxesXyxy, gt.boxesXyxy));
  }

 private:
  void compareObjects(const AnnotatedImage& cut, std::size_t index, const TransformPlan& plan,
                      bool withFlips) const {
    std::size_t next = 0;
    for (const coco::Annotation& annotation : dataset_.annotationsOf(index)) {
      const bool isPartlyOutsideItsBox = annotation.id == 5;
      if (!annotation.isUsable() || isPartlyOutsideItsBox) continue;
      while (next < cut.annotations.size() && cut.annotations[next].id == 5) ++next;
      const at::Tensor whole = tensorOf(coco::annotationMask(annotation, dataset_.images()[index]));
      const at::Tensor expected = plainCut(whole, plan, withFlips);
      const auto before = whole.sum().item<double>(), left = expected.sum().item<double>();
      if (left == 0) {
        QVERIFY(next == cut.annotations.size() || cut.annotations[next].id != annotation.id);
        continue;
      }
      QVERIFY(next < cut.annotations.size());
      const coco::Annotation& found = cut.annotations[next++];
      QCOMPARE(found.id, annotation.id);
      QVERIFY(torch::equal(tensorOf(maskOf(found)), expected));
      const std::array<double, 4> box = boxOf(expected);
      for (std::size_t i = 0; i < box.size(); ++i)
        QVERIFY(std::abs(found.boxXywh[i] - box[i]) <= 2);  // corners are thin
      if (left == before) continue;
      QCOMPARE(found.boxXywh, box);
      QCOMPARE(found.area, left);
    }
    while (next < cut.annotations.size() && cut.annotations[next].id == 5) ++next;
    QCOMPARE(next, cut.annotations.size());
  }
};

LOCKSTEP_TEST(TstAugmentation)
#include "tst_augmentation.moc"
