#include <QListView>
#include <QSettings>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <limits>

#include "app/frame/main_window.h"
#include "app/monitor/alert_banner.h"
#include "app/monitor/log_panel.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/open/open_runs.h"
#include "app/runs/open/run_controller.h"
#include "app/runs/panel/run_banner.h"
#include "app/runs/panel/runs_panel.h"
#include "engine/supervisor/event_log.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/app/window_options.h"
#include "tests/support/append_scalars.h"
#include "tests/support/test_main.h"
#include "widgets/banner.h"

using namespace lockstep;
using app::MainWindow;

namespace {

tests::MadeRun slowRankRun(const char* name, double created) {
  tests::MadeRun run;
  run.name = name;
  run.created = created;
  run.ranks = 3;  // the last is slow: an alert
  return run;
}

/// Like a supervisor: resumes the run from a step, and the next loss is not finite.
void resumeIntoNonFiniteLoss(const QString& folder, std::int64_t resumed, double time) {
  supervisor::EventLog eventLog(folder.toStdString(), resumed, [](const protocol::Alert&) {});
  tests::appendScalars(eventLog, resumed + 1, time,
                       {{"train/loss_total", std::numeric_limits<float>::quiet_NaN()}});
}

app::RunController* controllerOf(const MainWindow& window, const QString& folder) {
  return window.findChild<app::OpenRuns*>()->find(folder);
}

QStringList alertsIn(const MainWindow& window) {
  QStringList texts;
  for (const auto* list : window.findChildren<QListView*>()) {
    if (list->accessibleName() != QStringLiteral("Alerts")) continue;
    for (int row = 0; row < list->model()->rowCount(); ++row)
      texts.append(list->model()->index(row, 0).data().toString());
  }
  return texts;
}

}  // namespace

class TstAlerts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aDismissedAlertDoesNotHideLaterOnes() {
    QTemporaryDir parent;
    const QString folder = tests::makeRun(parent.path(), slowRankRun("late", 2000));
    const MainWindow& window = window_.show({folder});
    auto* banner = window.monitorPage()->findChild<widgets::Banner*>();
    QTRY_VERIFY(banner->isVisible());
    QVERIFY(banner->detail().contains(QStringLiteral("rank 2")));
    dismiss(window, banner);
    controllerOf(window, folder)->refresh();
    QTRY_VERIFY(controllerOf(window, folder)->isLoaded());
    QVERIFY2(!banner->isVisible(), "a dismissed alert stays dismissed");

