#include <QAccessible>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include "tests/support/pixels.h"
#include "tests/support/test_main.h"
#include "tests/widgets_plots/curve_plot_bench.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/curve_plot.h"
#include "widgets/plots/readings_tip.h"
#include "widgets/theme.h"

using namespace lockstep;
using namespace lockstep::tests;
using widgets::Curve;
using widgets::CurvePlot;

namespace {

/// Includes antialiased pixels, which are a little paler.
int pixelsNear(const QImage& image, const QColor& color) {
  int count = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) {
      const QColor pixel = image.pixelColor(x, y);
      count += std::abs(pixel.red() - color.red()) + std::abs(pixel.green() - color.green()) +
                   std::abs(pixel.blue() - color.blue()) <
               120;
    }
  return count;
}

}  // namespace

class TstCurvePlot : public QObject, private tests::CurvePlotBench {
  Q_OBJECT

 private Q_SLOTS:
  void init() { makePlot(); }

  void asksForOneColumnAPixelAndDrawsTheRunsColour() {
    auto source = line(100);
    plot_->setCurves({curveOf(source)});
    show();
    QVERIFY(source->lastEdges.size() > 450 && source->lastEdges.size() < 600);
    QVERIFY(std::is_sorted(source->lastEdges.begin(), source->lastEdges.end()));
    QCOMPARE(source->lastEdges.front(), 0.0);
    QVERIFY(source->lastEdges.back() > 100 && source->lastEdges.back() < 102);
    const QColor color = widgets::runStyle(0, widgets::currentTheme()).color;
    QVERIFY(pixelsNear(plot_->grab().toImage(), color) > 200);
  }

  void nonFiniteValuesLeaveAGapAndAMark() {
    auto source = line(100, 0);
    for (int i = 40; i < 60; ++i) source->points[i].setY(std::nan(""));
    plot_->setCurves({curveOf(source)});
    show();
    const QImage image = plot_->grab().toImage();
    const QColor color = widgets::runStyle(0, widgets::currentTheme()).color;
    QVERIFY(pixelsNear(image.copy(180, 0, 1, 300), color) > 0);
    QCOMPARE(pixelsNear(image.copy(50 + 534 / 2, 0, 1, 300), color), 0);
    QVERIFY(pixelsOf(image, widgets::currentTheme().error) > 10);
  }

  void onlyNonFiniteValuesDoNotBreakThePlot() {
    auto source = line(10);
    for (QPointF& point : source->points) point.setY(std::nan(""));
    Curve curve = curveOf(source, Curve::Kind::Evaluation);
    curve.markLowest = true;
    plot_->setCurves({curve});
    show();
    QVERIFY(plot_->yView().first < plot_->yView().second);
  }

  void aPlotWithoutPointsHasNoTickLabelsAndNoGrid() {
    plot_->setCurves({curveOf(line(0))});
    show();
    QVERIFY(!plot_->hasPoints());
    const QByteArray grid = widgets::currentTheme().grid.name().toLatin1();
    QVERIFY(!plot_->toSvg().contains("<text") && !plot_->toSvg().contains(grid));
    plot_->setCurves({curveOf(line(100))});
    waitDrawn();
    QVERIFY(plot_->hasPoints());
    QVERIFY(plot_->toSvg().contains("<text") && plot_->toSvg().contains(grid));
  }

  void newPointsWidenTheViewUnlessItIsZoomed() {
    auto source = line(100);
    plot_->setCurves({curveOf(source)});
    show();
    source->points.push_back({200, 2});
    plot_->refresh();
    waitDrawn();
    QVERIFY(plot_->xView().second > 200 && plot_->xView().second < 204);
    plot_->setXView(10, 20);
    waitDrawn();
    source->points.push_back({300, 2});
    plot_->refresh();
    waitDrawn();
    QCOMPARE(plot_->xView(), std::pair(10.0, 20.0));
    QVERIFY(plot_->isZoomed());
    plot_->resetView();
    waitDrawn();
    QVERIFY(plot_->xView().second > 300);
  }

  void ctrlAndTheWheelZoomAtThePointerAndDoubleClickShowsAll() {
    plot_->setCurves({curveOf(line(100))});
    show();
    QWidget* overlay = overlayOf();
    const double before = plot_->xView().second - plot_->xView().first;
    QVERIFY(wheel(overlay, {300, 150}, 120, Qt::ControlModifier));
    QVERIFY(plot_->xView().second - plot_->xView().first < before);
    QVERIFY(plot_->xView().first > 0 && plot_->xView().second < 100);
    QTest::mouseDClick(overlay, Qt::LeftButton, {}, {300, 150});
    QVERIFY(!plot_->isZoomed());
  }

  void theWheelAloneScrollsThePage() {
    plot_->setCurves({curveOf(line(100))});
    show();
    QVERIFY(!wheel(plot_->childAt(300, 150), {300, 150}, 120, Qt::NoModifier));
    QVERIFY(!plot_->isZoomed());
  }

