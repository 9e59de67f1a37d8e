#include <QLineF>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/coco/masks/rle.h"
#include "tests/support/test_main.h"
#include "widgets/image_view/mask_overlay.h"
#include "widgets/image_view/thinned_path.h"

using namespace lockstep;
using namespace lockstep::widgets;

namespace {

/// A ring of this radius around a hole, in a mask of 200 x 200 px.
coco::Rle ring(double radius) {
  std::vector<std::uint8_t> pixels(200 * 200);
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 200; ++x) {
      const double from = std::hypot(x - 99.5, 0.7 * (y - 99.5));
      pixels[static_cast<std::size_t>(y * 200 + x)] = from < radius && from > radius / 3;
    }
  return coco::encodeMask(pixels.data(), 200, 200, 200);
}

/// By a hundredth of its lines.
double farthestFrom(const QPainterPath& path, QPointF point) {
  double nearest = std::numeric_limits<double>::infinity();
  for (int i = 1; i < path.elementCount(); ++i) {
    if (path.elementAt(i).isMoveTo()) continue;
    const QLineF line(path.elementAt(i - 1), path.elementAt(i));
    for (int part = 0; part <= 100; ++part)
      nearest = std::min(nearest, QLineF(line.pointAt(part / 100.0), point).length());
  }
  return nearest;
}

}  // namespace

class TstThinnedPath : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anOutlineStaysWhereItIs_data() {
    QTest::addColumn<double>("pixel");
    QTest::addColumn<double>("fewer");  // points are left, at most this part
    QTest::newRow("enlarged 8 times") << 1.0 / 8 << 1.0;
    QTest::newRow("enlarged 2 times") << 1.0 / 2 << 0.6;
    QTest::newRow("as it is") << 1.0 << 0.4;
    QTest::newRow("a quarter") << 4.0 << 0.15;
  }
  void anOutlineStaysWhereItIs() {
    QFETCH(double, pixel);
    QFETCH(double, fewer);
    const QPainterPath outline = outlineOf(ring(60));
    const QPainterPath thin = thinned(outline, {}, pixel);
    QVERIFY2(thin.elementCount() <= fewer * outline.elementCount(),
             qPrintable(QStringLiteral("%1 of %2 points")
                            .arg(thin.elementCount())
                            .arg(outline.elementCount())));
    double farthest = 0;
    for (int i = 0; i < outline.elementCount(); ++i)
      farthest = std::max(farthest, farthestFrom(thin, outline.elementAt(i)));
    QVERIFY2(farthest < 1.35 * pixel, qPrintable(QString::number(farthest / pixel)));
    QCOMPARE(thin.toSubpathPolygons().size(), outline.toSubpathPolygons().size());
    for (const QPolygonF& polygon : thin.toSubpathPolygons()) QVERIFY(polygon.isClosed());
  }

  void pixelsAreThoseOfTheView() {
    const QPainterPath outline = outlineOf(ring(60));
    const QPainterPath enlarged = thinned(outline, QTransform::fromScale(2, 2), 1);
    QCOMPARE(enlarged.boundingRect(),
             QTransform::fromScale(2, 2).mapRect(thinned(outline, {}, 0.5).boundingRect()));
    QCOMPARE(enlarged.elementCount(), thinned(outline, {}, 0.5).elementCount());
  }

  void pointsOnALineAreLeftOut() {
    QPainterPath path(QPointF(0, 0));
    for (int x = 1; x <= 10; ++x) path.lineTo(x, x);
    const QPainterPath thin = thinned(path, {}, 1);
    QCOMPARE(thin.elementCount(), 2);
    QCOMPARE(QPointF(thin.elementAt(1)), QPointF(10, 10));
  }

  void aSpikeStays() {
    QPainterPath path(QPointF(0, 0));
    for (const QPointF at : {QPointF(10, 0), QPointF(4, 0.1), QPointF(4, 8)}) path.lineTo(at);
    QCOMPARE(thinned(path, {}, 1).elementCount(), 4);
  }

  void nothingIsThinnedToNothing() { QVERIFY(thinned({}, {}, 1).isEmpty()); }
};

LOCKSTEP_TEST(TstThinnedPath)
#include "tst_thinned_path.moc"
