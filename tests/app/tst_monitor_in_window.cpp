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
#include <filesystem>

#include "app/controllers/open_runs.h"
#include "app/frame/main_window.h"
#include "app/frame/page_area.h"
#include "app/monitor/curve_tools.h"
#include "app/monitor/log_list.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/run_view_menu.h"
#include "app/runs/runs_panel.h"
#include "engine/events/reader.h"
#include "engine/pack/pack_run.h"
#include "tests/app/made_run.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/jobs/jobs.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/readings_tip.h"
#include "widgets/question_dialog.h"

using namespace lockstep;
using app::MainWindow;
using app::Page;
using tests::optionsFor;

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

QString eventFileOf(const QString& run) {
  return QString::fromStdString(events::findEventFile(run.toStdString()).string());
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
      app::MainWindowOptions options = optionsFor({folder.path()}, Page::Monitor);
      options.keepLayout = true;
      auto window = std::make_unique<MainWindow>(&theme_, options);
      window->show();
      return window;
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
    const auto window = openRun(tests::makeRun(parent_->path(), overfittingRun()));
    window->findChild<QAction*>(QStringLiteral("log.alerts"))->trigger();
    app::LogList* alerts = nullptr;
    for (auto* list : window->findChildren<app::LogList*>())
      if (list->accessibleName() == QStringLiteral("Alerts")) alerts = list;
    QVERIFY(alerts && alerts->isVisible());
    QCOMPARE(alerts->model()->rowCount(), 1);
    // From another page, to a card that is zoomed to another place and scrolled away.
    widgets::CurveCard* loss = window->monitorPage()->cards().front();
    loss->plot()->setXView(10, 40);
    QTRY_VERIFY(window->isReady());
    auto* area = window->monitorPage()->findChild<QScrollArea*>();
    area->verticalScrollBar()->setValue(area->verticalScrollBar()->maximum());
    window->showPage(Page::Compare);
    QTest::mouseClick(alerts->viewport(), Qt::LeftButton, {},
                      alerts->visualRect(alerts->model()->index(0, 0)).center());
    QCOMPARE(window->page(), Page::Monitor);
    const auto* tip = window->findChild<widgets::ReadingsTip*>();
    QTRY_VERIFY(tip && tip->isVisible());
    QTRY_COMPARE(tip->readings().title.section(u' ', 0, 1), QStringLiteral("step 260"));
    QVERIFY(!loss->visibleRegion().isEmpty());
  }

  void escEndsAMaximisedCard() {
    const auto window = openRun(tests::makeRun(parent_->path(), tests::MadeRun()));
    const int all = visibleCards(*window);
    QVERIFY(all > 2);
    QTest::keyClick(window.get(), Qt::Key_F);
    QTRY_COMPARE(visibleCards(*window), 1);
    QTest::keyClick(window.get(), Qt::Key_Escape);
    QTRY_COMPARE(visibleCards(*window), all);
  }

  void cardsAreSearchedByRegularExpression() {
    const auto window = openRun(tests::makeRun(parent_->path(), tests::MadeRun()));
    QTest::keyClick(window.get(), Qt::Key_F, Qt::ControlModifier);
    auto* words = window->monitorPage()->tools()->findChild<QLineEdit*>();
    QVERIFY(words->hasFocus());
    QTest::keyClicks(words, QStringLiteral("/^(mask|box) ap/"));
    const auto shown = [&] {
      QStringList titles;
      for (const auto* card : window->monitorPage()->cards())
        if (card->isVisible()) titles << card->title();
      return titles;
    };
    QTRY_COMPARE(shown(), (QStringList{QStringLiteral("Mask AP"), QStringLiteral("Box AP")}));
  }

  void anEndedRunSaysThatItsLogIsIncomplete_data() {
    QTest::addColumn<QString>("fault");
    QTest::newRow("without") << QStringLiteral("has no event log");
    QTest::newRow("damaged") << QStringLiteral("1 damaged records are left out");
    QTest::newRow("short") << QStringLiteral(" of 40: curves and log after it are lost");
  }
  void anEndedRunSaysThatItsLogIsIncomplete() {
    QFETCH(QString, fault);
    const QString run = tests::makeRun(parent_->path(), tests::MadeRun());
    QFile log(eventFileOf(run));
    if (fault.contains(QStringLiteral("no event"))) {
      QVERIFY(log.remove());
    } else if (fault.contains(QStringLiteral("damaged"))) {
      QVERIFY(log.open(QIODevice::ReadWrite));
      const QByteArray bytes = log.readAll();
      const qsizetype at = bytes.lastIndexOf("train/loss_total");  // within the data of a record
      QVERIFY(at > 0 && log.seek(at) && log.write("T") == 1);
    } else {
      QVERIFY(log.resize(log.size() / 2));
    }
    log.close();
    const auto window = openRun(run);
    QTRY_VERIFY(tests::visibleBanner(*window, QStringLiteral("The run is damaged"), fault));
  }

  void aRunThatIsRenamedHasItsNameInTheTopBar() {
    const auto window = openRun(tests::makeRun(parent_->path(), tests::made("before", 1000)));
    const auto* name = window->findChild<QLabel*>(QStringLiteral("runName"));
    QTRY_COMPARE(name->text(), QStringLiteral("before"));
    auto* list = window->runsPanel()->findChild<QTreeView*>();
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
    const auto window = openRun(tests::makeRun(parent_->path(), tests::MadeRun()));
    const auto* tabs = window->findChild<QTabBar*>(QStringLiteral("pageTabs"));
    const auto* tools = window->monitorPage()->tools();
    for (int width = 1000; width <= 1300; width += 10) {
      window->resize(width, 700);
      QCoreApplication::processEvents();
      QTRY_COMPARE(window->width(), width);
      QTRY_VERIFY2(tabs->width() >= tabs->sizeHint().width(), qPrintable(QString::number(width)));
      const int end = tabs->mapTo(window.get(), tabs->rect().topRight()).x();
      QTRY_VERIFY2(tools->mapTo(window.get(), QPoint()).x() > end,
                   qPrintable(QString::number(width)));
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
    MainWindow window(&theme_, optionsFor({packed}, Page::Monitor));
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
    const auto window = openRun(run);
    int asked = 0;
    QTimer cancels;
    connect(&cancels, &QTimer::timeout, this, [&] {
      auto* question = qobject_cast<widgets::QuestionDialog*>(QApplication::activeModalWidget());
      if (!question) return;
      ++asked;
      QTest::keyClick(question, Qt::Key_Escape);
    });
    cancels.start(std::chrono::milliseconds(5));
    auto* pack = window->findChild<QAction*>(QStringLiteral("run.pack"));
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
    const auto window = openRun(run);
    app::RunController* shown = window->findChild<app::OpenRuns*>()->find(run);
    const widgets::CurvePlot* plot = window->monitorPage()->cards().front()->plot();
    for (int step = 41; step <= 60; ++step) {
      shown->history().metrics().append(step, 1.9e9, {{"train/loss_total", 0.5F}});
      Q_EMIT shown->changed({});
      QVERIFY(!window->isReady());
    }
    QTRY_VERIFY(window->isReady());
    QVERIFY(plot->xView().second >= 60);
  }

 private:
  std::unique_ptr<MainWindow> openRun(const QString& run) {
    auto window = std::make_unique<MainWindow>(&theme_, optionsFor({run}, Page::Monitor));
    window->show();
    if (!QTest::qWaitForWindowActive(window.get()) ||
        !QTest::qWaitFor([&] { return window->isReady(); }))
      qWarning("the window is not ready");
    return window;
  }

  widgets::ThemeSwitch theme_;
  std::unique_ptr<QTemporaryDir> parent_;
};

LOCKSTEP_TEST(TstMonitorInWindow)
#include "tst_monitor_in_window.moc"
