#include <QApplication>
#include <QTest>
#include <cmath>

#include "app/metrics/metric_store.h"
#include "app/metrics/series_figures.h"
#include "app/monitor/linked_range.h"
#include "tests/app/monitor_bench.h"
#include "tests/support/test_main.h"
#include "widgets/plots/readings_tip.h"

using namespace lockstep;

class TstLinkedRange : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRangeIsSelectedOnAllCardsWithTheKeyboard() {
    tests::MonitorBench bench;
    app::MonitorPage& page = bench.page();
    widgets::CurvePlot* plot = bench.plot(0);
    plot->setFocus();
    QTest::keyClick(plot, Qt::Key_Home);
    page.range()->toggle();
    QVERIFY(page.range()->range());
    for (int i = 0; i < 4; ++i) QTest::keyClick(plot, Qt::Key_Right, Qt::ShiftModifier);
    page.range()->toggle();
    const auto kept = page.range()->range();
    QVERIFY(kept && kept->second > kept->first);
    const auto* tip = bench.window().findChild<widgets::ReadingsTip*>();
    QVERIFY(tip && tip->isVisible());
    QVERIFY(tip->readings().title.startsWith(QStringLiteral("steps ")));
    QTest::keyClick(plot, Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(page.range()->range(), kept);
    QVERIFY(!tip->readings().title.startsWith(QStringLiteral("steps ")));
    QVERIFY(page.range()->clear());
    QVERIFY(!page.range()->range());
  }

  void arrowsMoveARangeThatWasBegunOutsideOfTheCards() {
    tests::MonitorBench bench;
    QVERIFY(!bench.plot(0)->hasFocus());
    bench.page().range()->toggle();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right, Qt::ShiftModifier);
    const auto range = bench.page().range()->range();
    QVERIFY(range && range->second > range->first);
  }

  void figuresAreOfThePointsInTheRange() {
    app::MetricStore store;
    for (int step = 1; step <= 100; ++step)
      store.append(step * 10, step, {{"loss", static_cast<float>(step)}});
    app::SeriesFigures ofLoss;
    const auto figures = ofLoss.between(*store.series("loss"), {}, 95, 305);
    QCOMPARE(figures.count(), std::size_t{21});
    QCOMPARE(figures.mean(), 20.0);
    QCOMPARE(figures.slope(), 0.1);
    QCOMPARE(ofLoss.between(*store.series("loss"), {}, 11, 12).count(), std::size_t{0});
  }

  /// Over many blocks, from within one to within another, also after values came or were cut off.
  void figuresOfManyValuesAreThoseOfEach() {
    app::MetricStore store;
    const auto append = [&store](int from, int to) {
      for (int i = from; i < to; ++i)
        store.append(2 * i, 1.8e9 + i, {{"loss", i % 700 == 3 ? std::nanf("") : valueAt(i)}});
    };
    append(0, 5000);
    app::SeriesFigures figures;
    const auto compare = [&](double low, double high, const app::XScale& scale) {
      const app::MetricSeries& series = *store.series("loss");
      widgets::RangeFigures each;
      for (std::size_t i = 0; i < series.size(); ++i)
        if (const double x = scale.at(series.axis(), i); x >= low && x <= high)
          each.add(x, series.value(i));
      const widgets::RangeFigures found = figures.between(series, scale, low, high);
      QCOMPARE(found.count(), each.count());
      QCOMPARE(found.nonFiniteCount(), each.nonFiniteCount());
      QCOMPARE(found.min(), each.min());
      QCOMPARE(found.max(), each.max());
      QVERIFY(std::abs(found.mean() - each.mean()) < 1e-9);
      QVERIFY(std::abs(found.slope() - each.slope()) < 1e-9);
    };
    const app::XScale time{widgets::XAxis::Wall, 1, 1, 1.8e9};
    for (const auto& [low, high] : {std::pair(-5.0, 1e9), std::pair(1001.0, 9000.0),
                                    std::pair(1024.0, 2048.0), std::pair(7.0, 9.0)}) {
      compare(low, high, {});
      compare(low + 1.8e9, high + 1.8e9, time);
    }
    store.cutAfter(4000);
    append(2001, 6000);
    compare(100, 11000, {});
  }

 private:
  static float valueAt(int i) { return static_cast<float>(i % 97) - 0.01F * static_cast<float>(i); }
};

LOCKSTEP_TEST(TstLinkedRange)
#include "tst_linked_range.moc"
