#include <QTest>
#include <algorithm>
#include <optional>

#include "engine/worker/overlay.h"
#include "tests/support/test_main.h"
#include "tests/worker/fonts_of_test.h"
#include "tests/worker/grey_picture.h"

using namespace lockstep;
using tests::FontsOfTest;
using tests::kGrey;
using tests::kTinted;
using tests::kUntouched;
using tests::Pixel;
using tests::pixelAt;

namespace {

constexpr int kSidePx = 300;

data::RgbImage greyPicture(int side = kSidePx) {
  data::RgbImage image(side, side);
  std::fill_n(image.pixels.get(), std::size_t{3} * side * side, kGrey);
  return image;
}

/// A box of category 7 whose mask is its lower half.
coco::Detection halfMasked(int x, int y, int size, int side = kSidePx) {
  const double left = x, top = y, right = x + size, bottom = y + size;
  const std::vector<double> lower{left,  top + size / 2.0, right, top + size / 2.0,
                                  right, bottom,           left,  bottom};
  return {ImageId{1},
          CategoryId{7},
          0.9,
          {left, top, double(size), double(size)},
          coco::rasterisePolygon(lower, side, side)};
}

std::vector<std::uint8_t> drawn(const std::string& name, int side = kSidePx) {
  data::RgbImage image = greyPicture(side);
  worker::OverlayPainter({CategoryId{7}}, {name}).draw(image, {halfMasked(100, 100, 60, side)});
  return {image.pixels.get(), image.pixels.get() + std::size_t{3} * side * side};
}

}  // namespace

class TstOverlay : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void masksAndBoxesAreDrawnWhereTheyAre() {
    data::RgbImage image = greyPicture();
    worker::OverlayPainter({CategoryId{7}}, {"cup"}).draw(image, {halfMasked(100, 100, 60)});
    QCOMPARE(pixelAt(image, 130, 145), kTinted);
    QCOMPARE(pixelAt(image, 130, 115), kUntouched);            // in the box, beside the mask
    QCOMPARE(pixelAt(image, 100, 115), (Pixel{0, 114, 178}));  // the box
  }

  void nothingElseIsTouched() {
    data::RgbImage image = greyPicture();
    worker::OverlayPainter({CategoryId{7}}, {"cup"}).draw(image, {halfMasked(100, 100, 60)});
    for (int y = 0; y < kSidePx; ++y) {
      for (int x = 0; x < kSidePx; ++x) {
        const bool isNear = x >= 99 && x <= 162 && y >= 80 && y <= 162;  // with its label above
        if (!isNear) QCOMPARE(pixelAt(image, x, y), kUntouched);
      }
    }
  }

  void masksAtTheImageBorderAreComplete() {
    data::RgbImage image = greyPicture();
    worker::OverlayPainter({CategoryId{7}}, {"cup"})
        .draw(image, {halfMasked(0, 0, 60), halfMasked(kSidePx - 60, kSidePx - 60, 60)});
    QCOMPARE(pixelAt(image, 5, 50), kTinted);
    QCOMPARE(pixelAt(image, kSidePx - 5, kSidePx - 5), kTinted);
  }

  void theNameIsDrawn() {
    if (!FontsOfTest::isInstalled()) QSKIP("needs fonts-dejavu-core");
    const FontsOfTest fonts(FontsOfTest::Fonts::DejaVu);
    QVERIFY(drawn("cup") != drawn("mug"));
    QVERIFY(drawn("чашка") != drawn("7"));
    QVERIFY(drawn("چای") != drawn("7"));
  }

  void aNameWithMissingGlyphsBecomesTheId_data() {
    QTest::addColumn<bool>("hasFonts");
    QTest::newRow("of other scripts") << true;
    QTest::newRow("of no script") << false;
  }
  void aNameWithMissingGlyphsBecomesTheId() {
    QFETCH(bool, hasFonts);
    if (hasFonts && !FontsOfTest::isInstalled()) QSKIP("needs fonts-dejavu-core");
    const FontsOfTest fonts(hasFonts ? FontsOfTest::Fonts::DejaVu : FontsOfTest::Fonts::None);
    QVERIFY(drawn("人") == drawn("7"));
    data::RgbImage image = greyPicture();
    worker::OverlayPainter({CategoryId{7}}, {"人"}).draw(image, {halfMasked(100, 100, 60)});
    QVERIFY(pixelAt(image, 103, 95) != kUntouched);  // there is a label
  }

  void aClassWithoutANameShowsTheId() {
    data::RgbImage image = greyPicture();
    worker::OverlayPainter({CategoryId{7}}, {}).draw(image, {halfMasked(100, 100, 60)});
    QVERIFY(std::equal(image.pixels.get(), image.pixels.get() + 3 * kSidePx * kSidePx,
                       drawn("7").begin()));
  }

  /// A look at the machine's fonts for every size of picture would take longer than the drawing.
  void fontsAreListedOnce() {
    if (!FontsOfTest::isInstalled()) QSKIP("needs fonts-dejavu-core");
    constexpr int kLargePx = 1700;
    std::optional<FontsOfTest> fonts(FontsOfTest::Fonts::DejaVu);
    const std::vector<std::uint8_t> expected = drawn("чашка", kLargePx);
    worker::OverlayPainter painter({CategoryId{7}}, {"чашка"});
    data::RgbImage small = greyPicture(), large = greyPicture(kLargePx);
    painter.draw(small, {halfMasked(100, 100, 60)});
    const FontsOfTest none(FontsOfTest::Fonts::None);  // whoever looks now finds none
    painter.draw(large, {halfMasked(100, 100, 60, kLargePx)});
    QVERIFY(std::equal(expected.begin(), expected.end(), large.pixels.get()));
  }

  void textGrowsWithTheImage() {
    const auto labelRows = [](int side) {
      const std::vector<std::uint8_t> pixels = drawn("cup", side);
      int rows = 0;
      for (int y = 60; y < 100; ++y) rows += pixels[3 * (std::size_t(y) * side + 101)] != kGrey;
      return rows;
    };
    QVERIFY(labelRows(300) < 16);
    QVERIFY(labelRows(1700) > labelRows(300));
  }
};

LOCKSTEP_TEST(TstOverlay)
#include "tst_overlay.moc"
