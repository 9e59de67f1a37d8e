// The values beside the pointer on a plot.
#include <QTest>

#include "tests/support/test_main.h"
#include "tests/widgets_plots/curve_plot_bench.h"
#include "widgets/plots/readings_tip.h"

using namespace lockstep;
using namespace lockstep::tests;
using widgets::CurvePlot;

namespace {

/// Of a stack: a constant value of 1.
class StackPart : public PlainSource {
 public:
  explicit StackPart(int below) : below_(below) {
    for (int step = 1; step <= 100; ++step) points.push_back({step + 0.0, below + 1.0});
  }
  std::optional<widgets::CurveReading> nearest(double x) const override {
    auto reading = PlainSource::nearest(x);
    reading->base = below_;
    return reading;
  }

 private:
  double below_;
};

}  // namespace

class TstCurveReadings : public QObject, private CurvePlotBench {
  Q_OBJECT

 private Q_SLOTS:
  void init() { makePlot(); }

  void theReadingsOfAStackStandAsItsParts() {
    std::vector<Curve> parts;
    for (int below = 0; below < 3; ++below) {
      parts.push_back(curveOf(std::make_shared<StackPart>(below)));
      parts.back().name = QString::number(below);
    }
    plot_->setCurves(parts);
    show();
    QTest::mouseMove(overlayOf(), {300, 260});  // the lowest is the nearest
    plot_->showCursor(50, true);
    QStringList names;
    for (const auto& row : plot_->findChild<widgets::ReadingsTip*>()->readings().rows)
      names << row.name;
    QCOMPARE(names, QStringList({QStringLiteral("2"), QStringLiteral("1"), QStringLiteral("0")}));
  }

  void everyCurveIsListedTheNearestFirst() {
    std::vector<Curve> curves;
    for (int run = 0; run < 9; ++run) {
      auto source = line(100, 0);
      for (QPointF& point : source->points) point.setY(1 + run);
      curves.push_back(ofRun(QStringLiteral("run %1").arg(run), run, source));
    }
    plot_->setCurves(curves);
    show();
    QTest::mouseMove(overlayOf(), {300, 20});  // near the highest
    plot_->showCursor(50, true);
    const auto* tip = plot_->findChild<widgets::ReadingsTip*>();
    QVERIFY(tip && tip->isVisible());
    const auto& rows = tip->readings().rows;
    QCOMPARE(rows.size(), std::size_t{9});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      QCOMPARE(rows[i].run, QStringLiteral("run %1").arg(8 - i));
      QCOMPARE(rows[i].name, QStringLiteral("train"));
    }
    QVERIFY(plot_->rect().contains(tip->geometry()));
  }

  void rowsThatDoNotFitAreScrolledTo() {
    std::vector<Curve> curves;
    for (int run = 0; run < 40; ++run)
      curves.push_back(ofRun(QStringLiteral("run %1").arg(run), run, line(100, 0.01 * run)));
    plot_->setCurves(curves);
    show();
    QTest::mouseMove(overlayOf(), {300, 20});
    plot_->showCursor(50, true);
    const auto* tip = plot_->findChild<widgets::ReadingsTip*>();
    QVERIFY(tip->shownRows() < 40);
    QCOMPARE(tip->firstRow(), 0);
    QVERIFY(wheel(overlayOf(), {300, 20}, -120, Qt::ShiftModifier));
    QVERIFY(tip->firstRow() > 0);
    for (int i = 0; i < 30; ++i) wheel(overlayOf(), {300, 20}, -120, Qt::ShiftModifier);
    QCOMPARE(tip->firstRow(), 40 - tip->shownRows());
  }

  void aValueOfAnotherStepNamesItsStep() {
    plot_->setCurves(
        {ofRun(QStringLiteral("ended"), 0, line(20)), ofRun(QStringLiteral("on"), 1, line(100))});
    show();
    QTest::mouseMove(overlayOf(), {500, 20});
    plot_->showCursor(90, true);
    const auto& readings = plot_->findChild<widgets::ReadingsTip*>()->readings();
    QVERIFY2(readings.title.startsWith(QStringLiteral("step 90 ")), qPrintable(readings.title));
    QCOMPARE(readings.rows.size(), std::size_t{2});
    QCOMPARE(readings.rows[0].run, QStringLiteral("on"));
    QVERIFY(readings.rows[0].step.isEmpty());
    QCOMPARE(readings.rows[1].step, QStringLiteral("at 20"));
  }

  void theReadingsHideWithThePointer() {
    plot_->setCurves({curveOf(line(100))});
    show();
    plot_->showCursor(50, true);
    const auto* tip = plot_->findChild<widgets::ReadingsTip*>();
    QVERIFY(tip->isVisible());
    plot_->showCursor(std::nullopt);
    QVERIFY(!tip->isVisible());
    plot_->showCursor(50, true);
    plot_->hide();
    QVERIFY(tip->isHidden());
  }

  void readingsHideDuringADrag() {
    plot_->setCurves({curveOf(line(100))});
    show();
    connect(plot_.get(), &CurvePlot::cursorMoved, plot_.get(),
            [this](std::optional<double> x) { plot_->showCursor(x, true); });
    for (const auto modifiers : {Qt::NoModifier, Qt::ShiftModifier}) {
      QTest::mouseMove(overlayOf(), {300, 150});
      const auto* tip = plot_->findChild<widgets::ReadingsTip*>();
      QVERIFY(tip && tip->isVisible());
      drag(overlayOf(), {300, 150}, {200, 100}, modifiers);
      waitDrawn();
      QVERIFY(!tip->isVisible());
      QTest::mouseMove(overlayOf(), {320, 150});
      QVERIFY(tip->isVisible());
    }
    plot_->showCursor(-50, true);  // the cursor of another plot, outside of this one
    QVERIFY(!plot_->findChild<widgets::ReadingsTip*>()->isVisible());
  }
};

LOCKSTEP_TEST(TstCurveReadings)
#include "tst_curve_readings.moc"
