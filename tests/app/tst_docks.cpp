// What stands beside the pages: moved, floated, closed and shown again, and kept for the next
// start.
#include <QAction>
#include <QScreen>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

#include "app/docks/dock.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/named_action.h"

using namespace lockstep;
using app::Dock;
using app::MainWindow;

class TstDocks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    settings_ = std::make_unique<QTemporaryDir>();
    organization_ = QCoreApplication::organizationName();
    QCoreApplication::setOrganizationName(QStringLiteral("tests"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings_->path());
    QSettings().clear();
  }
  void cleanup() {
    QSettings().clear();
    QCoreApplication::setOrganizationName(organization_);
  }

  void aTitleFloatsAndClosesItsDock() {
    const auto window = open();
    for (Dock* dock : window->findChildren<Dock*>()) {
      trigger(*window, QStringLiteral("window.reset_layout"));
      dock->bringUp();
      QVERIFY(!dock->isFloating() && dock->features().testFlag(QDockWidget::DockWidgetMovable));
      QTest::mouseDClick(dock->titleBarWidget(), Qt::LeftButton, {}, quietPoint(*dock));
      QVERIFY(dock->isFloating());
      QTest::mouseClick(button(*dock, "Put it back into the window"), Qt::LeftButton);
      QVERIFY(!dock->isFloating());
      QTest::mouseClick(button(*dock, "Float"), Qt::LeftButton);
      QVERIFY(dock->isFloating());
      QTest::mouseClick(button(*dock, "Close"), Qt::LeftButton);
      QVERIFY(!dock->isVisible());
    }
  }

  void aDockThatFloatsStepsAsideOnTheScreen() {
    MainWindow& window = shown();
    auto* runs = dockOf(window, "runsDock");
    const QPoint docked = runs->mapToGlobal(QPoint());
    for (int i = 0; i < 2; ++i) {
      trigger(window, QStringLiteral("window.float_runs"));
      QVERIFY(runs->isFloating() && runs->geometry().topLeft() != docked);
      QVERIFY(runs->screen()->availableGeometry().contains(runs->geometry()));
      trigger(window, QStringLiteral("window.float_runs"));
      QVERIFY(!runs->isFloating());
    }
  }

  void resetLayoutGivesTheFactsTheirWidthBack() {
    MainWindow& window = shown();
    auto* inspector = dockOf(window, "inspectorDock");
    trigger(window, QStringLiteral("window.inspector_panel"));
    window.resize(1600, 1000);
    window.resizeDocks({inspector}, {1}, Qt::Horizontal);
    QTRY_VERIFY(inspector->width() < inspector->widget()->sizeHint().width());
    QVERIFY(inspector->width() >= inspector->widget()->minimumSizeHint().width());
    trigger(window, QStringLiteral("window.reset_layout"));
    trigger(window, QStringLiteral("window.inspector_panel"));
    QTRY_VERIFY(inspector->width() >= inspector->widget()->sizeHint().width());
  }

  /// A person drags the line beside the list; a narrow window takes some of it, a wide one gives it
  /// back, also after the next start.
  void theListOfRunsKeepsItsWidth() {
    int wanted = 0;
    {
      auto window = open();
      auto* runs = dockOf(*window, "runsDock");
      window->resize(1600, 1000);
      QCoreApplication::processEvents();
      const QPoint line(runs->geometry().right() + 1, runs->geometry().center().y());
      QTest::mousePress(window.get(), Qt::LeftButton, {}, line);
      QTest::mouseMove(window.get(), line + QPoint(120, 0));
      QTRY_VERIFY2(runs->width() > 300, qPrintable(QString::number(runs->width())));
      QTest::mouseRelease(window.get(), Qt::LeftButton, {}, line + QPoint(120, 0));
      wanted = runs->width();
      for (const QSize size : {QSize(700, 600), QSize(1600, 1000)}) {
        window->resize(size);
        QCoreApplication::processEvents();
      }
      QTRY_COMPARE(runs->width(), wanted);
      window->resize(700, 600);
      QCoreApplication::processEvents();
      QVERIFY(window->close());
    }
    auto window = open();
    window->resize(1600, 1000);
    QTRY_COMPARE(dockOf(*window, "runsDock")->width(), wanted);
  }

  void theLogIsFoldedInALowWindow() {
    MainWindow& window = shown();
    auto* log = dockOf(window, "logDock");
    window.resize(1400, 900);
    QCoreApplication::processEvents();
    QVERIFY(!log->isFolded());
    const int open = log->height();
    window.resize(1400, 700);
    QTRY_VERIFY(log->isFolded() && log->height() < open / 2);
    QVERIFY(log->titleBarWidget()->isVisible() && log->width() > 1000);
    window.resize(1400, 900);
    QTRY_VERIFY(!log->isFolded() && log->height() >= open);
    window.resize(1400, 700);
    QTRY_VERIFY(log->isFolded());
    trigger(window, QStringLiteral("log.filter"));  // which wants to be seen
    QTRY_VERIFY(!log->isFolded() && log->widget()->height() > 20);
    trigger(window, QStringLiteral("window.fold_log"));
    QTRY_VERIFY(log->isFolded());
    trigger(window, QStringLiteral("window.float_log"));
    QTRY_VERIFY(log->isFloating() && log->widget()->height() > 20);
  }

  /// Unlike what the mark beside its title does.
  void whatIsLookedForInTheLogUnfoldsItOnce() {
    {
      auto window = open();
      window->resize(1400, 700);
      QTRY_VERIFY(dockOf(*window, "logDock")->isFolded());
      trigger(*window, QStringLiteral("log.filter"));
      QTRY_VERIFY(!dockOf(*window, "logDock")->isFolded());
      window->resize(1300, 700);
      QCoreApplication::processEvents();
      QVERIFY(!dockOf(*window, "logDock")->isFolded());
      QVERIFY(window->close());
    }
    auto window = open();
    window->resize(1400, 700);
    QTRY_VERIFY(dockOf(*window, "logDock")->isFolded());
  }

  void aFoldedLogKeepsItsHeightOverARestart() {
    {
      auto window = open();
      auto* log = dockOf(*window, "logDock");
      window->resize(1400, 900);
      QCoreApplication::processEvents();
      window->resizeDocks({log}, {300}, Qt::Vertical);
      QTRY_VERIFY(log->height() > 250);
      trigger(*window, QStringLiteral("window.fold_log"));
      QTRY_VERIFY(log->isFolded() && log->height() < 100);
      QVERIFY(window->close());
    }
    auto window = open();
    const auto* log = dockOf(*window, "logDock");
    window->resize(1400, 900);
    QTRY_VERIFY(log->isFolded() && log->height() < 100);
    trigger(*window, QStringLiteral("window.fold_log"));
    QTRY_VERIFY(!log->isFolded() && log->height() > 250);
  }

  void aLogThatComesBackIntoALowWindowIsFoldedAgain() {
    MainWindow& window = shown();
    const auto* log = dockOf(window, "logDock");
    window.resize(1400, 700);
    QTRY_VERIFY(log->isFolded());
    trigger(window, QStringLiteral("window.float_log"));
    QTRY_VERIFY(log->isFloating() && !log->isFolded());
    trigger(window, QStringLiteral("window.fold_log"));  // which does nothing there
    QVERIFY(!log->isFolded());
    trigger(window, QStringLiteral("window.float_log"));
    QTRY_VERIFY(!log->isFloating() && log->isFolded());
    window.resize(1400, 900);
    QTRY_VERIFY(!log->isFolded());
  }

  void anErrorUnfoldsTheLog() {
    QTemporaryDir parent;
    tests::MadeRun failed = tests::made("failed", 20);
    failed.state = "failed";
    failed.error = "no space is left";
    MainWindow& window = window_.show({tests::makeRun(parent.path(), tests::made("good", 10)),
                                       tests::makeRun(parent.path(), failed)});
    window.resize(1200, 700);
    const auto* log = dockOf(window, "logDock");
    auto* runs = window.findChild<app::RunsPanel*>();
    runs->selectRun(parent.filePath(QStringLiteral("good")));
    QTRY_VERIFY(log->isFolded());
    runs->selectRun(parent.filePath(QStringLiteral("failed")));
    QTRY_VERIFY(!log->isFolded());
  }

  void keysOfTheWindowAreFoundFromADockThatFloats() {
    MainWindow& window = shown();
    const auto* runs = window.findChild<app::RunsPanel*>();
    QVERIFY(!widgets::keysText(runs, QStringLiteral("run.duplicate")).isEmpty());
    trigger(window, QStringLiteral("window.float_runs"));
    QVERIFY(dockOf(window, "runsDock")->isFloating() && runs->window() != &window);
    QVERIFY(widgets::windowOf(runs) == &window);
    for (const QWidget* each : std::initializer_list<const QWidget*>{runs, runs->window()})
      QCOMPARE(widgets::keysText(each, QStringLiteral("run.duplicate")), QStringLiteral("Ctrl+D"));
  }

  void everyDockHasActionsThatShowItAndFloatIt() {
    MainWindow& window = shown();
    QStringList ids;
    for (QAction* action : widgets::namedActions(&window)) ids << action->objectName();
    for (const char* name : {"runs", "log", "inspector", "devices"}) {
      QVERIFY(ids.contains(QStringLiteral("window.%1_panel").arg(QLatin1String(name))));
      QVERIFY(ids.contains(QStringLiteral("window.float_%1").arg(QLatin1String(name))));
    }
    auto* log = dockOf(window, "logDock");
    trigger(window, QStringLiteral("window.log_panel"));
    QVERIFY(!log->isVisible());
    trigger(window, QStringLiteral("window.float_log"));
    QVERIFY(log->isVisible() && log->isFloating());
    trigger(window, QStringLiteral("window.float_log"));
    QVERIFY(!log->isFloating());
  }

  void theDevicesAreShownWithTheirKeys() {
    MainWindow& window = shown();
    const auto* tree = window.findChild<QTreeWidget*>(QStringLiteral("devices"));
    QVERIFY(!tree->isVisible());
    QTest::keyClick(&window, Qt::Key_I, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(tree->isVisible() && tree->topLevelItemCount() >= 2);
    QCOMPARE(tree->topLevelItem(0)->text(0), QStringLiteral("Devices"));
  }

  void whereDocksAreIsKept() {
    {
      auto window = open();
      window->addDockWidget(Qt::RightDockWidgetArea, dockOf(*window, "runsDock"));
      trigger(*window, QStringLiteral("window.float_log"));
      QVERIFY(window->close());
    }
    {
      auto window = open();
      QCOMPARE(window->dockWidgetArea(dockOf(*window, "runsDock")), Qt::RightDockWidgetArea);
      QVERIFY(dockOf(*window, "logDock")->isFloating());
      dockOf(*window, "runsDock")->close();
      trigger(*window, QStringLiteral("window.reset_layout"));
      QCOMPARE(window->dockWidgetArea(dockOf(*window, "runsDock")), Qt::LeftDockWidgetArea);
      QVERIFY(dockOf(*window, "runsDock")->isVisible());
      QVERIFY(!dockOf(*window, "logDock")->isFloating());
      QVERIFY(window->close());
    }
    auto window = open();
    QVERIFY(dockOf(*window, "runsDock")->isVisible());
    QCOMPARE(window->dockWidgetArea(dockOf(*window, "logDock")), Qt::BottomDockWidgetArea);
  }

  /// Of another version, or of none.
  void aStateThatCannotBeReadLeavesTheUsualPlaces() {
    QSettings().setValue(QStringLiteral("docks"), QByteArrayLiteral("no state"));
    auto window = open();
    QCOMPARE(window->dockWidgetArea(dockOf(*window, "runsDock")), Qt::LeftDockWidgetArea);
    QVERIFY(dockOf(*window, "logDock")->isVisible());
  }

  void keysOfTheWindowWorkInADockThatFloats() {
    MainWindow& window = shown();
    trigger(window, QStringLiteral("window.float_runs"));
    auto* runs = dockOf(window, "runsDock");
    runs->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(runs));
    QTest::keyClick(runs, Qt::Key_3, Qt::ControlModifier);
    QVERIFY(window.page() == app::Page::Predictions);
  }

 private:
  /// In the size of a first start.
  MainWindow& shown() {
    MainWindow& window = window_.show({});
    window.resize(window.screen()->availableSize());
    return window;
  }
  /// One that finds what the last one kept.
  std::unique_ptr<MainWindow> open() {
    app::MainWindowOptions options = tests::keepingOptionsFor({});
    options.size = {};
    auto window = tests::openWindow(window_.theme(), options);
    [[maybe_unused]] const bool isShown = QTest::qWaitForWindowExposed(window.get());
    return window;
  }
  static Dock* dockOf(const MainWindow& window, const char* name) {
    return window.findChild<Dock*>(QLatin1String(name));
  }
  static void trigger(const MainWindow& window, const QString& id) {
    window.findChild<QAction*>(id)->trigger();
  }
  static QToolButton* button(const Dock& dock, const char* name) {
    for (auto* each : dock.titleBarWidget()->findChildren<QToolButton*>())
      if (each->accessibleName() == QLatin1String(name)) return each;
    return nullptr;
  }
  /// In the title, beside its buttons.
  static QPoint quietPoint(const Dock& dock) { return {4, dock.titleBarWidget()->height() / 2}; }

  tests::SharedWindow window_;
  std::unique_ptr<QTemporaryDir> settings_;
  QString organization_;
};

LOCKSTEP_TEST(TstDocks)
#include "tst_docks.moc"
