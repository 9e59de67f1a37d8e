#include <QTemporaryDir>
#include <QTest>
#include <stdexcept>

#include "engine/base/error.h"
#include "engine/data/device_feed.h"
#include "engine/data/sample_loader.h"
#include "engine/ops/resize_images.h"
#include "engine/structures/ground_truth.h"
#include "tests/data/small_data_set.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using data::Batch;
using data::DeviceFeed;
using data::LoaderOutput;
using data::Prefetcher;

namespace {

Batch numbered(std::int64_t number) {
  Batch batch;
  batch.images = torch::full({1, 3, 32, 32}, static_cast<double>(number));
  batch.gts = structures::batchGroundTruth({structures::GtInstances{}});
  batch.sizes = {{32, 32}};
  batch.step = number;
  return batch;
}

}  // namespace

class TstDeviceFeed : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  coco::Dataset dataset_ = tests::smallDataset();

  data::SampleLoader loader(LoaderOutput output) const {
    config::AugmentConfig augment;
    augment.minSize = {48, 64, 75};
    augment.maxSize = 100;
    augment.verticalFlip = 0.5;
    augment.brightness = augment.saturation = 0.3;
    return {dataset_, folder_.path().toStdString(), augment, data::ClassTable(dataset_),
            data::LoaderOptions{3, output}};
  }

 private Q_SLOTS:
  void initTestCase() { tests::writePictures(dataset_, folder_.path().toStdString()); }

  void decodedImagesBecomeTheTransformedOnes() {
    const data::SampleLoader ofImages = loader(LoaderOutput::Transformed),
                             ofPictures = loader(LoaderOutput::Decoded);
    data::SamplerOptions options;
    options.batchSize = 4;
    options.accumulate = 2;
    const data::Sampler sampler(dataset_, options);
    const auto expected = data::prefetchTraining(ofImages, sampler, 1, 8, 1);
    DeviceFeed feed(data::prefetchTraining(ofPictures, sampler, 1, 8, 3), at::kCPU),
        ofHalves(data::prefetchTraining(ofPictures, sampler, 1, 8, 3), at::kCPU, at::kBFloat16);
    for (int number = 0; number < 16; ++number) {
      const Batch whole = expected->next(), made = feed.next();
      QVERIFY(whole.step == made.step && whole.microBatch == made.microBatch &&
              whole.ids == made.ids);
      QVERIFY(whole.sizes == made.sizes && whole.samplingKeys == made.samplingKeys);
      QVERIFY(torch::equal(made.images, whole.images));
      QVERIFY(torch::equal(ofHalves.next().images,
                           ops::withFourChannels(whole.images.to(at::kBFloat16))));
      QVERIFY(!made.decoded.pixels.defined());
      QVERIFY(torch::equal(made.gts.boxesXyxy, whole.gts.boxesXyxy));
      QVERIFY(torch::equal(made.gts.masks.pixels, whole.gts.masks.pixels));
    }
    QVERIFY_EXCEPTION_THROWN(feed.next(), std::out_of_range);
  }

  void decodedImagesTakeThreeBytesPerPixel() {
    const std::size_t index = dataset_.imageIndex({7});  // 97 x 61
    const Batch batch = loader(LoaderOutput::Decoded).loadEvaluation(index);
    QVERIFY(!batch.images.defined());
    QCOMPARE(batch.decoded.pixels.numel(), std::int64_t{97 * 61 * 3});
    const auto file =
        std::filesystem::path(folder_.path().toStdString()) / dataset_.images()[index].fileName;
    config::AugmentConfig augment;
    const Batch single = data::loadForPrediction(file, {99}, augment, LoaderOutput::Decoded);
    QVERIFY(torch::equal(single.decoded.pixels, batch.decoded.pixels));
    QVERIFY(torch::equal(single.to(at::kCPU).images,
                         data::loadForPrediction(file, {99}, augment).images));
  }

  void loadErrorsAreRethrownInOrder() {
    DeviceFeed feed(std::make_unique<Prefetcher>(
                        [](std::int64_t number) {
                          if (number == 2) throw Error("train/c.jpg: is truncated");
                          return numbered(number);
                        },
                        0, 100, 4),
                    at::kCPU);
    QCOMPARE(feed.next().step, std::int64_t{0});
    QCOMPARE(feed.next().step, std::int64_t{1});
    QVERIFY_EXCEPTION_THROWN(feed.next(), Error);
    QCOMPARE(feed.next().step, std::int64_t{3});
  }

  void aBatchOutlivesItsFeed() {
    std::optional<Batch> kept;
    {
      DeviceFeed feed(std::make_unique<Prefetcher>(numbered, 0, 10, 2), at::kCPU);
      feed.next();
      kept = feed.next();
    }
    QVERIFY((kept->images == 1).all().item<bool>());
  }
};

LOCKSTEP_TEST(TstDeviceFeed)
#include "tst_device_feed.moc"
