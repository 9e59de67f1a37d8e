#include <QTest>

#include "engine/base/error.h"
#include "engine/eval/image_source.h"
#include "engine/structures/ground_truth.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using eval::ImageSource;

namespace {

data::Batch numbered(std::int64_t number) {
  data::Batch batch;
  batch.images = torch::full({1, 3, 32, 32}, static_cast<double>(number));
  batch.gts = structures::batchGroundTruth({structures::GtInstances{}});
  batch.sizes = {{32, 32}};
  batch.step = number;
  return batch;
}

}  // namespace

class TstImageSource : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void imagesAreReturnedByIndex_data() {
    QTest::addColumn<int>("threadsAhead");
    QTest::newRow("loaded by the taker") << 0;
    QTest::newRow("loaded ahead") << 3;
  }
  void imagesAreReturnedByIndex() {
    QFETCH(int, threadsAhead);
    ImageSource images(numbered, 20, {}, at::kCPU, threadsAhead);
    for (std::int64_t i = 0; i < 20; ++i) QCOMPARE(images.take(i).step, i);
  }

  /// Images are prefetched in one order, so taking another index must not return the wrong image.
  void prefetchedImagesMustBeTakenInOrder() {
    ImageSource images(numbered, 20, {}, at::kCPU, 2);
    QCOMPARE(images.take(0).step, std::int64_t{0});
    QVERIFY_EXCEPTION_THROWN(images.take(2), c10::Error);
    QCOMPARE(images.take(1).step, std::int64_t{1});
  }

  void anUnreadableImageIsSkipped() {
    const auto load = [](std::int64_t number) {
      if (number == 1) throw Error("b.jpg: is truncated");
      return numbered(number);
    };
    ImageSource images(load, 3, {}, at::kCPU, 2);
    QCOMPARE(images.take(0).step, std::int64_t{0});
    QVERIFY_EXCEPTION_THROWN(images.take(1), Error);
    QCOMPARE(images.take(2).step, std::int64_t{2});
  }
};

LOCKSTEP_TEST(TstImageSource)
#include "tst_image_source.moc"
