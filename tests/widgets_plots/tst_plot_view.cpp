#include <QTest>

#include "tests/support/test_main.h"
#include "tests/widgets_plots/plain_source.h"
#include "widgets/curves/plot_view.h"

using namespace lockstep;
using widgets::PlotView;
using widgets::Range;
using widgets::XAxis;
using widgets::zoomedAround;

namespace {

/// Over steps 1 to 100, of values 1 to 100.
PlotView rising() {
  auto source = std::make_shared<tests::PlainSource>();
  for (int i = 1; i <= 100; ++i) source->points.push_back({1.0 * i, 1.0 * i});
  widgets::Curve curve;
  curve.source = source;
  PlotView view;
  view.setCurves({curve});
  view.setWidth(400, 330);
  return view;
}

}  // namespace

class TstPlotView : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aZoomStaysWithinTheCurves() {
    PlotView view = rising();
    const Range all = view.x();
    QVERIFY(all.first == 0 && all.second > 100);
    view.zoomX({-50, 20});
    QVERIFY(view.isZoomed());
    QCOMPARE(view.x(), Range(0, 70));
    view.zoomX({-1000, 1000});
    QVERIFY(!view.isZoomed());
    QCOMPARE(view.x(), all);
  }

  void aZoomInYStaysWithinTheValues() {
    PlotView view = rising();
    view.zoomY({40, 60});
    QCOMPARE(view.y(view.samples()), Range(40, 60));
    view.resetZoom();
    const Range all = view.y(view.samples());
    QVERIFY(all.first <= 1 && all.second >= 100);
  }

  void anotherAxisEndsTheZoom() {
    PlotView view = rising();
    view.zoomX({10, 20});
    view.setXAxis(XAxis::Step);
    QVERIFY(view.isZoomed());
    view.setXAxis(XAxis::Epoch);
    QVERIFY(!view.isZoomed());
  }

  void aZoomWithoutPointsIsNotShown() {
    PlotView view = rising();
    view.zoomX({80, 90});
    auto shorter = std::make_shared<tests::PlainSource>();
    shorter->points = {{1, 1}, {10, 1}};
    widgets::Curve curve;
    curve.source = shorter;
    view.setCurves({curve});
    QVERIFY(view.x().second < 20);
  }

  void zoomingKeepsTheValueUnderThePointer() {
    QCOMPARE(zoomedAround({0, 10}, 2, 0.5, false), Range(1, 6));
    const Range log = zoomedAround({1, 10000}, 100, 0.5, true);
    QCOMPARE(log, Range(10, 1000));
  }
};

LOCKSTEP_TEST(TstPlotView)
#include "tst_plot_view.moc"
