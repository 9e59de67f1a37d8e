#include <QTest>

#include "tests/support/test_main.h"
#include "widgets/image_view/place_beside.h"

using lockstep::widgets::placeBeside;

class TstPlaceBeside : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void thereIsASideForIt_data() {
    QTest::addColumn<QRectF>("box");
    QTest::addColumn<QSizeF>("area");
    QTest::addColumn<QRectF>("expected");
    QTest::newRow("right") << QRectF(50, 60, 20, 20) << QSizeF(400, 300) << QRectF(80, 60, 100, 80);
    QTest::newRow("right, not out of the bottom")
        << QRectF(50, 270, 20, 20) << QSizeF(400, 300) << QRectF(80, 216, 100, 80);
    QTest::newRow("left") << QRectF(350, 60, 20, 20) << QSizeF(400, 300)
                          << QRectF(240, 60, 100, 80);
    QTest::newRow("below, where it is narrow")
        << QRectF(60, 40, 80, 50) << QSizeF(200, 300) << QRectF(60, 100, 100, 80);
    QTest::newRow("above, where it is narrow")
        << QRectF(60, 200, 80, 90) << QSizeF(200, 300) << QRectF(60, 110, 100, 80);
  }
  void thereIsASideForIt() {
    QFETCH(QRectF, box);
    QFETCH(QSizeF, area);
    QTEST(placeBeside({100, 80}, box, area), "expected");
  }

  /// Wherever one of its sides has room, no pixel of the box is covered, and nothing is outside.
  void itCoversOnlyWhatItMust() {
    const QSizeF card(100, 80), area(260, 220);
    const QRectF inside(QPointF(0, 0), area);
    for (int x = -20; x < 260; x += 7)
      for (int y = -20; y < 220; y += 7)
        for (const int side : {5, 40, 90, 170, 400}) {
          const QRectF box(x, y, side, side), placed = placeBeside(card, box, area);
          QVERIFY(inside.contains(placed));
          const bool hasRoom = box.right() + 114 <= 260 || box.left() >= 114 ||
                               box.bottom() + 94 <= 220 || box.top() >= 94;
          QVERIFY2(!hasRoom || !placed.intersects(box),
                   qPrintable(QStringLiteral("%1 %2 %3").arg(x).arg(y).arg(side)));
        }
  }

  void aCardThatIsTooLargeBeginsAtTheEdge() {
    QCOMPARE(placeBeside({100, 80}, {10, 10, 5, 5}, {60, 50}).topLeft(), QPointF(4, 4));
  }
};

LOCKSTEP_TEST(TstPlaceBeside)
#include "tst_place_beside.moc"
