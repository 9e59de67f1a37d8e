#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/support/test_main.h"
#include "tests/widgets_plots/plain_source.h"
#include "widgets/curves/range_figures.h"
#include "widgets/curves/range_readings.h"
#include "widgets/plots/curve_plot.h"
#include "widgets/plots/readings_tip.h"

using namespace lockstep;
using widgets::CurvePlot;
using widgets::RangeFigures;

namespace {

widgets::Curve lineOf(std::vector<QPointF> points, const char* name) {
  auto source = std::make_shared<tests::PlainSource>();
  source->points = std::move(points);
  widgets::Curve curve;
  curve.name = QString::fromLatin1(name);
  curve.source = source;
  return curve;
}

}  // namespace

class TstRangeFigures : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theyEqualTheFormulas_data() {
    QTest::addColumn<double>("start");
    QTest::newRow("steps") << 1.0;
    QTest::newRow("times of day") << 1.79e9;
  }
  /// In long double, with both means known before the sums.
  void theyEqualTheFormulas() {
    QFETCH(double, start);
    RangeFigures figures;
    std::vector<double> xs, ys;
    for (int i = 0; i < 500; ++i) {
      xs.push_back(start + i * 0.5);
      ys.push_back(3 - 0.002 * i + 0.3 * std::sin(i * 1.7));
      figures.add(xs.back(), ys.back());
    }
    const long double n = 500;
    const long double meanX = std::accumulate(xs.begin(), xs.end(), 0.0L) / n;
    const long double meanY = std::accumulate(ys.begin(), ys.end(), 0.0L) / n;
    long double above = 0, below = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      above += (xs[i] - meanX) * (ys[i] - meanY);
      below += (xs[i] - meanX) * (xs[i] - meanX);
    }
    QCOMPARE(figures.count(), std::size_t{500});
    QVERIFY(std::abs(figures.mean() - static_cast<double>(meanY)) < 1e-12);
    QVERIFY(std::abs(figures.slope() - static_cast<double>(above / below)) < 1e-9);
    QCOMPARE(figures.min(), *std::min_element(ys.begin(), ys.end()));
    QCOMPARE(figures.max(), *std::max_element(ys.begin(), ys.end()));
  }

  void valuesThatAreNotFiniteAreCounted() {
    RangeFigures figures;
    figures.add(1, std::nan(""));
    figures.add(2, 5);
    figures.add(3, INFINITY);
    QCOMPARE(figures.count(), std::size_t{1});
    QCOMPARE(figures.nonFiniteCount(), std::size_t{2});
    QCOMPARE(figures.mean(), 5.0);
    QCOMPARE(figures.slope(), 0.0);
  }

  void readingsNameEveryCurveWithValuesInTheRange() {
    const auto readings = widgets::rangeReadings(
        {lineOf({{1, 10}, {2, 20}, {3, 30}, {4, 99}}, "a"), lineOf({{9, 1}}, "b")}, {1, 3},
        widgets::XAxis::Step);
    QCOMPARE(readings.title, QStringLiteral("steps 1 to 3: mean"));
    QCOMPARE(readings.rows.size(), std::size_t{1});
    QCOMPARE(readings.rows[0].value, QStringLiteral("20.00"));
    QCOMPARE(readings.rows[0].detail,
             QStringLiteral("slope 10.00 per step  min 10.00  max 30.00  n 3"));
  }

  void ctrlAndADragSelectARange() {
    CurvePlot plot;
    plot.resize(600, 300);
    plot.setCurves({lineOf({{0, 1}, {50, 2}, {100, 3}}, "a")});
    plot.show();
    QTRY_VERIFY(plot.isUpToDate());
    connect(&plot, &CurvePlot::rangeSelected, &plot, [&plot](double from, double to) {
      plot.setSelectedRange(std::pair(std::min(from, to), std::max(from, to)));
    });
    connect(&plot, &CurvePlot::cursorMoved, &plot,
            [&plot](std::optional<double> x) { plot.showCursor(x, true); });
    QSignalSpy selected(&plot, &CurvePlot::rangeSelected), zoomed(&plot, &CurvePlot::viewChanged);
    QWidget* overlay = plot.childAt(300, 150);
    QTest::mousePress(overlay, Qt::LeftButton, Qt::ControlModifier, {400, 100});
    drag(overlay, {250, 120});
    drag(overlay, {150, 130});
    QTest::mouseRelease(overlay, Qt::LeftButton, Qt::ControlModifier, {150, 130});
    QCOMPARE(zoomed.size(), 0);
    QCOMPARE(selected.size(), 2);
    QVERIFY(selected.last()[0].toDouble() > 60 && selected.last()[1].toDouble() < 25);
    const auto* tip = plot.findChild<widgets::ReadingsTip*>();
    QVERIFY(tip && tip->isVisible());
    QVERIFY(tip->readings().rows[0].detail.endsWith(QStringLiteral("n 1")));
    QSignalSpy dismissed(&plot, &CurvePlot::rangeDismissed);
    QTest::keyClick(&plot, Qt::Key_Escape);
    QCOMPARE(dismissed.size(), 1);
  }

 private:
  static void drag(QWidget* overlay, const QPoint& to) {
    QMouseEvent move(QEvent::MouseMove, to, overlay->mapToGlobal(to), Qt::NoButton, Qt::LeftButton,
                     Qt::ControlModifier);
    QCoreApplication::sendEvent(overlay, &move);
  }
};

LOCKSTEP_TEST(TstRangeFigures)
#include "tst_range_figures.moc"
