#include <QApplication>
#include <QTest>
#include <cmath>

#include "app/frame/main_window.h"
#include "app/models/metric_store.h"
#include "app/models/series_figures.h"
#include "app/monitor/linked_range.h"
#include "app/monitor/monitor_page.h"
#include "tests/app/made_run.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/readings_tip.h"

using namespace lockstep;
using app::MainWindow;

class TstLinkedRange : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void keysSelectARangeOnAllCardsAndEscEndsIt() {
    QTemporaryDir parent;
    MainWindow window(&theme_,
                      tests::optionsFor({tests::makeRun(parent.path(), tests::MadeRun())}));
    window.show();
    QTRY_VERIFY(window.isReady());
    app::MonitorPage* page = window.monitorPage();
    widgets::CurvePlot* plot = page->cards().front()->plot();
    plot->setFocus();
    QTest::keyClick(plot, Qt::Key_Home);
    QTest::keyClick(plot, Qt::Key_B);
    QVERIFY(page->range()->range());
    for (int i = 0; i < 4; ++i) QTest::keyClick(plot, Qt::Key_Right, Qt::ShiftModifier);
    QTest::keyClick(plot, Qt::Key_B);
    const auto kept = page->range()->range();
    QVERIFY(kept && kept->second > kept->first);
    const auto* tip = window.findChild<widgets::ReadingsTip*>();
    QVERIFY(tip && tip->isVisible());
    QVERIFY(tip->readings().title.startsWith(QStringLiteral("steps ")));
    QTest::keyClick(plot, Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(page->range()->range(), kept);
    QVERIFY(!tip->readings().title.startsWith(QStringLiteral("steps ")));
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(!page->range()->range());
  }

  void arrowsMoveARangeThatWasBegunOutsideOfTheCards() {
    QTemporaryDir parent;
    MainWindow window(&theme_,
                      tests::optionsFor({tests::makeRun(parent.path(), tests::MadeRun())}));
    window.show();
    window.activateWindow();
    QTRY_VERIFY(window.isReady());
    QVERIFY(!window.monitorPage()->cards().front()->plot()->hasFocus());
    QTest::keyClick(&window, Qt::Key_B);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right, Qt::ShiftModifier);
    const auto range = window.monitorPage()->range()->range();
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

  widgets::ThemeSwitch theme_;
};

LOCKSTEP_TEST(TstLinkedRange)
#include "tst_linked_range.moc"
