#include <QTest>

#include "engine/dataset_check/turned_annotation.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using namespace lockstep::dataset_check;

class TstTurnedAnnotation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Of a stored image of 4 x 3 px (width x height) with a marked pixel at (1, 0), as each
  /// orientation displays it: 3 x 4 px.
  void annotationsAreTurnedBackToTheStoredImage_data() {
    QTest::addColumn<int>("orientation");
    QTest::addColumn<int>("x");
    QTest::addColumn<int>("y");
    QTest::newRow("transposed") << 5 << 0 << 1;
    QTest::newRow("turned right") << 6 << 2 << 1;
    QTest::newRow("transposed about the other diagonal") << 7 << 2 << 2;
    QTest::newRow("turned left") << 8 << 0 << 2;
  }
  void annotationsAreTurnedBackToTheStoredImage() {
    QFETCH(int, orientation);
    QFETCH(int, x);
    QFETCH(int, y);
    const StoredFrame stored(orientation, {.height = 3, .width = 4});
    QCOMPARE(stored.box({double(x), double(y), 1, 1}), (std::array<double, 4>{1, 0, 1, 1}));
    std::vector<std::uint8_t> pixels(12);
    pixels[static_cast<std::size_t>(y * 3 + x)] = 1;
    const Rle turned = std::get<Rle>(stored.segmentation(encodeMask(pixels.data(), 4, 3, 3)));
    QCOMPARE(turned.height, 3);
    QCOMPARE(turned.width, 4);
    QCOMPARE(boundingBoxXywh(turned), (std::array<double, 4>{1, 0, 1, 1}));
    const double left = x, top = y;
    const auto polygons = std::get<0>(stored.segmentation(std::vector<std::vector<double>>{
        {left, top, left + 1, top, left + 1, top + 1, left, top + 1}}));
    QCOMPARE(boundingBoxXywh(rasterisePolygon(polygons[0], 3, 4)),
             (std::array<double, 4>{1, 0, 1, 1}));
  }

  void aSmallMaskOfALargeImageIsTurnedAtTheCostOfTheMask() {
    // Of 60,000 x 40,000 px, the pixel at x 3, y 5, counted down the columns.
    constexpr int kWidth = 60'000, kHeight = 40'000;
    constexpr std::uint32_t kBefore = 3 * kHeight + 5;
    const Rle displayed{
        kHeight, kWidth, {kBefore, 1, std::uint32_t{kWidth} * kHeight - kBefore - 1}};
    const StoredFrame stored(6, {.height = kWidth, .width = kHeight});
    const Rle turned = std::get<Rle>(stored.segmentation(displayed));
    QCOMPARE(boundingBoxXywh(turned), (std::array<double, 4>{5, kWidth - 4, 1, 1}));
    const Rle none{kHeight, kWidth, {std::uint32_t{kWidth} * kHeight}};
    QCOMPARE(areaPx(std::get<Rle>(stored.segmentation(none))), std::uint64_t{0});
  }
};

LOCKSTEP_TEST(TstTurnedAnnotation)
#include "tst_turned_annotation.moc"