  void theZoomStaysWithinTheData() {
    plot_->setCurves({curveOf(line(100))});
    show();
    const auto all = plot_->xView();
    const auto values = plot_->yView();
    QWidget* overlay = overlayOf();
    for (int i = 0; i < 5; ++i) wheel(overlay, {300, 150}, -120, Qt::ControlModifier);
    QVERIFY(!plot_->isZoomed());
    wheel(overlay, {300, 150}, 240, Qt::ControlModifier);
    for (int i = 0; i < 20; ++i) drag(overlay, {100, 150}, {500, 150}, Qt::ShiftModifier);
    QVERIFY(plot_->isZoomed());
    QVERIFY(std::abs(plot_->xView().first - all.first) < 1e-6);
    for (int i = 0; i < 20; ++i) drag(overlay, {500, 250}, {100, 20}, Qt::ShiftModifier);
    QVERIFY(std::abs(plot_->xView().second - all.second) < 1e-6);
    QVERIFY(plot_->yView().first >= std::min(0.0, values.first));
    for (int i = 0; i < 5; ++i) wheel(overlay, {10, 150}, -120, Qt::ControlModifier);
    QVERIFY(plot_->yView().first > 0.5 && plot_->yView().second < 2.5);  // values are 1 to 2
  }

  void aZoomWithoutPointsIsIgnored() {
    plot_->setCurves({curveOf(line(100))});
    show();
    plot_->setXView(80, 90);
    waitDrawn();
    plot_->setCurves({curveOf(line(20))});
    waitDrawn();
    QVERIFY(plot_->xView().first < 1 && plot_->xView().second < 25);
  }

  void draggingABoxZoomsIntoIt() {
    plot_->setCurves({curveOf(line(100))});
    show();
    QWidget* overlay = overlayOf();
    QTest::mousePress(overlay, Qt::LeftButton, {}, {200, 60});
    QTest::mouseMove(overlay, {260, 120});
    QTest::mouseMove(overlay, {400, 200});
    QTest::mouseRelease(overlay, Qt::LeftButton, {}, {400, 200});
    const auto [low, high] = plot_->xView();
    QVERIFY2(low > 20 && low < 40 && high > 60 && high < 75,
             qPrintable(QStringLiteral("%1 %2").arg(low).arg(high)));
  }

  /// A drag without any height is one in x.
  void draggingALineZoomsInX() {
    plot_->setCurves({curveOf(line(100))});
    show();
    drag(overlayOf(), {200, 150}, {400, 150}, Qt::NoModifier);
    QVERIFY(plot_->zoom().x && !plot_->zoom().y);
  }

  void aScreenReaderIsToldTheLastValues() {
    plot_->setAccessibleName(QStringLiteral("Loss"));
    QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(plot_.get());
    QVERIFY(spoken);
    QVERIFY(spoken->role() == QAccessible::Chart);
    QCOMPARE(spoken->text(QAccessible::Name), QStringLiteral("Loss"));
    QCOMPARE(spoken->text(QAccessible::Value), QStringLiteral("no values yet"));
    Curve other = ofRun(QStringLiteral("b"), 1, valley(1));
    plot_->setCurves({curveOf(line(100)), other});
    QCOMPARE(spoken->text(QAccessible::Value),
             QStringLiteral("train: 1.990 at step 100; b train: 6.000 at step 100"));
  }

  void shiftDraggingPans() {
    plot_->setCurves({curveOf(line(100))});
    show();
    QWidget* overlay = overlayOf();
    plot_->setXView(20, 60);
    waitDrawn();
    const auto before = plot_->xView();
    QTest::mousePress(overlay, Qt::LeftButton, Qt::ShiftModifier, {300, 150});
    QTest::mouseMove(overlay, {200, 150});
    QTest::mouseRelease(overlay, Qt::LeftButton, Qt::ShiftModifier, {200, 150});
    const auto after = plot_->xView();
    QVERIFY(after.first > before.first + 5);
    QVERIFY(std::abs((after.second - after.first) - (before.second - before.first)) < 1e-6);
  }

  void thePointerIsGivenInAxisUnits() {
    plot_->setCurves({curveOf(line(100))});
    show();
    QSignalSpy moved(plot_.get(), &CurvePlot::cursorMoved);
    QTest::mouseMove(overlayOf(), {300, 150});
    QVERIFY(moved.count() >= 1);
    const auto x = moved.last()[0].value<std::optional<double>>();
    QVERIFY(x && *x > 40 && *x < 55);
  }

  void logAxesAcceptZerosAndNegatives() {
    auto source = line(100);
    source->points[3].setY(0);
    source->points[4].setY(-2);
    plot_->setCurves({curveOf(source)});
    plot_->setLogX(true);
    plot_->setLogY(true);
    show();
    QVERIFY(plot_->xView().first > 0 && plot_->yView().first > 0);
    QVERIFY(std::isfinite(plot_->yView().second));
  }

