#include <QAction>
#include <QDir>
#include <QFile>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSettings>
#include <QSignalSpy>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "app/main_window/configure_page.h"
#include "app/main_window/main_window.h"
#include "app/main_window/monitor_cards.h"
#include "app/main_window/monitor_page.h"
#include "app/main_window/run_banner.h"
#include "app/main_window/runs_panel.h"
#include "engine/events/reader.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"
#include "widgets/banner.h"
#include "widgets/empty_state.h"
#include "widgets/plots/curve_card.h"

using namespace lockstep;
using app::MainWindow;

namespace {

app::MainWindowOptions optionsFor(const QStringList& paths, const QString& page = {}) {
  app::MainWindowOptions options;
  options.paths = paths;
  options.page = page;
  options.size = QSize(1400, 900);
  options.keepLayout = false;
  return options;
}

std::vector<widgets::CurveCard*> cardsOfRanks(const MainWindow& window) {
  std::vector<widgets::CurveCard*> found;
  for (widgets::CurveCard* card : window.monitorPage()->cards())
    if (card->title() == QStringLiteral("Own step time, s") ||
        card->title() == QStringLiteral("Waiting for images, s"))
      found.push_back(card);
  return found;
}

const widgets::CurveCard* cardTitled(const MainWindow& window, const QString& title) {
  for (const widgets::CurveCard* card : window.monitorPage()->cards())
    if (card->title() == title) return card;
  return nullptr;
}

QStringList curveNames(const widgets::CurveCard* card) {
  QStringList names;
  for (const widgets::Curve& curve : card->plot()->curves()) names.append(curve.name);
  return names;
}

tests::MadeRun made(const char* name, double created) {
  tests::MadeRun run;
  run.name = name;
  run.created = created;
  return run;
}

QString makeFailedRun(const QString& parent, const char* name, double created) {
  tests::MadeRun run = made(name, created);
  run.state = "failed";
  const QString folder = tests::makeRun(parent, run);
  const run_folder::Layout layout{folder.toStdString()};
  run_folder::RunInfo info = run_folder::readRunInfo(layout);
  info.error = protocol::RunError{"rank 0 ran out of memory", 0, "host", 40, "forward", "", ""};
  run_folder::writeRunInfo(layout, info);
  return folder;
}

}  // namespace

