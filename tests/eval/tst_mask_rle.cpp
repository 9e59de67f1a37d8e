#include <QTest>

#include "engine/base/counter_hash.h"
#include "engine/eval/detections.h"
#include "engine/eval/mask_rle.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

class TstMaskRle : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void cropEqualsTheEncodedFullMask_data() {
    QTest::addColumn<ops::MaskCrop>("crop");
    const auto make = [](std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height,
                         unsigned period) {
      ops::MaskCrop crop{x, y, width, height, {}};
      for (std::int64_t i = 0; i < width * height; ++i) {
        crop.pixels.push_back(period == 1 ||
                              base::counterHash({period, std::uint64_t(i)}) % period == 0);
      }
      return crop;
    };
    QTest::newRow("inside") << make(3, 2, 5, 4, 2);
    QTest::newRow("whole image") << make(0, 0, 12, 9, 3);
    QTest::newRow("lower right corner") << make(7, 5, 5, 4, 2);
    QTest::newRow("full column") << make(4, 0, 2, 9, 1);
    QTest::newRow("empty") << ops::MaskCrop{};
  }
  void cropEqualsTheEncodedFullMask() {
    QFETCH(ops::MaskCrop, crop);
    const ops::ImageSize size{9, 12};
    std::vector<std::uint8_t> full(9 * 12, 0);
    for (std::int64_t y = 0; y < crop.height; ++y) {
      for (std::int64_t x = 0; x < crop.width; ++x) {
        full[(crop.y + y) * 12 + crop.x + x] = crop.pixels[y * crop.width + x];
      }
    }
    const coco::Rle rle = eval::toRle(crop, size);
    QCOMPARE(rle.counts, coco::encodeMask(full.data(), 9, 12, 12).counts);
  }

  void detectionsAreInPixelsOfTheFile() {
    ops::PredInstances predictions{at::tensor({10.f, 20.f, 30.f, 60.f}).reshape({1, 4}),
                                   at::tensor({0.75f}), at::tensor({2}, at::kLong),
                                   at::ones({1, 28, 28})};
    const auto detections =
        eval::toDetections(predictions, {100, 50}, {200, 150}, {5}, {{11}, {17}});
    QCOMPARE(detections.size(), std::size_t(1));
    QCOMPARE(detections[0].categoryId.value, 17);
    QCOMPARE(detections[0].boxXywh, (std::array<double, 4>{30, 40, 60, 80}));
    QCOMPARE(detections[0].mask.height, 200);
    // The middle of the box is inside, a corner of the image is not.
    const auto mask = coco::decodeMask(detections[0].mask);
    QVERIFY(mask[80 * 150 + 60]);
    QVERIFY(!mask[0]);
  }
};

LOCKSTEP_TEST(TstMaskRle)
#include "tst_mask_rle.moc"