  void theLowestPointIsRinged() {
    auto source = line(10);
    source->points[6].setY(0.5);
    Curve curve = curveOf(source, Curve::Kind::Evaluation);
    curve.markLowest = true;
    plot_->setCurves({curve});
    show();
    QVERIFY(pixelsOf(plot_->grab().toImage(), widgets::currentTheme().good) > 30);
  }

  void noCurvesAndEmptyCurvesAreDrawnAsAnEmptyPlot() {
    show();
    plot_->setCurves({curveOf(std::make_shared<PlainSource>())});
    waitDrawn();
    QVERIFY(plot_->isUpToDate());
    plot_->showCursor(3.0, true);
    QVERIFY(!plot_->grab().isNull());
  }

  void manyRefreshesAreDrawnOnce() {
    plot_->setCurves({curveOf(line(100))});
    show();
    QSignalSpy drawn(plot_.get(), &CurvePlot::drawn);
    for (int i = 0; i < 500; ++i) plot_->refresh();
    QVERIFY(!plot_->isUpToDate());
    waitDrawn();
    QCOMPARE(drawn.count(), 1);
  }

  void theLowestPointIsNamedAsSuchWhereItCoversNoCurve() {
    Curve curve = curveOf(valley(1));
    curve.markLowest = true;
    plot_->setCurves({curve});
    show();
    QVERIFY(plot_->toSvg().contains(">lowest 1.000 at step 50<"));
    QVERIFY(!plot_->toSvg().contains("best"));
    auto noise = line(600, 0);
    for (int i = 0; i < 600; ++i) noise->points[i].setY(i % 2 == 0 ? 0 : 10);
    plot_->setIgnoreOutliers(false);
    plot_->setCurves({curve, curveOf(noise)});
    waitDrawn();
    QVERIFY(!plot_->toSvg().contains("lowest"));
    plot_->showCursor(50, true);
    QCOMPARE(lowestRows(), QStringList{QStringLiteral("train (lowest)")});
    plot_->showCursor(40, true);
    QCOMPARE(lowestRows(), QStringList());
  }

  void theLabelOfTheLowestPointNamesItsValueIfThereIsRoom() {
    auto bowl = std::make_shared<PlainSource>();  // with a wide bottom
    for (int i = 1; i <= 100; ++i)
      bowl->points.push_back({i + 0.0, 1 + 5 * std::pow(std::abs(i - 50) / 50.0, 8)});
    for (const bool isWide : {true, false}) {
      Curve curve = curveOf(isWide ? bowl : valley(1));
      curve.markLowest = true;
      curve.valueName = QStringLiteral("validation loss");
      plot_->setCurves({curve});
      if (isWide) show();
      waitDrawn();
      QVERIFY(plot_->toSvg().contains(isWide ? ">lowest validation loss 1.000 at step 50<"
                                             : ">lowest 1.000 at step 50<"));
    }
  }

  void theLabelIsAtTheLowestPointOfAllRuns() {
    for (const bool isFirst : {true, false}) {
      std::vector<Curve> curves{ofRun(QStringLiteral("first"), 0, valley(isFirst ? 1 : 9)),
                                ofRun(QStringLiteral("second"), 1, valley(isFirst ? 9 : 1))};
      for (Curve& curve : curves) curve.markLowest = true;
      plot_->setCurves(curves);
      if (isFirst) show();
      waitDrawn();
      QVERIFY(plot_->toSvg().contains(isFirst ? "(first)<" : "(second)<"));
    }
  }

  void theLowestPointsOfSeveralRunsHaveTheirColours() {
    std::vector<Curve> curves{ofRun(QStringLiteral("first"), 0, valley(1)),
                              ofRun(QStringLiteral("second"), 1, valley(9))};
    plot_->setCurves(curves);
    show();
    const QByteArray without = plot_->toSvg();
    for (Curve& curve : curves) curve.markLowest = true;
    plot_->setCurves(curves);
    waitDrawn();
    const QByteArray with = plot_->toSvg();
    for (const int run : {0, 1}) {
      const QByteArray color =
          widgets::runStyle(run, widgets::currentTheme()).color.name().toLatin1();
      QVERIFY2(with.count(color) > without.count(color), color.constData());
    }
    QCOMPARE(with.count(">lowest "), 1);  // the first one's
    QVERIFY(!with.contains(widgets::currentTheme().good.name().toLatin1()));
    QVERIFY(with.contains("(first)<"));  // whose it is
  }

 private:
  QStringList lowestRows() const {
    QStringList names;
    for (const auto& row : plot_->findChild<widgets::ReadingsTip*>()->readings().rows)
      if (row.name.contains(QStringLiteral("lowest"))) names.append(row.name);
    return names;
  }
};

LOCKSTEP_TEST(TstCurvePlot)
#include "tst_curve_plot.moc"
