// What a person does on Monitor and around it, in the whole window.
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTreeView>
#include <QWheelEvent>
#include <filesystem>

#include "app/frame/page_area.h"
#include "app/monitor/curve_tools.h"
#include "app/monitor/linked_range.h"
#include "app/monitor/linked_zoom.h"
#include "app/monitor/log_list.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/open/open_runs.h"
#include "app/runs/panel/run_view_menu.h"
#include "app/runs/panel/runs_panel.h"
#include "engine/pack/pack_run.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/jobs/jobs.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/readings_tip.h"
#include "widgets/question_dialog.h"

using namespace lockstep;
using app::MainWindow;
using app::Page;

namespace {

/// Its held-out loss rises for so long that an alert says so.
tests::MadeRun overfittingRun() {
  tests::MadeRun run = tests::made("overfitting", 1000);
  run.steps = run.maxSteps = 400;
  run.evaluateEvery = 20;
  return run;
}

int visibleCards(const MainWindow& window) {
  return static_cast<int>(
      std::ranges::count_if(window.monitorPage()->cards(), &widgets::CurveCard::isVisible));
}

/// Chooses what the list of runs is grouped by.
void groupBy(MainWindow& window, const QString& by) {
  for (const auto& [title, entries] : window.runsPanel()->viewMenu()->entries())
    for (QAction* entry : entries)
      if (title == QStringLiteral("Group by") && entry->text() == by) entry->trigger();
}

}  // namespace

