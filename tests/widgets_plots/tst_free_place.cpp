#include <QTest>
#include <cmath>
#include <limits>

#include "tests/support/test_main.h"
#include "widgets/curves/free_place.h"

using lockstep::widgets::freePlace;
using lockstep::widgets::LabelReach;
using Lines = std::vector<std::vector<QPointF>>;

namespace {

constexpr QRectF kArea(0, 0, 400, 200);
constexpr QSizeF kLabel(100, 14);
constexpr QPointF kPoint(200, 100);

/// QRectF::contains() is true for NaN.
bool holds(const QRectF& box, const QPointF& point) {
  return std::isfinite(point.y()) && box.contains(point);
}

}  // namespace

class TstFreePlace : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aPlaceAboveThePointIsTheFirst() {
    const auto place = freePlace(kPoint, kLabel, kArea, {{{200, 100}}});
    QVERIFY(place);
    QCOMPARE(place->center().x(), 200.0);
    QVERIFY(place->bottom() < 100);
  }

  void itStaysWithinTheArea_data() {
    QTest::addColumn<QPointF>("point");
    QTest::newRow("left") << QPointF(3, 100);
    QTest::newRow("right") << QPointF(398, 100);
    QTest::newRow("top") << QPointF(200, 4);
    QTest::newRow("a corner") << QPointF(398, 198);
  }
  void itStaysWithinTheArea() {
    QFETCH(QPointF, point);
    const auto place = freePlace(point, kLabel, kArea, {});
    QVERIFY(place && kArea.contains(*place));
    QVERIFY(!place->contains(point));
  }

  void noLineIsCovered_data() {
    QTest::addColumn<Lines>("lines");
    QTest::addColumn<bool>("isBelow");
    const double gap = std::numeric_limits<double>::quiet_NaN();
    QTest::newRow("above lie points")
        << Lines{{{90, 80}, {150, 60}, {195, 85}, {205, 85}, {320, 60}, {330, 20}}} << true;
    QTest::newRow("a line passes above")
        << Lines{{{0, 84}, {400, 84}}, {{0, 60}, {400, 60}}} << true;
    QTest::newRow("below") << Lines{{{0, 120}, {400, 120}}} << false;
    QTest::newRow("a gap is none") << Lines{{{0, 84}, {10, gap}, {400, 84}}} << false;
    QTest::newRow("an upright line") << Lines{{{200, 0}, {200, 95}}} << true;
  }
  void noLineIsCovered() {
    QFETCH(Lines, lines);
    QFETCH(bool, isBelow);
    const auto place = freePlace(kPoint, kLabel, kArea, lines);
    QVERIFY(place);
    QCOMPARE(place->top() > kPoint.y(), isBelow);
    for (const auto& line : lines)
      for (std::size_t i = 0; i + 1 < line.size(); ++i)
        for (double part = 0; part <= 1; part += 0.001)
          QVERIFY(!holds(*place, line[i] + (line[i + 1] - line[i]) * part));
  }

  void aPlaceFarAwayIsFoundIfItMayBe() {
    // A noisy line fills the lower half of the right, where the point is the last one.
    Lines lines(1);
    for (int x = 0; x <= 400; x += 4) lines[0].push_back({x + 0.0, x % 8 == 0 ? 195.0 : 60.0});
    const QPointF last(398, 160);
    QVERIFY(!freePlace(last, kLabel, kArea, lines));
    const auto place = freePlace(last, kLabel, kArea, lines, LabelReach::Any);
    QVERIFY(place && kArea.contains(*place) && place->bottom() < 60 && place->right() > 390);
  }

  void withoutAFreePlaceThereIsNone() {
    Lines lines;
    for (int y = 0; y <= 200; y += 10) lines.push_back({{0, y + 0.0}, {400, y + 0.0}});
    QVERIFY(!freePlace(kPoint, kLabel, kArea, lines));
    QVERIFY(!freePlace(kPoint, {500, 14}, kArea, {}));
  }
};

LOCKSTEP_TEST(TstFreePlace)
#include "tst_free_place.moc"
