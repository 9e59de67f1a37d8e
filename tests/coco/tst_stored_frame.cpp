#include <QTest>

#include "engine/coco/files/stored_frame.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;

class TstStoredFrame : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// A stored image of 4 x 3 px (width x height) with a marked pixel at (1, 0), as each orientation
  /// displays it: 5 to 8 as 3 x 4 px.
  void annotationsAreTurnedBackToTheStoredImage_data() {
    QTest::addColumn<int>("orientation");
    QTest::addColumn<int>("x");
    QTest::addColumn<int>("y");
    QTest::newRow("as stored") << 1 << 1 << 0;
    QTest::newRow("mirrored") << 2 << 2 << 0;
    QTest::newRow("upside down") << 3 << 2 << 2;
    QTest::newRow("mirrored upside down") << 4 << 1 << 2;
    QTest::newRow("transposed") << 5 << 0 << 1;
    QTest::newRow("turned right") << 6 << 2 << 1;
    QTest::newRow("transposed about the other diagonal") << 7 << 2 << 2;
    QTest::newRow("turned left") << 8 << 0 << 2;
  }
  void annotationsAreTurnedBackToTheStoredImage() {
    QFETCH(int, orientation);
    QFETCH(int, x);
    QFETCH(int, y);
    const int width = orientation >= 5 ? 3 : 4, height = 7 - width;
    const StoredFrame stored(orientation, {.height = 3, .width = 4}),
        displayed = StoredFrame::reversed(orientation, {.height = height, .width = width});
    constexpr std::array<double, 4> kMarked{1, 0, 1, 1};
    const std::array<double, 4> shown{double(x), double(y), 1, 1};
    QCOMPARE(stored.box(shown), kMarked);
    QCOMPARE(displayed.box(kMarked), shown);
    QCOMPARE(stored.pixel(x, y), (std::array<double, 2>{1, 0}));
    std::vector<std::uint8_t> pixels(12);
    pixels[static_cast<std::size_t>(y * width + x)] = 1;
    const Rle mask = encodeMask(pixels.data(), height, width, width);
    const Segmentation turned = stored.segmentation(mask);
    QCOMPARE(std::get<Rle>(turned).height, 3);
    QCOMPARE(std::get<Rle>(turned).width, 4);
    QCOMPARE(boundingBoxXywh(std::get<Rle>(turned)), kMarked);
    QVERIFY(std::get<Rle>(displayed.segmentation(turned)) == mask);
    const double left = x, top = y;
    const auto polygons = std::get<0>(stored.segmentation(std::vector<std::vector<double>>{
        {left, top, left + 1, top, left + 1, top + 1, left, top + 1}}));
    QCOMPARE(boundingBoxXywh(rasterisePolygon(polygons[0], 3, 4)), kMarked);
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

LOCKSTEP_TEST(TstStoredFrame)
#include "tst_stored_frame.moc"