class TstMonitorInWindow : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { parent_ = std::make_unique<QTemporaryDir>(); }

  void groupsAreThoseOfTheFolder() {
    QTemporaryDir settings, elsewhere;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    QCoreApplication::setOrganizationName(QStringLiteral("tests"));
    const QString run = tests::makeRun(parent_->path(), tests::made("here", 1000));
    const QString other = tests::makeRun(elsewhere.path(), tests::made("there", 1000));
    const auto open = [this](const QTemporaryDir& folder) {
      return tests::openWindow(window_.theme(),
                               tests::keepingOptionsFor({folder.path()}, Page::Monitor));
    };
    const auto joins = [](const MainWindow& window) {
      return window.monitorPage()->cardSettings().joinsGroups;
    };
    {
      const auto window = open(*parent_);
      QVERIFY(QTest::qWaitForWindowActive(window.get()));
      QTRY_VERIFY(window->isReady());
      QTest::keyClick(window.get(), Qt::Key_G);
      QVERIFY(joins(*window));
      groupBy(*window, QStringLiteral("State"));
      QTRY_COMPARE(window->runsPanel()->groupOf(run), QStringLiteral("finished"));
    }
    {
      const auto window = open(elsewhere);
      QTRY_VERIFY(window->isReady());
      QVERIFY(!joins(*window));
      QCOMPARE(window->runsPanel()->groupOf(other), QString());
    }
    const auto again = open(*parent_);
    QTRY_COMPARE(again->runsPanel()->groupOf(run), QStringLiteral("finished"));
    QVERIFY(joins(*again));
  }

  void aClickOnAnAlertShowsItsPlaceInTheCurves() {
    MainWindow& window = window_.show({tests::makeRun(parent_->path(), overfittingRun())});
    window.findChild<QAction*>(QStringLiteral("log.alerts"))->trigger();
    app::LogList* alerts = nullptr;
    for (auto* list : window.findChildren<app::LogList*>())
      if (list->accessibleName() == QStringLiteral("Alerts")) alerts = list;
    QVERIFY(alerts && alerts->isVisible());
    QCOMPARE(alerts->model()->rowCount(), 1);
    // From another page, to a card that is zoomed to another place and scrolled away.
    widgets::CurveCard* loss = window.monitorPage()->cards().front();
    loss->plot()->setXView(10, 40);
    QTRY_VERIFY(window.isReady());
    auto* area = window.monitorPage()->findChild<QScrollArea*>();
    area->verticalScrollBar()->setValue(area->verticalScrollBar()->maximum());
    window.showPage(Page::Compare);
    QTest::mouseClick(alerts->viewport(), Qt::LeftButton, {},
                      alerts->visualRect(alerts->model()->index(0, 0)).center());
    QCOMPARE(window.page(), Page::Monitor);
    const auto* tip = window.findChild<widgets::ReadingsTip*>();
    QTRY_VERIFY(tip && tip->isVisible());
    QTRY_COMPARE(tip->readings().title.section(u' ', 0, 1), QStringLiteral("step 260"));
    QVERIFY(!loss->visibleRegion().isEmpty());
  }

  /// What they do is asserted of the page.
  void keysReachTheCards() {
    MainWindow& window = window_.show({tests::makeRun(parent_->path(), tests::MadeRun())});
    app::MonitorPage& page = *window.monitorPage();
    widgets::CurvePlot* plot = page.cards().front()->plot();
    const auto press = [&window](Qt::Key key, Qt::KeyboardModifiers held = {}) {
      QTest::keyClick(&window, key, held);
    };
    const auto trigger = [&window](const char* id) {
      window.findChild<QAction*>(QLatin1String(id))->trigger();
    };
    press(Qt::Key_L);
    QVERIFY(plot->isLogY() && !plot->isLogX());
    press(Qt::Key_X);
    QVERIFY(plot->isLogX());
    const bool ignoredOutliers = plot->isIgnoringOutliers();
    press(Qt::Key_O);
    QVERIFY(plot->isIgnoringOutliers() != ignoredOutliers);
    press(Qt::Key_S);
    QCOMPARE(page.tools()->smoothing(), 0.0);
    press(Qt::Key_S);
    QCOMPARE(page.tools()->smoothing(), 0.6);

    QTRY_VERIFY(window.isReady());
    const QPointF middle = plot->rect().center();
    QWheelEvent wheel(middle, plot->mapToGlobal(middle), {}, {0, 120}, Qt::NoButton,
                      Qt::ControlModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(plot->childAt(middle.toPoint()), &wheel);
    QVERIFY(plot->isZoomed());
    press(Qt::Key_R);
    QVERIFY(!plot->isZoomed());
    press(Qt::Key_BracketLeft);
    QVERIFY(plot->isZoomed());
    press(Qt::Key_BracketRight);
    QVERIFY(!plot->isZoomed());
    trigger("monitor.link_zoom");
    QVERIFY(!page.zoom()->isLinked());

    press(Qt::Key_B);
    QVERIFY(page.range()->range());
    press(Qt::Key_Escape);
    QVERIFY(!page.range()->range());

    page.cards()[1]->plot()->setFocus();
    press(Qt::Key_H);
    press(Qt::Key_W);
    QCOMPARE(page.cardSettings().sizes.value(QStringLiteral("eval/segm/AP")).toString(),
             QStringLiteral("2x2"));
    press(Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(page.cardSettings().order.value(2), QStringLiteral("eval/segm/AP"));
    press(Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(page.cardSettings().order.value(1), QStringLiteral("eval/segm/AP"));
    trigger("monitor.reset_cards");
    QVERIFY(page.cardSettings().sizes.isEmpty() && page.cardSettings().order.isEmpty());
  }

  void escEndsAMaximisedCard() {
    MainWindow& window = window_.show({tests::makeRun(parent_->path(), tests::MadeRun())});
    const int all = visibleCards(window);
    QVERIFY(all > 2);
    QTest::keyClick(&window, Qt::Key_F);
    QTRY_COMPARE(visibleCards(window), 1);
    QTest::keyClick(&window, Qt::Key_Escape);
    QTRY_COMPARE(visibleCards(window), all);
  }

  void cardsAreSearchedByRegularExpression() {
    MainWindow& window = window_.show({tests::makeRun(parent_->path(), tests::MadeRun())});
    QTest::keyClick(&window, Qt::Key_F, Qt::ControlModifier);
    auto* words = window.monitorPage()->tools()->findChild<QLineEdit*>();
    QVERIFY(words->hasFocus());
    QTest::keyClicks(words, QStringLiteral("/^(mask|box) ap/"));
    const auto shown = [&] {
      QStringList titles;
      for (const auto* card : window.monitorPage()->cards())
        if (card->isVisible()) titles << card->title();
      return titles;
    };
    QTRY_COMPARE(shown(), (QStringList{QStringLiteral("Mask AP"), QStringLiteral("Box AP")}));
  }

  void aRunThatIsRenamedHasItsNameInTheTopBar() {
    MainWindow& window =
        window_.show({tests::makeRun(parent_->path(), tests::made("before", 1000))});
    const auto* name = window.findChild<QLabel*>(QStringLiteral("runName"));
    QTRY_COMPARE(name->text(), QStringLiteral("before"));
    auto* list = window.runsPanel()->findChild<QTreeView*>();
    list->setFocus();
    QTest::keyClick(list, Qt::Key_F2);
    auto* editor = list->findChild<QLineEdit*>();
    QVERIFY(editor);
    QTest::keyClicks(editor, QStringLiteral("after"));
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_COMPARE(name->text(), QStringLiteral("after"));
  }

  /// Where the curves' tools change their width.
  void noTabIsCutInAWindowOfUsualWidth() {
    MainWindow& window = window_.show({tests::makeRun(parent_->path(), tests::MadeRun())});
    const auto* tabs = window.findChild<QTabBar*>(QStringLiteral("pageTabs"));
    const auto* tools = window.monitorPage()->tools();
    for (int width = 1000; width <= 1300; width += 10) {
      window.resize(width, 700);
      QCoreApplication::processEvents();
      QTRY_COMPARE(window.width(), width);
      QTRY_VERIFY2(tabs->width() >= tabs->sizeHint().width(), qPrintable(QString::number(width)));
      const int end = tabs->mapTo(&window, tabs->rect().topRight()).x();
      QTRY_VERIFY2(tools->mapTo(&window, QPoint()).x() > end, qPrintable(QString::number(width)));
      QVERIFY(tools->geometry().right() < tools->parentWidget()->width());
    }
  }

  /// What --screenshot saves as soon as the window is ready.
  void aPackedRunIsReadyWithItsLastPoints() {
    tests::MadeRun made;
    made.steps = made.maxSteps = 3000;
    const QString run = tests::makeRun(parent_->path(), made);
    const QString packed = parent_->filePath(QStringLiteral("made.lockstep"));
    pack::packRun(run_folder::Layout(run.toStdString()), packed.toStdString(), {});
    MainWindow window(&window_.theme(), tests::optionsFor({packed}, Page::Monitor));
    double last = -1;
    const auto look = [&] {
      if (last >= 0 || !window.isReady()) return;
      const auto& cards = window.monitorPage()->cards();
      last = cards.empty() ? 0 : cards.front()->plot()->xView().second;
    };
    connect(&window, &MainWindow::readyChanged, this, look);
    window.show();
    look();
    QTRY_VERIFY(last >= 0);
    QVERIFY2(last >= 3000, qPrintable(QString::number(last)));
  }

  /// Also if it is chosen again before the question is there.
  void savingARunAsOneFileAsksOnce() {
    tests::MadeRun made;
    made.keptCheckpoints = {30};
    const QString run = tests::makeRun(parent_->path(), made);
    const run_folder::Layout layout(run.toStdString());
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    info.best = {"segm/AP", 0.25, 30};
    run_folder::writeRunInfo(layout, info);
    MainWindow& window = window_.show({run});
    int asked = 0;
    QTimer cancels;
    connect(&cancels, &QTimer::timeout, this, [&] {
      auto* question = qobject_cast<widgets::QuestionDialog*>(QApplication::activeModalWidget());
      if (!question) return;
      ++asked;
      QTest::keyClick(question, Qt::Key_Escape);
    });
    cancels.start(std::chrono::milliseconds(5));
    auto* pack = window.findChild<QAction*>(QStringLiteral("run.pack"));
    QTRY_VERIFY(pack->isEnabled());
    pack->trigger();
    pack->trigger();
    QTRY_COMPARE(asked, 1);
    QVERIFY(jobs::waitForAll(std::chrono::seconds(5)));
    QCoreApplication::processEvents();
    QCOMPARE(asked, 1);
  }

  void aPageThatHasPointsToDrawIsNotReady() {
    const QString run = tests::makeRun(parent_->path(), tests::MadeRun());
    MainWindow& window = window_.show({run});
    app::RunController* shown = window.findChild<app::OpenRuns*>()->find(run);
    const widgets::CurvePlot* plot = window.monitorPage()->cards().front()->plot();
    for (int step = 41; step <= 60; ++step) {
      shown->history().metrics().append(step, 1.9e9, {{"train/loss_total", 0.5F}});
      Q_EMIT shown->changed({});
      QVERIFY(!window.isReady());
    }
    QTRY_VERIFY(window.isReady());
    QVERIFY(plot->xView().second >= 60);
  }

 private:
  tests::SharedWindow window_;
  std::unique_ptr<QTemporaryDir> parent_;
};

LOCKSTEP_TEST(TstMonitorInWindow)
#include "tst_monitor_in_window.moc"
