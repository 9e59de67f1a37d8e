#include <QTest>
#include <array>

#include "engine/base/counter_hash.h"
#include "tests/support/test_main.h"
#include "widgets/image_view/mask_overlay.h"

using namespace lockstep;
using widgets::MaskFill;

namespace {

coco::Rle rectangle(int x, int y, int width, int height, QSize size) {
  const std::array<double, 8> xy{double(x), double(y),         double(x + width),
                                 double(y), double(x + width), double(y + height),
                                 double(x), double(y + height)};
  return coco::rasterisePolygon(xy, size.height(), size.width());
}

coco::Rle randomMask(QSize size) {
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(size.width() * size.height()));
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = base::counterUniform({7, i}) < 0.4;
  return coco::encodeMask(mask.data(), size.height(), size.width(), size.width());
}

}  // namespace

class TstMaskOverlay : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aMaskFillsItsPixelsOnly() {
    const QSize size(70, 50);
    const coco::Rle mask = rectangle(10, 5, 20, 30, size);
    const QImage picture =
        widgets::paintMasks(size, std::vector<MaskFill>{{&mask, qRgba(200, 100, 0, 128)}});
    QCOMPARE(picture.size(), size);
    for (int y = 0; y < size.height(); ++y) {
      for (int x = 0; x < size.width(); ++x) {
        const bool isInside = x >= 10 && x < 30 && y >= 5 && y < 35;
        const QRgb expected = isInside ? qPremultiply(qRgba(200, 100, 0, 128)) : 0U;
        QCOMPARE(reinterpret_cast<const QRgb*>(picture.constScanLine(y))[x], expected);
      }
    }
  }

  void overlappingMasksAreBlendedInTheirOrder() {
    const QSize size(8, 8);
    const coco::Rle below = rectangle(0, 0, 8, 8, size), above = rectangle(4, 0, 4, 8, size);
    const QImage picture = widgets::paintMasks(
        size,
        std::vector<MaskFill>{{&below, qRgba(255, 0, 0, 255)}, {&above, qRgba(0, 0, 255, 51)}});
    QCOMPARE(picture.pixel(1, 1), qRgba(255, 0, 0, 255));
    QCOMPARE(picture.pixel(6, 6), qRgba(204, 0, 51, 255));  // 20 % blue over red
  }

  void everyPixelOfARandomMaskIsWhereItBelongs() {
    const QSize size(131, 67);  // no multiple of the block that transposes
    const coco::Rle mask = randomMask(size);
    const std::vector<std::uint8_t> decoded = coco::decodeMask(mask);
    const QImage picture =
        widgets::paintMasks(size, std::vector<MaskFill>{{&mask, qRgba(1, 2, 3, 255)}});
    for (int y = 0; y < size.height(); ++y) {
      for (int x = 0; x < size.width(); ++x) {
        const bool isInside = decoded[static_cast<std::size_t>(y * size.width() + x)] != 0;
        QCOMPARE(qAlpha(picture.pixel(x, y)) == 255, isInside);
        QCOMPARE(widgets::covers(mask, {x, y}), isInside);
      }
    }
    QVERIFY(!widgets::covers(mask, {-1, 0}));
    QVERIFY(!widgets::covers(mask, {size.width(), 0}));
  }

  void aMaskOfAnotherSizeIsIgnored() {
    const coco::Rle mask = rectangle(0, 0, 4, 4, {5, 5});
    const QImage picture =
        widgets::paintMasks({8, 8}, std::vector<MaskFill>{{&mask, qRgba(9, 9, 9, 255)}});
    QCOMPARE(picture.pixel(1, 1), 0U);
  }

  void theOutlineOfARectangleIsTheRectangleWithCutCorners() {
    const QPainterPath path = widgets::outlineOf(rectangle(10, 5, 20, 30, {70, 50}));
    QCOMPARE(path.boundingRect(), QRectF(10, 5, 20, 30));
    QVERIFY(path.contains(QPointF(10.6, 5.6)));
    QVERIFY(!path.contains(QPointF(10.1, 5.1)));  // the corner itself
    QVERIFY(path.contains(QPointF(10.01, 20)));
    QVERIFY(!path.contains(QPointF(9.99, 20)));
  }

  void theOutlineOfAStaircaseIsStraight() {
    const QSize size(40, 40);
    std::vector<std::uint8_t> mask(1600);
    for (int y = 0; y < 40; ++y) {
      for (int x = 0; x <= y; ++x) mask[static_cast<std::size_t>(y * 40 + x)] = 1;
    }
    const QPainterPath path = widgets::outlineOf(coco::encodeMask(mask.data(), 40, 40, 40));
    // The diagonal runs through the middles of the steps: every point of it has x = y + 0.5.
    int onDiagonal = 0;
    for (int i = 0; i < path.elementCount(); ++i) {
      const QPainterPath::Element point = path.elementAt(i);
      if (qAbs(point.x - point.y - 0.5) < 1e-9) ++onDiagonal;
    }
    QVERIFY2(onDiagonal > 60, qPrintable(QString::number(onDiagonal)));
  }

  void polygonsAreDrawnAsTheyAre() {
    coco::Annotation annotation;
    annotation.segmentation = std::vector<std::vector<double>>{{1.5, 2.5, 9.25, 2.5, 5, 8.75}};
    QCOMPARE(widgets::outlineOf(annotation).boundingRect(), QRectF(1.5, 2.5, 7.75, 6.25));
  }
};

LOCKSTEP_TEST(TstMaskOverlay)
#include "tst_mask_overlay.moc"
