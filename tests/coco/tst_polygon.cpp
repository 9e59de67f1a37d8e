#include <QElapsedTimer>
#include <QTest>
#include <cmath>
#include <random>

#include "engine/coco/masks/polygon.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using Xy = std::vector<double>;

Q_DECLARE_METATYPE(Xy)

namespace {

/// Every pair of edges, with the same tolerance.
bool crossesPlainly(const Xy& xy) {
  const std::size_t count = xy.size() / 2;
  const auto side = [&](std::size_t edge, std::size_t point) {
    const std::size_t next = (edge + 1) % count, at = point % count;
    const double dx = xy[2 * next] - xy[2 * edge], dy = xy[2 * next + 1] - xy[2 * edge + 1];
    const double length = std::hypot(dx, dy);
    if (length == 0) return 0;
    const double distance =
        (dx * (xy[2 * at + 1] - xy[2 * edge + 1]) - dy * (xy[2 * at] - xy[2 * edge])) / length;
    return std::abs(distance) <= 1e-6 ? 0 : distance > 0 ? 1 : -1;
  };
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      if (side(i, j) * side(i, j + 1) < 0 && side(j, i) * side(j, i + 1) < 0) return true;
    }
  }
  return false;
}

/// A star-shaped outline, which does not cross itself.
Xy star(int points, double radiusPx) {
  Xy xy;
  for (int i = 0; i < points; ++i) {
    const double angle = 2 * M_PI * i / points, radius = radiusPx * (i % 2 == 0 ? 1 : 0.5);
    xy.push_back(radius * std::cos(angle));
    xy.push_back(radius * std::sin(angle));
  }
  return xy;
}

/// A comb with teeth along x or along y.
Xy comb(int teeth, bool isAlongY) {
  Xy xy;
  for (int i = 0; i < teeth; ++i)
    for (const auto& [x, y] :
         {std::pair{2 * i, 0}, {2 * i, 1000}, {2 * i + 1, 1000}, {2 * i + 1, 0}})
      xy.insert(xy.end(), {double(isAlongY ? y : x), double(isAlongY ? x : y)});
  for (const auto& [x, y] : {std::pair{2 * teeth, 0}, {2 * teeth, -5}, {0, -5}})
    xy.insert(xy.end(), {double(isAlongY ? y : x), double(isAlongY ? x : y)});
  return xy;
}

}  // namespace

class TstPolygon : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void crossingsAreFound_data() {
    QTest::addColumn<Xy>("xy");
    QTest::addColumn<bool>("crosses");
    QTest::addColumn<bool>("hasArea");
    const auto row = [](const char* name, Xy xy, bool crosses, bool hasArea) {
      QTest::newRow(name) << std::move(xy) << crosses << hasArea;
    };
    row("triangle", {0, 0, 4, 0, 4, 4}, false, true);
    row("square", {0, 0, 4, 0, 4, 4, 0, 4}, false, true);
    row("bow tie", {0, 0, 4, 4, 4, 0, 0, 4}, true, false);
    row("crosses by a thousandth", {0, 0, 4, 0, 4, 4, 1.999, 0 - 0.001, 0, 4}, true, true);
    row("a vertex on an edge", {0, 0, 4, 0, 4, 4, 2, 0, 0, 4}, false, true);
    row("a vertex twice", {0, 0, 2, 2, 4, 0, 4, 4, 2, 2, 0, 4}, false, true);
    row("the first point again at its end", {0, 0, 4, 0, 4, 4, 0, 4, 0, 0}, false, true);
    row("points repeated", {0, 0, 4, 0, 4, 0, 4, 0, 4, 4, 0, 4}, false, true);
    row("an edge there and back", {0, 0, 4, 0, 6, 0, 4, 0, 4, 4, 0, 4}, false, true);
    row("on a line", {0, 0, 1, 1, 2, 2}, false, false);
    row("on a line, with decimals", {0.1, 0.1, 0.7, 0.7, 0.3, 0.3, 0.9, 0.9}, false, false);
    row("one point", {3, 3, 3, 3, 3, 3}, false, false);
    row("there and back around a corner", {0, 0, 4, 0, 4, 4, 4, 0}, false, false);
    row("two points", {0, 0, 1, 1}, false, false);
    row("a hundredth of a pixel wide", {0, 0, 4, 0, 4, 0.01, 0, 0.01}, false, true);
    row("comb along x", comb(20, false), false, true);
    row("comb along y", comb(20, true), false, true);
  }
  void crossingsAreFound() {
    QFETCH(Xy, xy);
    QFETCH(bool, crosses);
    QFETCH(bool, hasArea);
    QCOMPARE(coco::findSelfCrossing(xy).has_value(), crosses);
    QCOMPARE(crossesPlainly(xy), crosses);
    QCOMPARE(coco::enclosesArea(xy), hasArea);
  }

  void theCrossingIsNamed() {
    const auto place = coco::findSelfCrossing(Xy{0, 0, 4, 4, 4, 0, 0, 4});
    QVERIFY(place);
    QCOMPARE((*place)[0], 2.0);
    QCOMPARE((*place)[1], 2.0);
  }

  void randomOutlinesAreDecidedAsByEveryPairOfEdges() {
    std::mt19937 random(7);
    int crossing = 0;
    for (int i = 0; i < 2000; ++i) {
      Xy xy;
      const std::size_t points = 4 + random() % 4;
      for (std::size_t p = 0; p < 2 * points; ++p) xy.push_back(double(random() % 9));
      const bool crosses = crossesPlainly(xy);
      crossing += crosses;
      QCOMPARE(coco::findSelfCrossing(xy).has_value(), crosses);
    }
    QVERIFY(crossing > 300 && crossing < 1900);
  }

  void outlinesOfTenThousandPointsTakeMilliseconds() {
    QElapsedTimer timer;
    timer.start();
    QVERIFY(!coco::findSelfCrossing(star(10'000, 500)));
    QVERIFY(!coco::findSelfCrossing(comb(2'500, false)));
    QVERIFY(!coco::findSelfCrossing(comb(2'500, true)));
    QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
  }
};

LOCKSTEP_TEST(TstPolygon)
#include "tst_polygon.moc"