class TstMainWindow : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theCardOfApTellsWhatItCounts() {
    const auto plans = app::monitorCards();
    const auto ap = std::find_if(plans.begin(), plans.end(), [](const app::CardPlan& plan) {
      return plan.title == QStringLiteral("AP");
    });
    QVERIFY(ap != plans.end());
    QVERIFY(ap->tip.contains(QStringLiteral("best 100 detections of a class")));
  }

  void anEmptyWindowSaysWhyAndWhatToDo() {
    QTemporaryDir parent;
    MainWindow window(&theme_, optionsFor({parent.path()}));
    window.show();
    QTRY_VERIFY(window.isReady());
    QCOMPARE(window.page(), MainWindow::Page::Monitor);
    bool told = false;
    for (const auto* empty : window.findChildren<widgets::EmptyState*>())
      told = told || (empty->isVisible() && empty->title().contains(QStringLiteral("No run")));
    QVERIFY(told);
    QVERIFY(!window.findChild<QPushButton*>(QStringLiteral("trainButton"))->isEnabled());
  }

  void anExperimentWithFaultsCannotBeTrained() {
    QTemporaryDir parent;
    QFile file(parent.filePath(QStringLiteral("experiment.yaml")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("name: faulty\nsolver: {base_lr: -1}\n");
    file.close();
    MainWindow window(&theme_, optionsFor({parent.path()}));
    window.show();
    QVERIFY(window.configurePage()->open(file.fileName()));
    QTRY_VERIFY(window.isReady());
    const auto* train = window.findChild<QPushButton*>(QStringLiteral("trainButton"));
    QTRY_VERIFY(train->toolTip().startsWith(QStringLiteral("Mend")));
    QVERIFY(!train->isEnabled());
  }

  void theNewestRunIsShownWithItsPoints() {
    QTemporaryDir parent;
    tests::makeRun(parent.path(), made("older", 1000));
    const QString newer = tests::makeRun(parent.path(), made("newer", 2000));
    MainWindow window(&theme_, optionsFor({parent.path()}));
    window.show();
    QTRY_COMPARE(window.runsPanel()->currentRun(), newer);
    QTRY_VERIFY(window.isReady());
    QVERIFY(window.monitorPage()->cards().front()->plot()->drawnPointCount(0) >= 40);
    QCOMPARE(window.monitorPage()->cards().front()->plot()->curves().size(), std::size_t{2});
  }

  void selectedRunsAreCompared() {
    QTemporaryDir parent;
    const QString a = tests::makeRun(parent.path(), made("a", 1000));
    const QString b = tests::makeRun(parent.path(), made("b", 2000));
    MainWindow window(&theme_, optionsFor({a, b}));
    window.show();
    QTRY_COMPARE(window.runsPanel()->selectedRuns(), (QStringList{a, b}));
    QTRY_VERIFY(window.isReady());
    const auto& curves = window.monitorPage()->cards().front()->plot()->curves();
    QCOMPARE(curves.size(), std::size_t{4});
    QVERIFY(curves[0].styleIndex != curves[2].styleIndex);
    QVERIFY(curves[0].markLowest == false && curves[1].markLowest && !curves[3].markLowest);
  }

  void theMenuOffersWhatTheChosenRunCanDo() {
    QTemporaryDir parent;
    tests::MadeRun plan = made("stopped", 1000);
    plan.state = "stopped";
    plan.maxSteps = 100;
    plan.keptCheckpoints = {40};
    const QString stopped = tests::makeRun(parent.path(), plan);
    const QString finished = tests::makeRun(parent.path(), made("finished", 2000));
    MainWindow window(&theme_, optionsFor({stopped}));
    window.show();
    const auto isOffered = [&](const char* text) {
      for (const QAction* action : window.actions())
        if (action->text() == QString::fromLatin1(text)) return action->isEnabled();
      return false;
    };
    QTRY_COMPARE(window.runsPanel()->currentRun(), stopped);
    QTRY_VERIFY(isOffered("Pause or resume"));
    QVERIFY(!isOffered("Stop") && !isOffered("Save a checkpoint now"));
    window.runsPanel()->selectRun(finished);
    QTRY_VERIFY(!isOffered("Pause or resume"));
    QVERIFY(!isOffered("Stop") && !isOffered("Save a checkpoint now"));
  }

  void aThemeOfTheCommandLineIsNotKept() {
    QTemporaryDir settings;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    QCoreApplication::setOrganizationName(QStringLiteral("tests"));
    QSettings().setValue(QStringLiteral("theme"),
                         static_cast<int>(widgets::ThemeSwitch::Mode::Light));
    app::MainWindowOptions options = optionsFor({});
    options.keepLayout = true;
    options.theme = widgets::ThemeSwitch::Mode::Dark;
    options.themeGiven = true;
    MainWindow window(&theme_, options);
    window.show();
    QCOMPARE(theme_.mode(), widgets::ThemeSwitch::Mode::Dark);
    QVERIFY(window.close());
    QCOMPARE(QSettings().value(QStringLiteral("theme")).toInt(),
             static_cast<int>(widgets::ThemeSwitch::Mode::Light));
    theme_.setMode(widgets::ThemeSwitch::Mode::System);
  }

  void aPlaceInAnotherRunsCurveIsAStepOfTheLeadingRun() {
    QTemporaryDir parent;
    tests::MadeRun plan = made("short", 1000);
    plan.steps = 20;
    const QString shorter = tests::makeRun(parent.path(), plan);
    const QString longer = tests::makeRun(parent.path(), made("long", 2000));
    MainWindow window(&theme_, optionsFor({shorter, longer}));
    window.show();
    QTRY_COMPARE(window.runsPanel()->selectedRuns(), (QStringList{shorter, longer}));
    QTRY_VERIFY(window.isReady());
    QSignalSpy chosen(window.monitorPage(), &app::MonitorPage::predictionsRequested);
    widgets::CurveCard* card = window.monitorPage()->cards().front();
    QTest::mouseClick(card->plot(), Qt::LeftButton);
    QCOMPARE(window.page(), MainWindow::Page::Monitor);
    Q_EMIT card->predictionsRequested(35);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0][0].toLongLong(), 20);  // the leading run has no step 35
    QCOMPARE(window.page(), MainWindow::Page::Predictions);
  }

  void aRunOfSeveralRanksHasCurvesOfEachRank() {
    QTemporaryDir parent;
    const QString one = tests::makeRun(parent.path(), made("one", 1000));
    tests::MadeRun plan = made("three", 2000);
    plan.ranks = 3;
    const QString three = tests::makeRun(parent.path(), plan);
    MainWindow window(&theme_, optionsFor({parent.path()}));
    window.show();
    QTRY_COMPARE(window.runsPanel()->currentRun(), three);
    QTRY_VERIFY(window.isReady());
    const auto cards = cardsOfRanks(window);
    QCOMPARE(cards.size(), std::size_t{2});
    constexpr int kOrder[] = {2, 0, 1};
    for (const widgets::CurveCard* card : cards) {
      QVERIFY(card->isVisible());
      const auto& curves = card->plot()->curves();
      QCOMPARE(curves.size(), std::size_t{3});
      for (int rank = 0; rank < 3; ++rank) {
        // Who is late is first, in the style it always has.
        QCOMPARE(curves[rank].name, QStringLiteral("rank %1").arg(kOrder[rank]));
        QCOMPARE(curves[rank].styleIndex, kOrder[rank]);
        QCOMPARE(card->plot()->drawnPointCount(rank), 16);  // 8 records, raw and smoothed
      }
    }
    // It is highest, although a step takes all of them as long.
    const auto own = [&](int place) {
      return cards[0]->plot()->curves()[place].source->nearest(40)->value;
    };
    QVERIFY(own(0) > 1.2 * own(1) && own(0) > 1.2 * own(2));

    window.runsPanel()->selectRun(one);
    QTRY_VERIFY(!cards[0]->isVisible() && !cards[1]->isVisible());
    QTRY_VERIFY(window.isReady());
    window.runsPanel()->selectRun(three);
    QTRY_VERIFY(cards[0]->isVisible());
    // Beside another run, ranks would be taken for runs.
    window.runsPanel()->addToSelection(one);
    QTRY_VERIFY(!cards[0]->isVisible());
  }

  void whoHoldsTheOthersUpStandsBesideTheTitles_data() {
    QTest::addColumn<int>("ranks");
    QTest::addColumn<bool>("isLateForImages");
    QTest::addColumn<int>("lateRankUntil");
    QTest::addColumn<QString>("own");     // as a regular expression
    QTest::addColumn<QString>("images");  // the same
    const QString late = QStringLiteral("rank %1 is late: \\+4[0-9] %");
    QTest::newRow("computing") << 3 << false << 1000 << late.arg(2) << "not why rank 2 is late";
    QTest::newRow("images") << 3 << true << 1000 << late.arg(2) << "why rank 2 is late";
    QTest::newRow("sixteen") << 16 << true << 1000 << late.arg(15) << "why rank 15 is late";
    QTest::newRow("it is gone") << 3 << true << 20 << "slowest: rank [01], \\+[0-9] %"
                                << "";
    QTest::newRow("one is left") << 2 << true << 20 << ""
                                 << "";
  }
  void whoHoldsTheOthersUpStandsBesideTheTitles() {
    QFETCH(int, ranks);
    QFETCH(bool, isLateForImages);
    QFETCH(int, lateRankUntil);
    QFETCH(QString, own);
    QFETCH(QString, images);
    QTemporaryDir parent;
    tests::MadeRun plan = made("ranks", 2000);
    plan.ranks = ranks;
    plan.isLateForImages = isLateForImages;
    plan.lateRankUntil = lateRankUntil;
    MainWindow window(&theme_, optionsFor({tests::makeRun(parent.path(), plan)}));
    window.show();
    QTRY_VERIFY(window.isReady());
    const auto cards = cardsOfRanks(window);
    const auto isAll = [](const QString& text, const QString& pattern) {
      return QRegularExpression(QRegularExpression::anchoredPattern(pattern))
          .match(text)
          .hasMatch();
    };
    QVERIFY2(isAll(cards.at(0)->subtitle(), own), qPrintable(cards[0]->subtitle()));
    QVERIFY2(isAll(cards.at(1)->subtitle(), images), qPrintable(cards[1]->subtitle()));
  }

  void devicesAreDrawnAsFarAsTheRunTellsOfThem() {
    QTemporaryDir parent;
    tests::MadeRun plan = made("two", 9000);
    plan.gpus = 2;
    const QString two = tests::makeRun(parent.path(), plan);
    plan.created = 1000;
    plan.name = "host";
    plan.gpus = 0;
    const QString host = tests::makeRun(parent.path(), plan);
    plan.name = "one";
    plan.gpus = 1;
    const QString one = tests::makeRun(parent.path(), plan);
    plan.name = "none";
    plan.gpus = -1;
    const QString none = tests::makeRun(parent.path(), plan);
    MainWindow window(&theme_, optionsFor({parent.path()}));
    window.show();
    QTRY_COMPARE(window.runsPanel()->currentRun(), two);
    QTRY_VERIFY(window.isReady());
    const widgets::CurveCard* use = cardTitled(window, QStringLiteral("Device use, %"));
    const widgets::CurveCard* memory = cardTitled(window, QStringLiteral("Device memory, GiB"));
    const widgets::CurveCard* power = cardTitled(window, QStringLiteral("GPU power, W"));
    QVERIFY(use->isVisible() && memory->isVisible() && power->isVisible());
    QCOMPARE(curveNames(use), (QStringList{QStringLiteral("GPU 0"), QStringLiteral("GPU 1"),
                                           QStringLiteral("CPU")}));
    QCOMPARE(curveNames(memory).back(), QStringLiteral("host"));
    QCOMPARE(use->plot()->drawnPointCount(1), 20);  // as they are, and smoothed
    QCOMPARE(use->subtitle(), QString());

    window.runsPanel()->selectRun(host);
    QTRY_COMPARE(curveNames(use), QStringList{QStringLiteral("CPU")});
    QTRY_VERIFY(!power->isVisible());
    QTRY_VERIFY2(use->subtitle().toDouble() > 50, qPrintable(use->subtitle()));
    window.runsPanel()->selectRun(one);
    QTRY_VERIFY(power->isVisible());
    QTRY_VERIFY2(power->subtitle().toDouble() > 490, qPrintable(power->subtitle()));
    window.runsPanel()->selectRun(none);
    QTRY_VERIFY(!power->isVisible());
    QTRY_VERIFY(window.isReady());
    QVERIFY(use->isVisible());
    QCOMPARE(use->plot()->drawnPointCount(0), 0);
    // Beside another run, GPUs would be taken for runs.
    window.runsPanel()->addToSelection(two);
    QTRY_VERIFY(!use->isVisible());
  }

  void everyGpuThatADriverServesIsDrawn() {
    QTemporaryDir parent;
    tests::MadeRun plan = made("many", 1000);
    plan.gpus = 32;
    MainWindow window(&theme_, optionsFor({tests::makeRun(parent.path(), plan)}));
    window.show();
    QTRY_VERIFY(window.isReady());
    const QStringList names = curveNames(cardTitled(window, QStringLiteral("Device use, %")));
    QCOMPARE(names.size(), 33);  // and the CPU
    QVERIFY(names.contains(QStringLiteral("GPU 31")));
  }

  void noCardIsWiderThanThePage_data() {
    QTest::addColumn<int>("width");
    QTest::newRow("one column") << 820;
    QTest::newRow("two columns") << 930;
    QTest::newRow("four columns") << 1380;
  }
  void noCardIsWiderThanThePage() {
    QFETCH(int, width);
    QTemporaryDir parent;
    tests::MadeRun plan = made("sixteen", 2000);
    plan.ranks = 16;
    MainWindow window(&theme_, optionsFor({tests::makeRun(parent.path(), plan)}));
    window.resize(width, 900);
    window.show();
    QTRY_VERIFY(window.isReady());
    QCOMPARE(window.width(), width);
    QVERIFY(cardsOfRanks(window).at(1)->subtitle().contains(QStringLiteral("rank 15")));
    const auto* cards = window.monitorPage()->findChild<QScrollArea*>();
    QCOMPARE(cards->widget()->width(), cards->viewport()->width());
  }

  void theAlertOfALateRankLeadsToItsCurves() {
    QTemporaryDir parent;
    tests::MadeRun plan = made("three", 2000);
    plan.ranks = 3;
    MainWindow window(&theme_, optionsFor({tests::makeRun(parent.path(), plan)}));
    window.show();
    QTRY_VERIFY(window.isReady());
    const widgets::CurveCard* card = cardsOfRanks(window).at(0);
    const auto isWhole = [&] { return card->visibleRegion().boundingRect() == card->rect(); };
    QVERIFY(!isWhole());
    auto* alert = window.monitorPage()->findChild<widgets::Banner*>();
    QVERIFY2(alert->detail().contains(QStringLiteral("All ranks wait for rank 2")),
             qPrintable(alert->detail()));
    Q_EMIT alert->actionTriggered();
    QTRY_VERIFY(isWhole());
  }

  void pagesAreReachedByTheKeyboard() {
    QTemporaryDir parent;
    MainWindow window(&theme_, optionsFor({parent.path()}));
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(window.page(), MainWindow::Page::Configure);
    QTest::keyClick(&window, Qt::Key_3, Qt::ControlModifier);
    QCOMPARE(window.page(), MainWindow::Page::Predictions);
    QTest::keyClick(&window, Qt::Key_2, Qt::ControlModifier);
    QCOMPARE(window.page(), MainWindow::Page::Monitor);
  }

  void aFailedRunSaysWhyOnThePagesOfRuns() {
    QTemporaryDir parent;
    const QString folder = makeFailedRun(parent.path(), "broken", 1000);
    MainWindow window(&theme_, optionsFor({folder}));
    window.show();
    QTRY_VERIFY(window.isReady());
    const auto* banner = window.findChild<app::RunBanner*>();
    QVERIFY(banner->isVisible());
    QVERIFY(banner->detail().contains(QStringLiteral("rank 0 ran out of memory")));
    QVERIFY(!banner->action().isEmpty());
    window.showPage(MainWindow::Page::Predictions);
    QVERIFY(banner->isVisible());
    window.showPage(MainWindow::Page::Configure);  // there another experiment may be open
    QVERIFY(!banner->isVisible());
    window.showPage(MainWindow::Page::Monitor);
    QVERIFY(banner->isVisible());
  }

  void aHiddenRunsFaultDoesNotCoverTheShownOnes() {
    QTemporaryDir parent;
    const QString failed = makeFailedRun(parent.path(), "broken", 1000);
    const QString hidden = tests::makeRun(parent.path(), made("hidden", 500));
    MainWindow window(&theme_, optionsFor({parent.path(), hidden}));
    window.show();
    QTRY_VERIFY(window.isReady());
    const auto* banner = window.findChild<app::RunBanner*>();
    QVERIFY(!banner->isVisible());
    window.runsPanel()->selectRun(failed);
    QTRY_VERIFY(banner->isVisible());
    // The one that was shown before is still held open, and becomes unreadable.
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

  void aRunThatLeavesTheListSaysSo() {
    QTemporaryDir parent;
    const QString gone = tests::makeRun(parent.path(), made("gone", 1000));
    tests::makeRun(parent.path(), made("stays", 500));
    MainWindow window(&theme_, optionsFor({parent.path()}));
    window.show();
    QTRY_COMPARE(window.runsPanel()->currentRun(), gone);
    QTRY_VERIFY(window.isReady());
    QVERIFY(QDir(gone).removeRecursively());
    window.findChild<app::RunListModel*>()->refresh();
    const auto told = [&] {
      for (const auto* banner : window.findChildren<widgets::Banner*>())
        if (banner->isVisible() && banner->title().contains(QStringLiteral("left the list")))
          return banner->detail() == gone;
      return false;
    };
    QTRY_VERIFY(told());
  }

  void coloursAreKeptWithTheLayout() {
    QTemporaryDir parent, settings;
    QCoreApplication::setOrganizationName(QStringLiteral("tests"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    const QString first = tests::makeRun(parent.path(), made("first", 1000));
    const QString second = tests::makeRun(parent.path(), made("second", 2000));
    app::MainWindowOptions options = optionsFor({parent.path()});
    options.keepLayout = true;
    int style = 0;
    {
      MainWindow window(&theme_, options);
      window.show();
      QTRY_VERIFY(window.isReady());
      style = window.findChild<app::RunListModel*>()->styleIndexOf(second);
    }
    QVERIFY(QDir(first).removeRecursively());
    MainWindow window(&theme_, options);
    window.show();
    QTRY_VERIFY(window.isReady());
    QVERIFY(style != 0);
    QCOMPARE(window.findChild<app::RunListModel*>()->styleIndexOf(second), style);
  }

  void theThemeSwitchesWhileTheWindowIsOpen() {
    QTemporaryDir parent;
    const QString run = tests::makeRun(parent.path(), made("run", 1000));
    MainWindow window(&theme_, optionsFor({run}));
    theme_.setMode(widgets::ThemeSwitch::Mode::Dark);
    window.show();
    QTRY_VERIFY(window.isReady());
    const QColor dark = window.grab().toImage().pixelColor(400, 700);
    theme_.setMode(widgets::ThemeSwitch::Mode::Light);
    QTRY_VERIFY(window.isReady());
    const QColor light = window.grab().toImage().pixelColor(400, 700);
    QVERIFY(dark.lightness() < 80 && light.lightness() > 180);
  }

  void smoothingReachesEveryOpenRun() {
    QTemporaryDir parent;
    const QString run = tests::makeRun(parent.path(), made("run", 1000));
    MainWindow window(&theme_, optionsFor({run}));
    window.show();
    QTRY_VERIFY(window.isReady() &&
                window.monitorPage()->cards().front()->plot()->drawnPointCount(0) > 40);
    QCOMPARE(window.monitorPage()->cards().front()->plot()->drawnPointCount(0), 80);
    window.monitorPage()->setSmoothing(0);
    QTRY_COMPARE(window.monitorPage()->cards().front()->plot()->drawnPointCount(0), 40);
  }

 private:
  widgets::ThemeSwitch theme_;
};

LOCKSTEP_TEST(TstMainWindow)
#include "tst_main_window.moc"
