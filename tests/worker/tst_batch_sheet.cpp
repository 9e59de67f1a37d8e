#include <QTest>
#include <algorithm>
#include <array>

#include "engine/structures/image_row.h"
#include "engine/worker/batch_sheet.h"
#include "tests/support/masks.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

namespace {

using Colour = std::array<int, 3>;

Colour colourAt(const data::RgbImage& image, int x, int y) {
  const std::uint8_t* pixel = image.pixelAt(x, y);
  return {pixel[0], pixel[1], pixel[2]};
}

/// Two images of one grey, 40 x 30 and 20 x 32 px, padded to 64 x 32; the first has an object.
data::Batch greyBatch(float grey) {
  data::Batch batch;
  batch.padded = {32, 64};
  batch.sizes = {{30, 40}, {32, 20}};
  batch.ids = {{7}, {9}};
  batch.images = torch::zeros({2, 3, 32, 64});
  for (std::size_t channel = 0; channel < 3; ++channel) {
    batch.images.select(1, static_cast<std::int64_t>(channel))
        .fill_((grey - structures::kImageMean[channel]) / structures::kImageStd[channel]);
  }
  at::Tensor masks = torch::zeros({1, 30, 40}, at::kByte);
  masks.slice(1, 10, 20).slice(2, 12, 28).fill_(1);
  const structures::GtInstances object{torch::tensor({{10.F, 8.F, 30.F, 24.F}}),
                                       torch::tensor({2}, at::kLong), tests::cropped(masks)};
  batch.gts = structures::batchGroundTruth({object, {}});
  return batch;
}

constexpr int kGap = 8, kCaption = 20;

}  // namespace

class TstBatchSheet : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void imagesLieBesideOneAnotherWithTheirPadding() {
    worker::BatchSheetPainter painter({{{1}, "cat"}, {{3}, "dog"}});
    const data::RgbImage sheet = painter.draw(greyBatch(0.6F), {{"first", ""}, {"second", ""}});
    QCOMPARE(sheet.width, 2 * (64 + kGap) + kGap);
    QCOMPARE(sheet.height, 32 + kCaption + 2 * kGap);
    const Colour grey{153, 153, 153}, black{0, 0, 0};
    QCOMPARE(colourAt(sheet, kGap + 2, kGap + 2), grey);
    QCOMPARE(colourAt(sheet, kGap + 39, kGap + 29), grey);
    QCOMPARE(colourAt(sheet, kGap + 40, kGap + 2), black);
    QCOMPARE(colourAt(sheet, kGap + 2, kGap + 30), black);
    const int second = 2 * kGap + 64;
    QCOMPARE(colourAt(sheet, second + 19, kGap + 31), grey);
    QCOMPARE(colourAt(sheet, second + 20, kGap), black);
  }

  void objectsHaveTheirBoxAndMask() {
    worker::BatchSheetPainter painter({{{1}, "cat"}, {{3}, "dog"}});
    const data::RgbImage sheet = painter.draw(greyBatch(0.6F), {{}, {}});
    const Colour ofSecondClass{213, 94, 0};
    QCOMPARE(colourAt(sheet, kGap + 10, kGap + 23), ofSecondClass);
    QCOMPARE(colourAt(sheet, kGap + 30, kGap + 23), ofSecondClass);
    QCOMPARE(colourAt(sheet, kGap + 20, kGap + 24), ofSecondClass);
    const Colour inMask = colourAt(sheet, kGap + 24, kGap + 16);
    QVERIFY(inMask[0] > 153 && inMask[2] < 153);
    QCOMPARE(colourAt(sheet, kGap + 11, kGap + 22), (Colour{153, 153, 153}));
  }

  void captionsAreDrawnBelow() {
    worker::BatchSheetPainter painter({{{1}, "cat"}, {{3}, "dog"}});
    const data::RgbImage without = painter.draw(greyBatch(0.6F), {{}, {}});
    const data::RgbImage with = painter.draw(greyBatch(0.6F), {{"id 7", ""}, {}});
    int changed = 0;
    for (int y = 0; y < with.height; ++y) {
      for (int x = 0; x < with.width; ++x) {
        if (colourAt(with, x, y) == colourAt(without, x, y)) continue;
        ++changed;
        QVERIFY(y >= kGap + 32 && y < kGap + 32 + kCaption && x >= kGap && x < kGap + 64);
      }
    }
    QVERIFY(changed > 20);
  }

  void aCaptionThatIsTooLongEndsWithAnEllipsis() {
    worker::BatchSheetPainter painter({{{1}, "cat"}, {{3}, "dog"}});
    const data::RgbImage without = painter.draw(greyBatch(0.6F), {{}, {}});
    const data::RgbImage with = painter.draw(greyBatch(0.6F), {{"", std::string(40, 'M')}, {}});
    const data::RgbImage longer = painter.draw(greyBatch(0.6F), {{"", std::string(99, 'M')}, {}});
    const auto rowsWithInk = [&](int left, int right) {
      int rows = 0;
      for (int y = kGap + 32; y < kGap + 32 + kCaption; ++y) {
        bool hasInk = false;
        for (int x = left; x < right; ++x)
          hasInk = hasInk || colourAt(with, x, y) != colourAt(without, x, y);
        rows += hasInk;
      }
      return rows;
    };
    QVERIFY(rowsWithInk(kGap, kGap + 20) >= 8);
    QVERIFY(rowsWithInk(kGap + 64 - 8, kGap + 64) <= 3);  // dots
    QCOMPARE(rowsWithInk(kGap + 64, with.width), 0);
    QVERIFY(
        std::equal(with.pixels.get(), with.pixels.get() + with.valueCount(), longer.pixels.get()));
  }

  void theNameOfACaptionGivesWayToTheRest() {
    worker::BatchSheetPainter painter({{{1}, "cat"}, {{3}, "dog"}});
    const auto drawn = [&](int letters, const char* rest) {
      return painter.draw(greyBatch(0.6F),
                          {{std::string(static_cast<std::size_t>(letters), 'M'), rest}, {}});
    };
    const auto areSame = [](const data::RgbImage& one, const data::RgbImage& other) {
      return std::equal(one.pixels.get(), one.pixels.get() + one.valueCount(), other.pixels.get());
    };
    QVERIFY(areSame(drawn(40, " 7"), drawn(99, " 7")));
    QVERIFY(!areSame(drawn(40, " 7"), drawn(40, " 8")));
  }
};

LOCKSTEP_TEST(TstBatchSheet)
#include "tst_batch_sheet.moc"
