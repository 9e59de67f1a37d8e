// What leads from experiments to runs and back: the learning-rate range test, forks.
#include <signal.h>

#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QIdentityProxyModel>
#include <QImage>
#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScopeGuard>
#include <QStyleOptionViewItem>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "app/configure/configure_page.h"
#include "app/configure/range_test_dialog.h"
#include "app/engines/engine_process.h"
#include "app/frame/top_bar.h"
#include "app/metrics/range_test_result.h"
#include "app/runs/list/run_list_model.h"
#include "app/runs/panel/fork_dialog.h"
#include "app/runs/panel/run_delegate.h"
#include "app/runs/panel/runs_panel.h"
#include "engine/run_folder/run_folder.h"
#include "engine/supervisor/event_log.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/support/append_scalars.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"
#include "tests/support/text.h"
#include "widgets/config_editor/config_editor.h"
#include "widgets/jobs/jobs.h"

using namespace lockstep;
using app::MainWindow;
using tests::text;

namespace {

/// A range test of 100 steps whose loss falls from a rate of 1e-4 on and rises from 0.1 on.
QString makeRangeTest(const QString& parent) {
  const auto folder = std::filesystem::path(parent.toStdString()) / "droplets-find-lr";
  const run_folder::Layout layout = run_folder::createRunFolderAt(folder);
  QFile config(QString::fromStdString(layout.config().string()));
  if (!config.open(QIODevice::WriteOnly)) return {};
  config.write("name: droplets-find-lr\nsolver: {max_steps: 140}\n");
  supervisor::EventLog log(folder, std::nullopt, [](const protocol::Alert&) {});
  constexpr double kStart = 1795255200;
  for (int step = 1; step <= 100; ++step) {
    const double exponent = -6 + 0.05 * step;  // to 0.1
    const double falls = 1 / (1 + std::exp(-3 * (exponent + 3.5)));
    const double rises = std::exp(8 * (exponent + 1.4));
    const auto loss = static_cast<float>(3 - 2 * falls + rises);
    tests::appendScalars(log, step, kStart + step,
                         {{"train/loss_total", loss},
                          {"solver/lr", static_cast<float>(std::pow(10, exponent))},
                          {"find_lr/loss", loss}});
  }
  run_folder::RunInfo info;
  info.name = "droplets-find-lr";
  info.state = protocol::RunState::Finished;
  info.isRangeTest = true;
  info.step = 100;
  info.maxSteps = 140;
  info.created = kStart;
  run_folder::writeRunInfo(layout, info);
  return QString::fromStdString(folder.string());
}

/// A list of runs that says of none that it is a fork.
class WithoutForks : public QIdentityProxyModel {
 public:
  QVariant data(const QModelIndex& index, int role) const override {
    return role == app::RunListModel::ForkOfRole ? QVariant()
                                                 : QIdentityProxyModel::data(index, role);
  }
};

/// A row of the list.
QImage paintedRow(const QModelIndex& run) {
  QImage image(400, 50, QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  QStyleOptionViewItem option;
  option.rect = image.rect();
  app::RunDelegate().paint(&painter, option, run);
  return image;
}

}  // namespace

class TstExperimentsInWindow : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  tests::SharedWindow window_;

