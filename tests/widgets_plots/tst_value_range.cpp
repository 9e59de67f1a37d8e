#include <QTest>

#include "tests/support/test_main.h"
#include "tests/widgets_plots/plain_source.h"
#include "widgets/plots/value_range.h"

using namespace lockstep;
using widgets::Curve;

namespace {

Curve curveOf(std::vector<QPointF> points) {
  auto source = std::make_shared<tests::PlainSource>();
  source->points = std::move(points);
  Curve curve;
  curve.source = source;
  return curve;
}

}  // namespace

class TstValueRange : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void quantilesAreThoseOfNumPy() {
    // numpy.quantile([3, 1, 4, 1, 5, 9, 2, 6], [0, 0.05, 0.5, 0.95, 1])
    const std::vector<double> values{3, 1, 4, 1, 5, 9, 2, 6};
    QCOMPARE(widgets::quantile(values, 0), 1.0);
    QCOMPARE(widgets::quantile(values, 0.05), 1.0);
    QCOMPARE(widgets::quantile(values, 0.5), 3.5);
    QVERIFY(std::abs(widgets::quantile(values, 0.95) - 7.95) < 1e-12);
    QCOMPARE(widgets::quantile(values, 1), 9.0);
    QCOMPARE(widgets::quantile({2}, 0.95), 2.0);
  }

  void anOutlierDoesNotRuleTheRange() {
    std::vector<QPointF> points;
    for (int i = 0; i < 100; ++i) points.push_back({1.0 * i, i == 50 ? 1000.0 : 1.0 + 0.01 * i});
    const auto [low, high] = widgets::valueRange({curveOf(points)}, 0, 100, {});
    QVERIFY(high < 3 && low > 0.8);
    widgets::ValueRangeOptions all;
    all.ignoreOutliers = false;
    QVERIFY(widgets::valueRange({curveOf(points)}, 0, 100, all).second > 1000);
  }

  void onlyWhatIsInViewCounts() {
    std::vector<QPointF> points;
    for (int i = 0; i < 100; ++i) points.push_back({1.0 * i, i < 50 ? 10.0 : 1.0 + 0.001 * i});
    QVERIFY(widgets::valueRange({curveOf(points)}, 60, 100, {}).second < 2);
  }

  void fewPointsAreAllShown() {
    const auto [low, high] = widgets::valueRange({curveOf({{1, 1}, {2, 50}, {3, 2}})}, 0, 10, {});
    QVERIFY(low <= 1 && high >= 50);
  }

  void limitsHoldAndPositiveValuesStayAboveZero() {
    widgets::ValueRangeOptions options;
    options.least = 0;
    QCOMPARE(widgets::valueRange({curveOf({{1, 5}, {2, 6}})}, 0, 10, options).first, 0.0);
    QVERIFY(widgets::valueRange({curveOf({{1, 0.001}, {2, 6}})}, 0, 10, {}).first >= 0);
  }

  void aRangeIsMovedAndNarrowedToItsLimits_data() {
    QTest::addColumn<QPointF>("wanted");
    QTest::addColumn<QPointF>("limits");
    QTest::addColumn<bool>("log");
    QTest::addColumn<QPointF>("found");
    const auto row = [](const char* name, QPointF wanted, QPointF limits, bool log, QPointF found) {
      QTest::newRow(name) << wanted << limits << log << found;
    };
    row("within", {2, 3}, {0, 10}, false, {2, 3});
    row("before", {-2, 1}, {0, 10}, false, {0, 3});
    row("after", {9, 12}, {0, 10}, false, {7, 10});
    row("wider", {-5, 20}, {0, 10}, false, {0, 10});
    row("log", {0.1, 10}, {1, 1000}, true, {1, 100});
    row("rounded", {0.5, 2}, {1e-18, 0.9}, false, {1e-18, 0.9});
  }
  void aRangeIsMovedAndNarrowedToItsLimits() {
    QFETCH(QPointF, wanted);
    QFETCH(QPointF, limits);
    QFETCH(bool, log);
    QFETCH(QPointF, found);
    const auto [low, high] =
        widgets::rangeWithin({wanted.x(), wanted.y()}, {limits.x(), limits.y()}, log);
    QVERIFY(low >= limits.x());
    QCOMPARE(low, found.x());
    QCOMPARE(high, found.y());
  }

  void aConstantStillHasARange() {
    const auto [low, high] = widgets::valueRange({curveOf({{1, 2}, {2, 2}})}, 0, 10, {});
    QVERIFY(low < 2 && high > 2);
  }

  void logRangesLeaveOutWhatHasNoLogarithm() {
    widgets::ValueRangeOptions options;
    options.log = true;
    const auto [low, high] =
        widgets::valueRange({curveOf({{1, -1}, {2, 0}, {3, 0.01}, {4, 10}})}, 0, 10, options);
    QVERIFY(low > 0 && low <= 0.01 && high >= 10);
    QVERIFY(widgets::valueRange({}, 0, 1, options).first > 0);
  }
};

LOCKSTEP_TEST(TstValueRange)
#include "tst_value_range.moc"
