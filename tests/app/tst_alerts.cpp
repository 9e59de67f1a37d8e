#include <QListView>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <limits>

#include "app/controllers/open_runs.h"
#include "app/controllers/run_controller.h"
#include "app/main_window/log_panel.h"
#include "app/main_window/main_window.h"
#include "app/main_window/monitor_page.h"
#include "app/main_window/runs_panel.h"
#include "engine/supervisor/event_journal.h"
#include "tests/app/made_run.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/banner.h"

using namespace lockstep;
using app::MainWindow;
using tests::optionsFor;

namespace {

tests::MadeRun lateRun(const char* name, double created) {
  tests::MadeRun run;
  run.name = name;
  run.created = created;
  run.ranks = 3;  // the last is late: an alert
  return run;
}

/// What a supervisor does: resumes the run from a step, and the next loss is not finite.
void resumeIntoNonFiniteLoss(const QString& folder, std::int64_t resumed, double time) {
  supervisor::EventJournal journal(folder.toStdString(), resumed, [](const protocol::Alert&) {});
  journal.appendScalars(resumed + 1, time,
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
    const QString folder = tests::makeRun(parent.path(), lateRun("late", 2000));
    MainWindow window(&theme_, optionsFor({folder}, QStringLiteral("monitor")));
    window.show();
    QTRY_VERIFY(window.isReady());
    auto* banner = window.monitorPage()->findChild<widgets::Banner*>();
    QTRY_VERIFY(banner->isVisible());
    QVERIFY(banner->detail().contains(QStringLiteral("rank 2")));
    dismiss(window, banner);
    controllerOf(window, folder)->refresh();
    QTRY_VERIFY(controllerOf(window, folder)->isLoaded());
    QVERIFY2(!banner->isVisible(), "what was dismissed stays so");

    resumeIntoNonFiniteLoss(folder, 10, 3000);
    controllerOf(window, folder)->refresh();
    QTRY_VERIFY(banner->isVisible());
    QVERIFY2(banner->detail().contains(QStringLiteral("is NaN at step 11")),
             qPrintable(banner->detail()));
  }

  void aRunsAlertsAreDismissedForThatRunAlone() {
    QTemporaryDir parent;
    const QString first = tests::makeRun(parent.path(), lateRun("first", 2000));
    const QString second = tests::makeRun(parent.path(), lateRun("second", 1000));
    MainWindow window(&theme_, optionsFor({parent.path()}, QStringLiteral("monitor")));
    window.show();
    QTRY_VERIFY(window.isReady());
    auto* banner = window.monitorPage()->findChild<widgets::Banner*>();
    window.runsPanel()->selectRun(first);
    QTRY_VERIFY(banner->isVisible());
    dismiss(window, banner);
    window.runsPanel()->selectRun(second);
    QTRY_VERIFY(banner->isVisible());
    window.runsPanel()->selectRun(first);
    QTRY_VERIFY(!banner->isVisible());
  }

  void aFailedRunsReasonIsAmongItsAlerts() {
    QTemporaryDir parent;
    tests::MadeRun run;
    run.name = "failed";
    run.state = "failed";
    run.error = "rank 1 was killed";
    MainWindow window(&theme_,
                      optionsFor({tests::makeRun(parent.path(), run)}, QStringLiteral("monitor")));
    window.show();
    QTRY_VERIFY(window.isReady());
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

  widgets::ThemeSwitch theme_;
};

LOCKSTEP_TEST(TstAlerts)
#include "tst_alerts.moc"