    resumeIntoNonFiniteLoss(folder, 10, 3000);
    controllerOf(window, folder)->refresh();
    QTRY_VERIFY(banner->isVisible());
    QVERIFY2(banner->detail().contains(QStringLiteral("is NaN at step 11")),
             qPrintable(banner->detail()));
  }

  void alertsAreDismissedForOneRun() {
    QTemporaryDir parent;
    const QString first = tests::makeRun(parent.path(), slowRankRun("first", 2000));
    const QString second = tests::makeRun(parent.path(), slowRankRun("second", 1000));
    const MainWindow& window = window_.show({parent.path()});
    auto* banner = window.monitorPage()->findChild<widgets::Banner*>();
    window.runsPanel()->selectRun(first);
    QTRY_VERIFY(banner->isVisible());
    dismiss(window, banner);
    window.runsPanel()->selectRun(second);
    QTRY_VERIFY(banner->isVisible());
    window.runsPanel()->selectRun(first);
    QTRY_VERIFY(!banner->isVisible());
  }

  void dismissedAlertsStayDismissedInTheNextWindow() {
    QTemporaryDir parent, settings;
    QCoreApplication::setOrganizationName(QStringLiteral("tests"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    const QString folder = tests::makeRun(parent.path(), slowRankRun("late", 2000));
    tests::MadeRun failing;
    failing.name = "failed";
    failing.state = "failed";
    failing.error = "rank 1 was killed";
    const QString failed = tests::makeRun(parent.path(), failing);
    widgets::ThemeSwitch theme;
    const auto open = [&theme](const QString& path) {
      return tests::openWindow(theme, tests::keepingOptionsFor({path}, app::Page::Monitor));
    };
    for (const bool wasDismissed : {false, true}) {
      const auto window = open(parent.path());
      window->runsPanel()->selectRun(folder);
      QTRY_COMPARE(window->runsPanel()->currentRun(), folder);
      QTRY_VERIFY(window->isReady());
      QCOMPARE(window->monitorPage()->alertBanner()->isVisible(), !wasDismissed);
      if (!wasDismissed) window->monitorPage()->alertBanner()->dismiss();
      window->runsPanel()->selectRun(failed);
      QTRY_COMPARE(window->runsPanel()->currentRun(), failed);
      auto* banner = window->findChild<app::RunBanner*>();
      if (!wasDismissed) {
        QTRY_VERIFY(banner->isVisible());
        banner->dismiss();
      }
      QTRY_VERIFY(window->isReady());
      QVERIFY(!banner->isVisible());
    }
    // Another failure is shown again.
    const run_folder::Layout layout{failed.toStdString()};
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    ++info.attempt;
    run_folder::writeRunInfo(layout, info);
    const auto window = open(failed);
    QTRY_VERIFY(window->findChild<app::RunBanner*>()->isVisible());
  }

  void theOverfittingAlertNamesTheRunAndItsLowestLoss() {
    QTemporaryDir parent;
    const QString folder = tests::makeRun(parent.path(), tests::made("first", 2000));
    const QString other = tests::makeRun(parent.path(), tests::made("second", 1000));
    protocol::Alert alert;
    alert.kind = protocol::AlertKind::Overfitting;
    alert.severity = protocol::Severity::Warning;
    alert.text = "Validation loss rose";
    alert.from = 20;
    alert.to = 40;
    {
      supervisor::EventLog eventLog(folder.toStdString(), std::nullopt,
                                    [](const protocol::Alert&) {});
      eventLog.appendEvent(alert, 40, 3000);
    }
    const MainWindow& window = window_.show({parent.path()});
    const auto* banner = window.monitorPage()->alertBanner();
    QTRY_VERIFY(banner->isVisible());
    QCOMPARE(banner->title(), QStringLiteral("Overfitting since step 20"));
    window.runsPanel()->addToSelection(other);
    QTRY_COMPARE(banner->title(), QStringLiteral("first: Overfitting since step 20"));
  }

  void anEarlierAttemptsFailureStaysAnAlert() {
    QTemporaryDir parent;
    tests::MadeRun run;
    run.name = "resumed";
    run.steps = 17;
    run.state = "failed";
    run.error = "rank 1 was killed";
    const QString folder = tests::makeRun(parent.path(), run);
    {
      supervisor::EventLog eventLog(folder.toStdString(), 15, [](const protocol::Alert&) {});
      tests::appendScalars(eventLog, 16, 3000, {{"train/loss_total", 1.F}});
    }
    const MainWindow& window = window_.show({folder});
    QTRY_COMPARE(alertsIn(window).size(), 1);
    QVERIFY2(alertsIn(window)[0].contains(QStringLiteral("step 17: rank 1 was killed")),
             qPrintable(alertsIn(window)[0]));
  }

  void aFailedRunsErrorIsAnAlert() {
    QTemporaryDir parent;
    tests::MadeRun run;
    run.name = "failed";
    run.state = "failed";
    run.error = "rank 1 was killed";
    const MainWindow& window = window_.show({tests::makeRun(parent.path(), run)});
    QTRY_COMPARE(alertsIn(window).size(), 1);
    QVERIFY2(alertsIn(window)[0].contains(QStringLiteral("rank 1 was killed")),
             qPrintable(alertsIn(window)[0]));
    QVERIFY2(!window.monitorPage()->findChild<widgets::Banner*>()->isVisible(),
             "the failure has a banner of its own");
  }

 private:
  static void dismiss(const MainWindow&, widgets::Banner* banner) {
    banner->hide();
    Q_EMIT banner->dismissed();
  }

  tests::SharedWindow window_;
};

LOCKSTEP_TEST(TstAlerts)
#include "tst_alerts.moc"
