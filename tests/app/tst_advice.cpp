// Alerts as cards with their evidence, and forks that follow the advice.
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/configure/configure_page.h"
#include "app/frame/main_window.h"
#include "app/monitor/advice_section.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/open/open_runs.h"
#include "app/runs/open/run_alerts.h"
#include "app/runs/panel/fork_dialog.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/config_editor/config_editor.h"
#include "widgets/fold_button.h"
#include "widgets/plots/curve_card.h"

using namespace lockstep;
using app::MainWindow;
using protocol::Alert;
using protocol::AlertKind;

namespace {

Alert alertOf(std::int64_t seq, AlertKind kind, std::int64_t from, std::int64_t to) {
  Alert alert;
  alert.seq = seq;
  alert.step = to;
  alert.kind = kind;
  alert.severity = protocol::Severity::Warning;
  alert.text = "The training loss rose: set solver.base_lr to 0.005.";
  alert.tags = {"train/loss_total", "solver/lr"};
  alert.from = from;
  alert.to = to;
  return alert;
}

}  // namespace

class TstAdvice : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theNewestOfEachKindIsShown() {
    Alert noEvidence = alertOf(4, AlertKind::RunFailed, 0, 0);
    noEvidence.tags.clear();
    const auto advice =
        app::adviceIn({alertOf(1, AlertKind::Plateau, 1, 9), alertOf(2, AlertKind::LossJump, 3, 4),
                       alertOf(3, AlertKind::Plateau, 10, 19), noEvidence});
    QCOMPARE(advice.size(), std::size_t{2});
    QCOMPARE(advice[0].seq, std::int64_t{3});
    QCOMPARE(advice[1].seq, std::int64_t{2});
    QVERIFY(app::changeOf(advice[0]).isEmpty());
  }

  void ofManyKindsTheNewestAreAdvice() {
    std::vector<Alert> alerts(app::kMaxAdvice + 3, alertOf(1, AlertKind::Plateau, 1, 9));
    for (std::size_t i = 0; i < alerts.size(); ++i)
      alerts[i].kind = base::OpenEnum<AlertKind>("kind " + std::to_string(i));
    const auto advice = app::adviceIn(alerts);
    QCOMPARE(advice.size(), app::kMaxAdvice);
    QCOMPARE(advice.front().kind.text(), alerts.back().kind.text());
  }

  void aCardShowsTheEvidenceAndForksWithTheChange() {
    QTemporaryDir parent;
    tests::MadeRun plan;
    plan.keptCheckpoints = {10, 20, 30, 40};
    const QString folder = tests::makeRun(parent.path(), plan);
    MainWindow& window = window_.show({folder});
    Alert alert = alertOf(1'000'000, AlertKind::LearningRateTooHigh, 24, 38);
    alert.key = "solver.base_lr";
    alert.value = "0.005";
    app::RunController* run = window.findChild<app::OpenRuns*>()->find(folder);
    run->history().add(protocol::EngineMessage(alert));
    Q_EMIT run->changed({.alerts = true});
    auto* advice = window.monitorPage()->findChild<app::AdviceSection*>();
    QTRY_VERIFY(advice->isVisible());
    auto* fork = cardButton(*advice);
    QVERIFY(fork && !fork->isVisible());
    QTest::mouseClick(advice->findChild<widgets::FoldButton*>(), Qt::LeftButton);
    QTRY_VERIFY(fork->isVisible());
    const auto& curves = advice->cards().front()->plot()->curves();
    QCOMPARE(curves.size(), std::size_t{2});
    QVERIFY(curves[0].name == QStringLiteral("train/loss_total") &&
            curves[1].name == QStringLiteral("solver/lr"));
    QCOMPARE(fork->text(), QStringLiteral("Fork with solver.base_lr=0.005"));
    QTest::mouseClick(fork, Qt::LeftButton);
    QTRY_VERIFY(window.findChild<app::ForkDialog*>());
    auto* dialog = window.findChild<app::ForkDialog*>();
    QTRY_COMPARE(dialog->overrides(), QStringList{QStringLiteral("solver.base_lr=0.005")});
    QCOMPARE(dialog->step(), qint64{20});  // the last one before the evidence
    dialog->reject();
  }

  void whatTheLossWasLostWithIsInEveryCheckpointSince() {
    const auto place = [](AlertKind kind, std::vector<std::int64_t> checkpoints) {
      return app::placeOfChange(alertOf(1, kind, 24, 38), checkpoints);
    };
    using enum app::ChangePlace;
    QCOMPARE(place(AlertKind::LearningRateTooHigh, {20, 40}), Fork);
    QCOMPARE(place(AlertKind::LearningRateTooHigh, {30, 40}), Copy);
    QCOMPARE(place(AlertKind::ShortWarmup, {30}), Copy);
    QCOMPARE(place(AlertKind::Plateau, {30}), Fork);
    QCOMPARE(place(AlertKind::Plateau, {}), Copy);
  }

  void aLossThatWasLostBeforeTheFirstCheckpointIsMendedInACopy() {
    QTemporaryDir parent;
    tests::MadeRun plan;
    plan.keptCheckpoints = {40};
    const QString folder = tests::makeRun(parent.path(), plan);
    MainWindow& window = window_.show({folder});
    Alert alert = alertOf(1'000'000, AlertKind::LearningRateTooHigh, 24, 38);
    alert.key = "solver.base_lr";
    alert.value = "0.02";
    app::RunController* run = window.findChild<app::OpenRuns*>()->find(folder);
    run->history().add(protocol::EngineMessage(alert));
    Q_EMIT run->changed({.alerts = true});
    auto* advice = window.monitorPage()->findChild<app::AdviceSection*>();
    QTRY_VERIFY(advice->isVisible());
    QVERIFY(!cardButton(*advice));
    QTest::mouseClick(advice->findChild<widgets::FoldButton*>(), Qt::LeftButton);
    auto* copy = advice->findChild<QPushButton*>(QStringLiteral("copyWith"));
    QTRY_VERIFY(copy->isVisible());
    QCOMPARE(copy->text(), QStringLiteral("Edit a copy with solver.base_lr=0.02"));
    QTest::mouseClick(copy, Qt::LeftButton);
    QCOMPARE(window.page(), app::Page::Configure);
    auto* editor = window.configurePage()->editor();
    QTRY_VERIFY(editor->isReady());
    QCOMPARE(editor->loaded().experiment.solver.baseLr, 0.02);
    QVERIFY(window.configurePage()->isUnsaved());
    QVERIFY(tests::visibleBanner(window, QStringLiteral("solver.base_lr: 0.02"),
                                 QStringLiteral("Ctrl+Z")));
    editor->undo();
    QVERIFY(!editor->text().contains(QStringLiteral("base_lr: 0.02")));
    QVERIFY(!window.configurePage()->isUnsaved());
  }

  void aRunWithoutAdviceHasNoSection() {
    QTemporaryDir parent;
    const MainWindow& window = window_.show({tests::makeRun(parent.path(), {})});
    auto* advice = window.monitorPage()->findChild<app::AdviceSection*>();
    QVERIFY(advice->cards().empty() && !advice->isVisible());
  }

 private:
  static QPushButton* cardButton(const app::AdviceSection& advice) {
    return advice.findChild<QPushButton*>(QStringLiteral("forkWith"));
  }
  tests::SharedWindow window_;
};

LOCKSTEP_TEST(TstAdvice)
#include "tst_advice.moc"
