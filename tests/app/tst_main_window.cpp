#include <QAction>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QSignalSpy>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <algorithm>
#include <filesystem>
#include <string>

#include "app/cards/monitor_cards.h"
#include "app/configure/configure_page.h"
#include "app/frame/top_bar.h"
#include "app/monitor/curve_tools.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/panel/run_banner.h"
#include "app/runs/panel/runs_panel.h"
#include "app/text/metric_text.h"
#include "engine/events/reader.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/banner.h"
#include "widgets/config_editor/config_editor.h"
#include "widgets/config_editor/yaml_text.h"
#include "widgets/empty_state.h"
#include "widgets/named_action.h"
#include "widgets/plots/curve_card.h"

using namespace lockstep;
using app::MainWindow;
using tests::keepingOptionsFor;
using tests::made;
using tests::optionsFor;

namespace {

QAction* actionOf(const MainWindow& window, const char* text) {
  for (QAction* action : window.actions())
    if (action->text() == QString::fromUtf8(text)) return action;
  return nullptr;
}

}  // namespace

class TstMainWindow : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theTooltipOfTheApCardNamesItsLimit() {
    const auto plans = app::monitorCards();
    const auto ap = std::find_if(plans.begin(), plans.end(), [](const app::CardPlan& plan) {
      return plan.title == QStringLiteral("Mask AP");
    });
    QVERIFY(ap != plans.end());
    QVERIFY(ap->tip.contains(QStringLiteral("evaluation.max_dets, by default 100 as in COCO")));
  }

  void anEmptyWindowNamesTheReasonAndTheNextStep() {
    QTemporaryDir parent;
    const MainWindow& window = window_.show({parent.path()});
    QCOMPARE(window.page(), app::Page::Monitor);
    bool isShown = false;
    for (const auto* empty : window.findChildren<widgets::EmptyState*>())
      isShown =
          isShown || (empty->isVisible() && empty->title().contains(QStringLiteral("No run")));
    QVERIFY(isShown);
    QVERIFY(!window.findChild<QPushButton*>(QStringLiteral("trainButton"))->isEnabled());
  }

  void anExperimentIsOpenedWithoutARun() {
    QTemporaryDir parent;
    const QString run = tests::makeRun(parent.path(), made("older", 1000));
    QFile file(parent.filePath(QStringLiteral("experiment.yaml")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("name: other\n");
    file.close();
    const auto window = open(optionsFor({parent.path(), file.fileName()}));
    QTRY_VERIFY(window->isReady());
    QCOMPARE(window->runsPanel()->currentRun(), QString());
    const auto withRun = open(optionsFor({run, file.fileName()}));
    QTRY_COMPARE(withRun->runsPanel()->currentRun(), run);
  }

  void anExperimentWithErrorsCannotBeTrained() {
    QTemporaryDir parent;
    QFile file(parent.filePath(QStringLiteral("experiment.yaml")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("name: faulty\nsolver: {base_lr: -1}\n");
    file.close();
    MainWindow& window = window_.show({parent.path()});
    QVERIFY(window.configurePage()->open(file.fileName()));
    QTRY_VERIFY(window.isReady());
    const auto* train = window.findChild<QPushButton*>(QStringLiteral("trainButton"));
    QTRY_VERIFY(train->toolTip().startsWith(QStringLiteral("Fix")));
    QVERIFY(!train->isEnabled());
  }

  void theMenuOffersWhatCanBeDoneWithTheExperiment() {
    QTemporaryDir parent;
    QFile file(parent.filePath(QStringLiteral("experiment.yaml")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("name: faulty\nsolver: {base_lr: -1}\n");
    file.close();
    MainWindow& window = window_.show({parent.path()});
    const auto isOffered = [&](const char* text) { return actionOf(window, text)->isEnabled(); };
    for (const char* text : {"Train", "Save experiment", "Save experiment as…"})
      QVERIFY2(!isOffered(text), text);
    QVERIFY(window.configurePage()->open(file.fileName()));
    for (const char* text : {"Train", "Save experiment", "Save experiment as…"})
      QVERIFY2(isOffered(text), text);
    QTRY_VERIFY(window.configurePage()->isReady());
    window.showPage(app::Page::Monitor);
    actionOf(window, "Train")->trigger();  // goes to the first error
    QCOMPARE(window.page(), app::Page::Configure);
    const auto* text = window.configurePage()->findChild<widgets::YamlText*>();
    QTRY_COMPARE(text->selectedText(), QStringLiteral("-1"));
  }

  void aListWithRunsAsksToChooseOne() {
    QTemporaryDir parent;
    tests::makeRun(parent.path(), made("run", 1000));
    const MainWindow& window = window_.show({parent.path()});
    QVERIFY(!window.runsPanel()->currentRun().isEmpty());
    window.runsPanel()->findChild<QTreeView*>()->clearSelection();
    const auto* empty = window.monitorPage()->findChild<widgets::EmptyState*>();
    QVERIFY(empty->isVisible());
    QCOMPARE(empty->title(), QStringLiteral("Select a run in the list"));
  }

  /// Nothing is chosen in the list then, which is filled later.
  void besidesAnExperimentTheListAsksToChooseOne() {
    QTemporaryDir parent;
    tests::makeRun(parent.path(), made("run", 1000));
    QFile file(parent.filePath(QStringLiteral("a.yaml")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    const auto window = open(optionsFor({file.fileName(), parent.path()}));
    window->showPage(app::Page::Monitor);
    const auto* empty = window->monitorPage()->findChild<widgets::EmptyState*>();
    QTRY_COMPARE(empty->title(), QStringLiteral("Select a run in the list"));
  }

  /// A person may press Space by chance.
  void nothingIsPressedBySpaceInANewWindow() {
    QTemporaryDir parent;
    QFile file(parent.filePath(QStringLiteral("a.yaml")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    const auto window = open(optionsFor({file.fileName()}));
    window->activateWindow();
    QTRY_VERIFY(window->isReady());
    QCOMPARE(window->page(), app::Page::Configure);
    QVERIFY(!qobject_cast<QPushButton*>(window->focusWidget()));
    const QString before = window->configurePage()->editor()->text();
    QTest::keyClick(window->focusWidget(), Qt::Key_Space);
    QCOMPARE(window->configurePage()->editor()->text(), before);
  }

  void theLastAndTheBestMetricsAreNamed() {
    QTemporaryDir parent;
    const MainWindow& window = window_.show({tests::makeRun(parent.path(), made("run", 1000))});
    QStringList labels;
    for (const QLabel* label : window.findChild<app::TopBar*>()->findChildren<QLabel*>())
      labels.append(label->text());
    QVERIFY(!labels.filter(QStringLiteral("mask AP 0.")).isEmpty());
    QCOMPARE(app::bestText(QStringLiteral("segm/AP"), 0.1174),
             QStringLiteral("best mask AP 0.117"));
    QCOMPARE(app::bestText(QStringLiteral("bbox/AP"), 0.079), QStringLiteral("best box AP 0.079"));
    QCOMPARE(app::bestText(QStringLiteral("loss_total"), 1.5),
             QStringLiteral("best val loss 1.500"));
    QCOMPARE(app::bestText({}, {}), QStringLiteral("best AP –"));
  }

  void theNewestRunIsShownWithItsPoints() {
    QTemporaryDir parent;
    tests::makeRun(parent.path(), made("older", 1000));
    const QString newer = tests::makeRun(parent.path(), made("newer", 2000));
    const auto window = open(optionsFor({parent.path()}));
    QTRY_COMPARE(window->runsPanel()->currentRun(), newer);
    QTRY_VERIFY(window->isReady());
    QVERIFY(window->monitorPage()->cards().front()->plot()->drawnPointCount(0) >= 40);
    const auto& curves = window->monitorPage()->cards().front()->plot()->curves();
    QCOMPARE(curves.size(), std::size_t{2});
    QVERIFY(!curves[0].hasOwnHue && curves[1].hasOwnHue);
  }

  void selectedRunsAreCompared() {
    QTemporaryDir parent;
    const QString a = tests::makeRun(parent.path(), made("a", 1000));
    const QString b = tests::makeRun(parent.path(), made("b", 2000));
    const MainWindow& window = window_.show({a, b});
    QCOMPARE(window.runsPanel()->selectedRuns(), (QStringList{a, b}));
    const auto& curves = window.monitorPage()->cards().front()->plot()->curves();
    QCOMPARE(curves.size(), std::size_t{4});
    QVERIFY(curves[0].styleIndex != curves[2].styleIndex);
    QVERIFY(!curves[0].markLowest && curves[1].markLowest && curves[3].markLowest);
    QVERIFY(!curves[1].hasOwnHue && !curves[3].hasOwnHue);  // the colour is that of the run
  }

  void theMenuOffersWhatTheChosenRunCanDo() {
    QTemporaryDir parent;
    tests::MadeRun plan = made("stopped", 1000);
    plan.state = "stopped";
    plan.maxSteps = 100;
    plan.keptCheckpoints = {40};
    const QString stopped = tests::makeRun(parent.path(), plan);
    const QString finished = tests::makeRun(parent.path(), made("finished", 2000));
    const MainWindow& window = window_.show({parent.path(), stopped});
    const auto isOffered = [&](const char* text) { return actionOf(window, text)->isEnabled(); };
    QCOMPARE(window.runsPanel()->currentRun(), stopped);
    QTRY_VERIFY(isOffered("Resume"));  // it says what it does now
    QVERIFY(!isOffered("Stop") && !isOffered("Save a checkpoint now"));
    window.runsPanel()->selectRun(finished);
    QTRY_COMPARE(window.runsPanel()->currentRun(), finished);
    QTRY_VERIFY(window.isReady() && !isOffered("Pause"));
    QVERIFY(!isOffered("Stop") && !isOffered("Save a checkpoint now"));
  }

  void theFirstWindowIsNoLargerThanTheScreen() {
    QTemporaryDir settings, parent;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    QCoreApplication::setOrganizationName(QStringLiteral("tests"));
    app::MainWindowOptions options = keepingOptionsFor({parent.path()});
    options.size = {};
    const auto window = open(options);
    const QSize room = window->screen()->availableSize();
    QVERIFY(room.width() < 1440);  // of the platform of tests
    QVERIFY(window->width() <= room.width() && window->height() <= room.height());
    options.keepLayout = false;
    QCOMPARE(open(options)->size(), QSize(1440, 900));  // for a screenshot
  }

  void aThemeOfTheCommandLineIsNotSaved() {
    QTemporaryDir settings;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    QCoreApplication::setOrganizationName(QStringLiteral("tests"));
    QSettings().setValue(QStringLiteral("theme"),
                         static_cast<int>(widgets::ThemeSwitch::Mode::Light));
    app::MainWindowOptions options = keepingOptionsFor({});
    options.theme = widgets::ThemeSwitch::Mode::Dark;
    options.themeGiven = true;
    const auto window = open(options);
    QCOMPARE(window_.theme().mode(), widgets::ThemeSwitch::Mode::Dark);
    QVERIFY(window->close());
    QCOMPARE(QSettings().value(QStringLiteral("theme")).toInt(),
             static_cast<int>(widgets::ThemeSwitch::Mode::Light));
    window_.theme().setMode(widgets::ThemeSwitch::Mode::System);
  }

  void aPointOfAnotherRunsCurveIsAStepOfTheCurrentRun() {
    QTemporaryDir parent;
    tests::MadeRun plan = made("short", 1000);
    plan.steps = 20;
    const QString shorter = tests::makeRun(parent.path(), plan);
    const QString longer = tests::makeRun(parent.path(), made("long", 2000));
    const MainWindow& window = window_.show({shorter, longer});
    QCOMPARE(window.runsPanel()->selectedRuns(), (QStringList{shorter, longer}));
    QSignalSpy chosen(window.monitorPage(), &app::MonitorPage::predictionsRequested);
    widgets::CurveCard* card = window.monitorPage()->cards().front();
    QTest::mouseClick(card->plot(), Qt::LeftButton);
    QCOMPARE(window.page(), app::Page::Monitor);
    Q_EMIT card->predictionsRequested(35);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0][0].toLongLong(), 20);  // the current run has no step 35
    QCOMPARE(window.page(), app::Page::Predictions);
  }

  void pagesAreReachedByTheKeyboard() {
    QTemporaryDir parent;
    MainWindow& window = window_.show({parent.path()});
    QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(window.page(), app::Page::Configure);
    QTest::keyClick(&window, Qt::Key_3, Qt::ControlModifier);
    QCOMPARE(window.page(), app::Page::Predictions);
    QTest::keyClick(&window, Qt::Key_2, Qt::ControlModifier);
    QCOMPARE(window.page(), app::Page::Monitor);
  }

  void aFailedRunShowsItsErrorOnThePagesOfRuns() {
    QTemporaryDir parent;
    const QString folder = tests::makeFailedRun(parent.path(), made("broken", 1000));
    MainWindow& window = window_.show({folder});
    const auto* banner = window.findChild<app::RunBanner*>();
    QVERIFY(banner->isVisible());
    QVERIFY(banner->detail().contains(QStringLiteral("rank 0 ran out of memory")));
    QVERIFY(!banner->action().isEmpty());
    window.showPage(app::Page::Predictions);
    QVERIFY(banner->isVisible());
    window.showPage(app::Page::Configure);  // there another experiment may be open
    QVERIFY(!banner->isVisible());
    window.showPage(app::Page::Monitor);
    QVERIFY(banner->isVisible());
  }

  void aHiddenRunsErrorDoesNotCoverTheShownOnes() {
    QTemporaryDir parent;
    const QString failed = tests::makeFailedRun(parent.path(), made("broken", 1000));
    const QString hidden = tests::makeRun(parent.path(), made("hidden", 500));
    const MainWindow& window = window_.show({parent.path(), hidden});
    const auto* banner = window.findChild<app::RunBanner*>();
    QVERIFY(!banner->isVisible());
    window.runsPanel()->selectRun(failed);
    QTRY_VERIFY(banner->isVisible());
    // The run shown before is still open, and becomes unreadable.
    QFile file(QString::fromStdString(events::findEventFile(hidden.toStdString()).string()));
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(QByteArray(4000, 'x'));
    file.close();
    const run_folder::Layout layout{hidden.toStdString()};
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    ++info.attempt;
    run_folder::writeRunInfo(layout, info);
    auto* list = window.findChild<app::RunListModel*>();
    QSignalSpy changed(list, &app::RunListModel::runChanged);
    list->refresh();
    QTRY_VERIFY(!changed.isEmpty());
    window.runsPanel()->addToSelection(hidden);
    QTRY_COMPARE(window.runsPanel()->selectedRuns().size(), 2);
    QTRY_VERIFY(window.isReady());
    QVERIFY2(banner->title().contains(QStringLiteral("failed")), qPrintable(banner->title()));
    window.runsPanel()->selectRun(hidden);
    QTRY_VERIFY2(banner->title().contains(QStringLiteral("cannot be read")),
                 qPrintable(banner->title()));
  }

  void trashCanBeUndone() {
    QTemporaryDir parent, data;
    const QByteArray before = qgetenv("XDG_DATA_HOME");
    qputenv("XDG_DATA_HOME", data.path().toLocal8Bit());
    const QString first = tests::makeRun(parent.path(), made("first", 1000));
    const QString second = tests::makeRun(parent.path(), made("second", 500));
    MainWindow& window = window_.show({parent.path()});
    auto* list = window.findChild<app::RunListModel*>();
    QCOMPARE(list->rowCount(), 2);
    window.runsPanel()->addToSelection(second);
    QTRY_COMPARE(window.runsPanel()->selectedRuns().size(), 2);
    auto* tree = window.runsPanel()->findChild<QTreeView*>();
    tree->setFocus();
    QTest::keyClick(tree, Qt::Key_Delete);
    const auto notice = [&] {
      return tests::visibleBanner(window, QStringLiteral("2 runs were moved"),
                                  QStringLiteral("first"));
    };
    QTRY_VERIFY(notice());
    QVERIFY(!QFileInfo::exists(first) && !QFileInfo::exists(second));
    QCOMPARE(list->rowCount(), 0);
    for (QPushButton* button : notice()->findChildren<QPushButton*>())
      if (button->text() == QStringLiteral("Undo")) QTest::mouseClick(button, Qt::LeftButton);
    QTRY_COMPARE(list->rowCount(), 2);
    QVERIFY(QFileInfo::exists(first + QStringLiteral("/run.json")));
    QTRY_COMPARE(window.runsPanel()->selectedRuns().size(), 2);
    QCOMPARE(QDir(data.filePath(QStringLiteral("Trash/info"))).entryList(QDir::Files).size(), 0);
    // One after the other, and both back.
    const QStringList both{first, second};
    for (const QString& run : both) {
      Q_EMIT window.runsPanel()->trashRequested({run});
      QTRY_COMPARE(list->rowOf(run), -1);
    }
    const auto actions = widgets::namedActions(&window);
    const auto restore = std::ranges::find_if(actions, [](const QAction* action) {
      return action->objectName() == QStringLiteral("runs.restore");
    });
    QVERIFY(restore != actions.end());
    for (int back = 1; back <= 2; ++back) {
      (*restore)->trigger();
      QTRY_COMPARE(list->rowCount(), back);
      QVERIFY(!tests::visibleBanner(window, QStringLiteral("1 run was moved"), {}));
    }
    QVERIFY(QFileInfo::exists(first) && QFileInfo::exists(second));
    qputenv("XDG_DATA_HOME", before);
  }

  void thousandsOfSelectedRunsAreNotAllOpened() {
    QTemporaryDir parent;
    const std::filesystem::path first =
        tests::makeRun(parent.path(), made("0", 1000)).toStdString();
    for (int i = 1; i < 210; ++i)
      std::filesystem::copy(first, first.parent_path() / std::to_string(i),
                            std::filesystem::copy_options::recursive);
    const MainWindow& window = window_.show({parent.path()});
    QCOMPARE(window.findChild<app::RunListModel*>()->rowCount(), 210);
    auto* tree = window.runsPanel()->findChild<QTreeView*>();
    tree->setFocus();
    QTest::keyClick(tree, Qt::Key_A, Qt::ControlModifier);
    QTRY_COMPARE(window.runsPanel()->selectedRuns().size(), 210);
    const QString title = QStringLiteral("Not all selected runs are shown");
    QTRY_VERIFY(tests::visibleBanner(window, title, QStringLiteral("first 200 of 210")));
    window.runsPanel()->selectRun(window.runsPanel()->selectedRuns().front());
    QTRY_VERIFY(!tests::visibleBanner(window, title, {}));
  }

  void coloursAreSavedWithTheLayout() {
    QTemporaryDir parent, settings;
    QCoreApplication::setOrganizationName(QStringLiteral("tests"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    const QString first = tests::makeRun(parent.path(), made("first", 1000));
    const QString second = tests::makeRun(parent.path(), made("second", 2000));
    const app::MainWindowOptions options = keepingOptionsFor({parent.path()});
    int style = 0;
    {
      const auto window = open(options);
      QTRY_VERIFY(window->isReady());
      style = window->findChild<app::RunListModel*>()->styleIndexOf(second);
    }
    QVERIFY(QDir(first).removeRecursively());
    const auto window = open(options);
    QTRY_VERIFY(window->isReady());
    QVERIFY(style != 0);
    QCOMPARE(window->findChild<app::RunListModel*>()->styleIndexOf(second), style);
  }

  void theThemeSwitchesWhileTheWindowIsOpen() {
    QTemporaryDir parent;
    const QString run = tests::makeRun(parent.path(), made("run", 1000));
    MainWindow& window = window_.show({run});
    window_.theme().setMode(widgets::ThemeSwitch::Mode::Dark);
    QTRY_VERIFY(window.isReady());
    const QColor dark = window.grab().toImage().pixelColor(400, 700);
    window_.theme().setMode(widgets::ThemeSwitch::Mode::Light);
    QTRY_VERIFY(window.isReady());
    const QColor light = window.grab().toImage().pixelColor(400, 700);
    QVERIFY(dark.lightness() < 80 && light.lightness() > 180);
  }

  void smoothingReachesEveryOpenRun() {
    QTemporaryDir parent;
    const QString run = tests::makeRun(parent.path(), made("run", 1000));
    const MainWindow& window = window_.show({run});
    QTRY_VERIFY(window.isReady() &&
                window.monitorPage()->cards().front()->plot()->drawnPointCount(0) > 40);
    QCOMPARE(window.monitorPage()->cards().front()->plot()->drawnPointCount(0), 80);
    window.monitorPage()->tools()->setSmoothing(0);
    QTRY_COMPARE(window.monitorPage()->cards().front()->plot()->drawnPointCount(0), 40);
  }

 private:
  std::unique_ptr<MainWindow> open(const app::MainWindowOptions& options) {
    return tests::openWindow(window_.theme(), options);
  }

  tests::SharedWindow window_;
};

LOCKSTEP_TEST(TstMainWindow)
#include "tst_main_window.moc"
