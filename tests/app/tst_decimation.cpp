#include <QTest>
#include <cmath>
#include <map>

#include "app/metrics/decimation.h"
#include "app/metrics/metric_store.h"
#include "engine/base/counter_hash.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::MetricStore;
using app::XScale;
using widgets::CurveSamples;

namespace {

MetricStore madeStore(int count, int nonFiniteEvery = 0) {
  MetricStore store;
  for (int i = 0; i < count; ++i) {
    const float value =
        nonFiniteEvery && i % nonFiniteEvery == 5
            ? std::nanf("")
            : static_cast<float>(base::counterUniform({static_cast<std::uint64_t>(i), 3}));
    store.append(i + 1, 500 + 0.5 * i, {{"loss", value}});
  }
  return store;
}

std::vector<double> edges(double low, double high, int columns) {
  std::vector<double> result;
  for (int i = 0; i <= columns; ++i) result.push_back(low + (high - low) * i / columns);
  return result;
}

std::size_t columnOf(const std::vector<double>& columnEdges, double x) {
  std::size_t column = 0;
  while (column + 2 < columnEdges.size() && x >= columnEdges[column + 1]) ++column;
  return column;
}

}  // namespace

class TstDecimation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Compared with a plain pass over every point of every column.
  void keepsMinimumAndMaximumOfEveryColumn() {
    const MetricStore store = madeStore(20000);
    const auto* series = store.series("loss");
    const std::vector<double> columns = edges(1000.5, 15000.5, 300);
    const CurveSamples curve = decimate(*series, XScale{}, columns, false);
    std::map<std::size_t, std::pair<double, double>> plain, drawn;
    auto take = [&](auto& found, double x, double y) {
      const auto [at, isNew] = found.try_emplace(columnOf(columns, x), y, y);
      if (!isNew) at->second = {std::min(at->second.first, y), std::max(at->second.second, y)};
    };
    for (std::size_t i = 0; i < series->size(); ++i) {
      const auto x = static_cast<double>(series->step(i));
      if (x >= columns.front() && x < columns.back()) take(plain, x, series->value(i));
    }
    for (const QPointF& point : curve.raw)
      if (point.x() >= columns.front() && point.x() < columns.back())
        take(drawn, point.x(), point.y());
    QCOMPARE(drawn.size(), plain.size());
    QVERIFY(drawn == plain);
    QVERIFY(curve.raw.size() <= 2 * 302);
    for (std::size_t i = 1; i < curve.raw.size(); ++i)
      QVERIFY(curve.raw[i].x() >= curve.raw[i - 1].x());
  }

  void aSinglePeakAmongAMillionPointsIsDrawn() {
    MetricStore store;
    for (int i = 0; i < 1'000'000; ++i) store.append(i, i, {{"loss", i == 777'777 ? 50.F : 1.F}});
    const CurveSamples curve =
        decimate(*store.series("loss"), XScale{}, edges(0, 1'000'000, 800), false);
    QVERIFY(std::any_of(curve.raw.begin(), curve.raw.end(),
                        [](const QPointF& p) { return p.y() == 50; }));
  }

  void everyPointIsKeptWhereFewAreInView() {
    const MetricStore store = madeStore(1000);
    const CurveSamples curve =
        decimate(*store.series("loss"), XScale{}, edges(99.5, 120.5, 200), true);
    QCOMPARE(curve.raw.size(), std::size_t{23});  // 100 … 120 and one beyond either side
    QCOMPARE(curve.raw.front().x(), 99.0);
    QCOMPARE(curve.raw.back().x(), 121.0);
    QCOMPARE(curve.smooth.size(), curve.raw.size());
    QCOMPARE(curve.smooth[1].y(), store.series("loss")->smoothed(99));
  }

  void smoothingUsesAllPointsNotOnlyDrawnOnes() {
    const MetricStore store = madeStore(20000);
    const auto* series = store.series("loss");
    const CurveSamples curve = decimate(*series, XScale{}, edges(0, 20001, 250), true);
    QVERIFY(!curve.smooth.empty());
    for (const QPointF& point : curve.smooth)
      QCOMPARE(point.y(), series->smoothed(static_cast<std::size_t>(point.x()) - 1));
  }

  void smoothingOffGivesNoSmoothLine() {
    MetricStore store = madeStore(100);
    store.setSmoothing(0);
    QVERIFY(decimate(*store.series("loss"), XScale{}, edges(0, 101, 50), true).smooth.empty());
  }

  void nonFiniteValuesAreGapsWithAMark() {
    const MetricStore store = madeStore(60, 20);
    const CurveSamples curve = decimate(*store.series("loss"), XScale{}, edges(0, 61, 400), true);
    QCOMPARE(curve.raw.size(), std::size_t{60});
    QVERIFY(std::isnan(curve.raw[5].y()) && std::isnan(curve.smooth[5].y()));
    QCOMPARE(curve.nonFinite.size(), std::size_t{3});
    QCOMPARE(curve.nonFinite[0].x(), 6.0);
    QCOMPARE(curve.nonFinite[0].y(), static_cast<double>(store.series("loss")->value(4)));
  }

  void aColumnOfOnlyNonFiniteValuesIsAGap() {
    MetricStore store;
    for (int i = 0; i < 4000; ++i)
      store.append(i, i, {{"loss", i >= 1000 && i < 3000 ? std::nanf("") : 1.F}});
    const CurveSamples curve =
        decimate(*store.series("loss"), XScale{}, edges(0, 4000, 100), false);
    const auto gaps = std::count_if(curve.raw.begin(), curve.raw.end(),
                                    [](const QPointF& p) { return std::isnan(p.y()); });
    QCOMPARE(gaps, 50);
    QVERIFY(!curve.nonFinite.empty() && curve.nonFinite.size() <= 51);
  }

  void otherXAxesAreSupported_data() {
    QTest::addColumn<int>("quantity");
    QTest::addColumn<double>("x");
    QTest::newRow("step") << static_cast<int>(widgets::XAxis::Step) << 11.0;
    QTest::newRow("epoch") << static_cast<int>(widgets::XAxis::Epoch) << 2.75;
    QTest::newRow("images") << static_cast<int>(widgets::XAxis::Images) << 176.0;
    QTest::newRow("relative") << static_cast<int>(widgets::XAxis::Relative) << 5.0;
    QTest::newRow("wall") << static_cast<int>(widgets::XAxis::Wall) << 505.0;
  }
  void otherXAxesAreSupported() {
    QFETCH(int, quantity);
    QFETCH(double, x);
    const MetricStore store = madeStore(100);
    const XScale scale{static_cast<widgets::XAxis>(quantity), 4, 16, store.baseTime()};
    const auto* series = store.series("loss");
    QCOMPARE(scale.at(series->axis(), 10), x);
    QCOMPARE(nearestIndex(*series, scale, x), std::size_t{10});
    QCOMPARE(scale.firstAt(series->axis(), x), std::size_t{10});
  }

  void theNearestPointIsFoundAtBothEnds() {
    const MetricStore store = madeStore(10);
    QCOMPARE(nearestIndex(*store.series("loss"), XScale{}, -5), std::size_t{0});
    QCOMPARE(nearestIndex(*store.series("loss"), XScale{}, 99), std::size_t{9});
    QCOMPARE(nearestIndex(*store.series("loss"), XScale{}, 3.4), std::size_t{2});
    QCOMPARE(nearestIndex(*store.series("loss"), XScale{}, 3.6), std::size_t{3});
  }

  void sampledValuesLieInViewAndAreFewEnough() {
    const MetricStore store = madeStore(10000, 100);
    const auto values = sampleValues(*store.series("loss"), XScale{}, 2000, 8000, 500);
    QVERIFY(values.size() <= 500 && values.size() > 400);
    QVERIFY(std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }));
    QCOMPARE(sampleValues(*store.series("loss"), XScale{}, 10, 12, 500).size(), std::size_t{3});
  }
};

LOCKSTEP_TEST(TstDecimation)
#include "tst_decimation.moc"
