#include <QTest>

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

  void figuresAreOfThePointsInTheRange() {
    app::MetricStore store;
    for (int step = 1; step <= 100; ++step)
      store.append(step * 10, step, {{"loss", static_cast<float>(step)}});
    const auto figures = app::figuresOf(*store.series("loss"), {}, 95, 305);
    QCOMPARE(figures.count(), std::size_t{21});
    QCOMPARE(figures.mean(), 20.0);
    QCOMPARE(figures.slope(), 0.1);
    QCOMPARE(app::figuresOf(*store.series("loss"), {}, 11, 12).count(), std::size_t{0});
  }

 private:
  widgets::ThemeSwitch theme_;
};

LOCKSTEP_TEST(TstLinkedRange)
#include "tst_linked_range.moc"
