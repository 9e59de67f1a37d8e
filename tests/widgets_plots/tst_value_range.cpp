#include <QTest>

#include "tests/support/test_main.h"
#include "tests/widgets_plots/plain_source.h"
#include "widgets/curves/value_range.h"

using namespace lockstep;
using tests::curveOf;
using widgets::Curve;

namespace {

std::pair<double, double> rangeOf(const std::vector<Curve>& curves, double low, double high,
                                  const widgets::ValueRangeOptions& options) {
  std::vector<widgets::CurveSamples> drawn;
  for (const Curve& curve : curves) drawn.push_back(curve.source->sample({low, high}));
  return widgets::valueRange(curves, drawn, low, high, options);
}

/// A loss that falls from 10 to 1 with some jumps.
std::vector<QPointF> fallingLoss(int count, std::initializer_list<int> jumps) {
  std::vector<QPointF> points;
  for (int i = 0; i < count; ++i) points.push_back({1.0 * i, 10 - 9.0 * i / (count - 1)});
  for (const int at : jumps) points[static_cast<std::size_t>(at)].setY(500);
  return points;
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

  void anOutlierDoesNotSetTheRange() {
    std::vector<QPointF> points;
    for (int i = 0; i < 100; ++i) points.push_back({1.0 * i, i == 50 ? 1000.0 : 1.0 + 0.01 * i});
    const auto [low, high] = rangeOf({curveOf(points)}, 0, 100, {});
    QVERIFY(high < 3 && low > 0.8);
    widgets::ValueRangeOptions all;
    all.ignoreOutliers = false;
    QVERIFY(rangeOf({curveOf(points)}, 0, 100, all).second > 1000);
  }

  void theLowestAndNewestLossesAreInTheRange_data() {
    QTest::addColumn<bool>("log");
    QTest::newRow("linear") << false;
    QTest::newRow("log") << true;
  }
  void theLowestAndNewestLossesAreInTheRange() {
    QFETCH(bool, log);
    widgets::ValueRangeOptions options;
    options.log = log;
    std::vector<QPointF> points = fallingLoss(100, {50});
    points.back().setY(0.3);
    const auto [low, high] = rangeOf({curveOf(points)}, 0, 100, options);
    QVERIFY2(low <= 0.3, qPrintable(QString::number(low)));
    QVERIFY2(high > 10 && high < 30, qPrintable(QString::number(high)));
  }

  void aSmoothedLineBelowTheRawOneIsInTheRange() {
    const Curve curve = curveOf(fallingLoss(100, {}));
    widgets::CurveSamples drawn = curve.source->sample({0, 100});
    for (QPointF point : drawn.raw) drawn.smooth.push_back({point.x(), point.y() - 0.5});
    QVERIFY(widgets::valueRange({curve}, {drawn}, 0, 100, {}).first <= 0.5);
  }

  void aJumpAtTheEndIsSeen() {
    const Curve calm = curveOf(fallingLoss(100, {})), jumping = curveOf(fallingLoss(100, {99}));
    QVERIFY(rangeOf({calm, jumping}, 0, 100, {}).second >= 500);
  }

  void aValueNearTheOthersIsNoOutlier() {
    QVERIFY(rangeOf({curveOf(fallingLoss(100, {}))}, 0, 100, {}).second >= 10);
  }

  void pointsAboveAreFoundAndCounted() {
    const std::vector<Curve> curves{curveOf(fallingLoss(100, {20, 50})),
                                    curveOf(fallingLoss(100, {30}))};
    const std::vector<widgets::CurveSamples> drawn{curves[0].source->sample({0, 100}),
                                                   curves[1].source->sample({0, 100})};
    QCOMPARE(widgets::placesAbove(drawn, 0, 100, 20), (std::vector<double>{20, 30, 50}));
    QCOMPARE(widgets::placesAbove(drawn, 25, 100, 20), (std::vector<double>{30, 50}));
    QCOMPARE(widgets::pointsAbove(curves, 0, 100, 20), std::size_t{3});
    QCOMPARE(widgets::pointsAbove(curves, 60, 100, 20), std::size_t{0});
  }

  void aMarkerAtTheLimitIsWhole() {
    Curve curve = curveOf({{1, 0.001}, {2, 0.1}});
    curve.kind = Curve::Kind::Evaluation;
    widgets::ValueRangeOptions options;
    options.min = 0;
    QVERIFY(rangeOf({curve}, 0, 10, options).first < 0);
  }

  void onlyWhatIsInViewCounts() {
    std::vector<QPointF> points;
    for (int i = 0; i < 100; ++i) points.push_back({1.0 * i, i < 50 ? 10.0 : 1.0 + 0.001 * i});
    QVERIFY(rangeOf({curveOf(points)}, 60, 100, {}).second < 2);
  }

  void fewPointsAreAllShown() {
    const auto [low, high] = rangeOf({curveOf({{1, 1}, {2, 50}, {3, 2}})}, 0, 10, {});
    QVERIFY(low <= 1 && high >= 50);
  }

  void limitsHoldAndPositiveValuesStayAboveZero() {
    widgets::ValueRangeOptions options;
    options.min = 0;
    QCOMPARE(rangeOf({curveOf({{1, 5}, {2, 6}})}, 0, 10, options).first, 0.0);
    QVERIFY(rangeOf({curveOf({{1, 0.001}, {2, 6}})}, 0, 10, {}).first >= 0);
  }

  void aRangeIsMovedAndNarrowedToItsLimits_data() {
    QTest::addColumn<QPointF>("range");
    QTest::addColumn<QPointF>("limits");
    QTest::addColumn<bool>("log");
    QTest::addColumn<QPointF>("found");
    const auto row = [](const char* name, QPointF range, QPointF limits, bool log, QPointF found) {
      QTest::newRow(name) << range << limits << log << found;
    };
    row("within", {2, 3}, {0, 10}, false, {2, 3});
    row("before", {-2, 1}, {0, 10}, false, {0, 3});
    row("after", {9, 12}, {0, 10}, false, {7, 10});
    row("wider", {-5, 20}, {0, 10}, false, {0, 10});
    row("log", {0.1, 10}, {1, 1000}, true, {1, 100});
    row("rounded", {0.5, 2}, {1e-18, 0.9}, false, {1e-18, 0.9});
  }
  void aRangeIsMovedAndNarrowedToItsLimits() {
    QFETCH(QPointF, range);
    QFETCH(QPointF, limits);
    QFETCH(bool, log);
    QFETCH(QPointF, found);
    const auto [low, high] =
        widgets::rangeWithin({range.x(), range.y()}, {limits.x(), limits.y()}, log);
    QVERIFY(low >= limits.x());
    QCOMPARE(low, found.x());
    QCOMPARE(high, found.y());
  }

  void aConstantStillHasARange() {
    const auto [low, high] = rangeOf({curveOf({{1, 2}, {2, 2}})}, 0, 10, {});
    QVERIFY(low < 2 && high > 2);
  }

  void aConstantZeroHasAnAxisToOne() {
    const auto [low, high] = rangeOf({curveOf({{1, 0}, {2, 0}})}, 0, 10, {});
    QVERIFY(low <= 0 && low > -0.2);
    QCOMPARE(high, 1.0);
  }

  void logRangesLeaveOutValuesWithoutALogarithm() {
    widgets::ValueRangeOptions options;
    options.log = true;
    const auto [low, high] =
        rangeOf({curveOf({{1, -1}, {2, 0}, {3, 0.01}, {4, 10}})}, 0, 10, options);
    QVERIFY(low > 0 && low <= 0.01 && high >= 10);
    QVERIFY(rangeOf({}, 0, 1, options).first > 0);
  }
};

LOCKSTEP_TEST(TstValueRange)
#include "tst_value_range.moc"
