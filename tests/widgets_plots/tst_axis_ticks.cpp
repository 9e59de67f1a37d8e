#include <QRegularExpression>
#include <QTest>
#include <algorithm>

#include "tests/support/test_main.h"
#include "tests/widgets_plots/plain_source.h"
#include "widgets/curves/tick_steps.h"
#include "widgets/plots/curve_plot.h"

using namespace lockstep;
using widgets::CurvePlot;
using widgets::XAxis;

namespace {

/// The tick labels of a plot of a line from `first` to `last`.
QStringList labelsOf(QSize size, XAxis axis, bool log, double first, double last,
                     double value = 1.5, bool logY = false) {
  auto source = std::make_shared<tests::PlainSource>();
  source->points = {{first, value}, {last, value}};
  widgets::Curve curve;
  curve.source = source;
  CurvePlot plot;
  plot.resize(size);
  plot.setXAxis(axis);
  plot.setLogX(log);
  plot.setLogY(logY);
  plot.setCurves({curve});
  plot.show();
  if (!QTest::qWaitFor([&] { return plot.isUpToDate(); })) return {};
  static const QRegularExpression text(QStringLiteral(">\\s*([^<>\\s][^<>]*?)\\s*</text>"));
  QStringList labels;
  auto found = text.globalMatch(QString::fromUtf8(plot.toSvg()));
  while (found.hasNext()) labels.append(found.next().captured(1));
  return labels;
}

}  // namespace

class TstAxisTicks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void stepsAreWhole_data() {
    QTest::addColumn<int>("widthPx");
    QTest::addColumn<double>("last");
    for (const int width : {190, 260, 600})
      for (const double last : {2.0, 6.0, 11.0, 15.0, 24.0})
        QTest::addRow("%d px, step %g", width, last) << width << last;
  }
  void stepsAreWhole() {
    QFETCH(int, widthPx);
    QFETCH(double, last);
    int steps = 0;
    // Values of y are beyond all steps and whole; there is no step 1.5.
    for (const QString& label : labelsOf({widthPx, 110}, XAxis::Step, false, 1, last, 400)) {
      QVERIFY2(!label.contains(QLatin1Char('.')), qPrintable(label));
      if (label.toDouble() <= last) ++steps;
    }
    QVERIFY(steps >= 2);
  }

  void aStepIsTheLeastHoweverFarOneZooms() {
    for (const double length : {0.5, 0.05, 1e-6, 0.0})
      QCOMPARE(widgets::tickStep(XAxis::Step, {41, 41 + length}, 5), 1.0);
  }

  void aTimeAxisHasTwoTicksHoweverNarrow_data() {
    QTest::addColumn<double>("seconds");
    for (const double seconds : {3.0, 50.0, 70.0, 130.0, 170.0, 250.0, 700.0, 5000.0, 9.0e4, 4.0e5})
      QTest::addRow("%g s", seconds) << seconds;
  }
  void aTimeAxisHasTwoTicksHoweverNarrow() {
    QFETCH(double, seconds);
    const QStringList labels = labelsOf({190, 110}, XAxis::Relative, false, 0, seconds);
    const auto times =
        labels.filter(QRegularExpression(QStringLiteral("\\d:\\d\\d|\\d d \\d"))).size();
    QVERIFY2(times >= 2, qPrintable(labels.join(QLatin1Char(' '))));
  }

  void aLogTimeAxisShowsTimes() {
    const QStringList labels = labelsOf({600, 300}, XAxis::Relative, true, 1, 250);
    QVERIFY2(labels.contains(QStringLiteral("1:40")), qPrintable(labels.join(QLatin1Char(' '))));
  }

  void aLogAxisAlwaysHasLabels_data() {
    QTest::addColumn<double>("low");
    QTest::addColumn<double>("high");
    QTest::newRow("flat") << 0.311 << 0.339;
    QTest::newRow("less than a power") << 0.4 << 1.7;
    QTest::newRow("two powers") << 0.05 << 3.0;
    QTest::newRow("many powers") << 1e-9 << 1e7;
  }
  void aLogAxisAlwaysHasLabels() {
    QFETCH(double, low);
    QFETCH(double, high);
    for (const int count : {3, 8}) {
      std::vector<double> ticks = widgets::logTicks({low, high}, count);
      if (ticks.empty()) {
        const double step = widgets::valueTickStep({low, high}, count);
        for (double at = std::ceil(low / step); at * step <= high; ++at) ticks.push_back(at * step);
      }
      QVERIFY2(ticks.size() >= 2 && ticks.size() <= 12, qPrintable(QString::number(ticks.size())));
      for (const double tick : ticks) QVERIFY(tick >= low * 0.999 && tick <= high * 1.001);
    }
  }

  void aSmallPlotHasLabelsOnALogAxis() {
    for (const double value : {0.33, 1.0, 4e-3}) {
      const QStringList labels = labelsOf({190, 100}, XAxis::Step, false, 1, 40, value, true);
      const auto values = std::ranges::count_if(labels, [value](const QString& label) {
        return label.toDouble() > value / 100 && label.toDouble() < value * 100 &&
               (value != 1 || label.toDouble() < 1.99);
      });
      QVERIFY2(values >= 2, qPrintable(labels.join(QLatin1Char(' '))));
    }
  }

  void aSmallValueFitsBesideThePlot() {
    for (const double value : {2.5e-4, 1.25e-5, 3.3e-7, 123456.0})
      for (const QString& label : labelsOf({190, 110}, XAxis::Step, false, 1, 10, value))
        QVERIFY2(label.size() <= 7, qPrintable(label));
  }
};

LOCKSTEP_TEST(TstAxisTicks)
#include "tst_axis_ticks.moc"