  QString path(const char* name) const { return folder_->filePath(text(name)); }
  static QAction* action(const MainWindow& window, const char* id) {
    return window.findChild<QAction*>(text(id));
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QFile file(path("a.yaml"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("# mine\nname: a\nsolver:\n  base_lr: 0.5  # too high\n");
  }

  void theLearningRateOfARangeTestIsOneClickFromItsKey() {
    const QString run = makeRangeTest(folder_->path());
    MainWindow& window = window_.show({run, path("a.yaml")});
    QCOMPARE(window.runsPanel()->currentRun(), run);
    QTRY_VERIFY(action(window, "run.range_test")->isEnabled());
    action(window, "run.range_test")->trigger();
    auto* dialog = window.findChild<app::RangeTestDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    QVERIFY2(dialog->learningRate() > 1e-3 && dialog->learningRate() < 0.05,
             qPrintable(app::learningRateText(dialog->learningRate())));
    const QString rate = app::learningRateText(dialog->learningRate());
    auto* use = dialog->findChild<QPushButton*>(text("useLearningRate"));
    QVERIFY(use->text().contains(text("a.yaml")));
    QTest::mouseClick(use, Qt::LeftButton);
    QCOMPARE(window.page(), app::Page::Configure);
    const QString edited = window.configurePage()->editor()->text();
    QVERIFY2(edited.contains(text("# mine\nname: a\nsolver:\n  base_lr: ") + rate +
                             text("  # too high")),
             qPrintable(edited));
    window.configurePage()->editor()->undo();
    QVERIFY(window.configurePage()->editor()->text().contains(text("base_lr: 0.5")));
  }

  void anotherRunIsNoRangeTest() {
    const QString run = tests::makeRun(folder_->path(), {});
    const MainWindow& window = window_.show({run});
    QVERIFY(!action(window, "run.range_test")->isEnabled());
    QVERIFY(!action(window, "run.evaluate")->isEnabled());
  }

  void aForkAsksForTheCheckpointAndWhatChanges() {
    tests::MadeRun plan;
    plan.keptCheckpoints = {10, 20, 40};
    const QString run = tests::makeRun(folder_->path(), plan);
    const MainWindow& window = window_.show({run});
    QTRY_VERIFY(action(window, "run.fork")->isEnabled());
    action(window, "run.fork")->trigger();
    QTRY_VERIFY(window.findChild<app::ForkDialog*>());
    auto* dialog = window.findChild<app::ForkDialog*>();
    auto* checkpoints = dialog->findChild<QComboBox*>(text("checkpoints"));
    auto* changes = dialog->findChild<QPlainTextEdit*>(text("changes"));
    const auto* fault = dialog->findChild<QLabel*>(text("fault"));
    const auto* start = dialog->findChild<QPushButton*>(text("start"));
    // The newest checkpoint is the last step.
    QTRY_VERIFY(fault->text().contains(text("solver.max_steps is 40")));
    QVERIFY(!start->isEnabled());
    checkpoints->setFocus();
    QTest::keyClick(checkpoints, Qt::Key_Down);
    QTRY_VERIFY(start->isEnabled());
    QVERIFY(fault->text().isEmpty());
    changes->setFocus();
    QTest::keyClicks(changes, text("solver.base_l=1"));
    QTRY_VERIFY(fault->text().contains(text("solver.base_l:")));
    QVERIFY(!start->isEnabled());
    changes->selectAll();
    QTest::keyClicks(changes, text("solver.base_lr=0.01"));
    QVERIFY2(!start->isEnabled(), "it is not checked yet");
    QTRY_VERIFY(start->isEnabled());
    QCOMPARE(dialog->step(), qint64{20});
    QCOMPARE(dialog->overrides().join(u','), text("solver.base_lr=0.01"));
    dialog->reject();
  }

  void aTrainingRunIsEvaluatedOnRequest() {
    tests::EngineBench bench;
    bench.script("state running 0\nscalars 1 5\nserve\nfinish 7 stopped\n");
    const auto result =
        bench.run({"train", "experiment.yaml", "--output", "runs/live", "--detach"});
    QVERIFY2(result.status == 0, result.err.c_str());
    const run_folder::Layout live = bench.onlyRun();
    const auto end = qScopeGuard([&live] {
      ::kill(static_cast<pid_t>(run_folder::summarise(live.folder()).info.pid), SIGKILL);
    });
    const MainWindow& window = window_.show({QString::fromStdString(live.folder().string())});
    QTRY_VERIFY_WITH_TIMEOUT(action(window, "run.evaluate")->isEnabled(), 20000);
    action(window, "run.evaluate")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!run_folder::evaluationSteps(live).empty(), 20000);
    Q_EMIT window.runsPanel()->evaluationRequested(window.runsPanel()->currentRun());
    QTRY_VERIFY(std::ranges::count_if(bench.received(), [](const std::string& line) {
                  return line.find("evaluate") != std::string::npos;
                }) >= 2);
  }

  void pauseDoesNotResumeARunThatHasEndedMeanwhile() {
    tests::MadeRun plan;
    plan.state = "stopped";
    plan.steps = 20;
    plan.keptCheckpoints = {10, 20};
    const MainWindow& window = window_.show({tests::makeRun(folder_->path(), plan)});
    auto* bar = window.findChild<app::TopBar*>();
    QTRY_VERIFY(bar->resumes());
    Q_EMIT bar->pauseRequested();
    QVERIFY(jobs::waitForAll(std::chrono::seconds(5)));
    QCoreApplication::processEvents();
    QVERIFY(!window.findChild<app::EngineProcess*>()->isStarting());
  }

  void aForkSaysWhatItIsOf() {
    const QString run = tests::makeRun(folder_->path(), {});
    const QString other = tests::makeRun(folder_->path(), tests::made("other", 2000));
    const run_folder::Layout layout(other.toStdString());
    auto info = run_folder::readRunInfo(layout);
    info.forkedFrom = {run.toStdString(), 20};
    info.best = run_folder::Best{"segm/AP", 0.5, 20};  // what it began with
    run_folder::writeRunInfo(layout, info);
    app::RunListModel model;
    model.setParentFolders({folder_->path()});
    QTRY_VERIFY(model.isLoaded());
    const QModelIndex listed = model.index(model.rowOf(other));
    QCOMPARE(listed.data(app::RunListModel::ForkOfRole).toString(), text("made at step 20"));
    for (const int role : {Qt::ToolTipRole, Qt::AccessibleTextRole})
      QVERIFY(listed.data(role).toString().contains(text("fork of made at step 20")));
    QVERIFY(!listed.data(app::RunListModel::BestValueRole).isValid());
    const QModelIndex original = model.index(model.rowOf(run));
    QCOMPARE(original.data(app::RunListModel::ForkOfRole).toString(), QString());
    WithoutForks plain;
    plain.setSourceModel(&model);
    QVERIFY(paintedRow(listed) != paintedRow(plain.mapFromSource(listed)));
    QCOMPARE(paintedRow(original), paintedRow(plain.mapFromSource(original)));
  }
};

LOCKSTEP_TEST(TstExperimentsInWindow)
#include "tst_experiments_in_window.moc"
