#include <QAbstractItemModelTester>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <filesystem>
#include <fstream>

#include "app/monitor/monitor_page.h"
#include "app/monitor/tag_cards.h"
#include "app/predictions_page/predictions_page.h"
#include "app/runs/list/run_list_model.h"
#include "app/runs/open/run_controller.h"
#include "app/runs/panel/run_banner.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/app/losses_of.h"
#include "tests/app/made_run.h"
#include "tests/app/monitor_bench.h"
#include "tests/app/shared_window.h"
#include "tests/events/record_samples.h"
#include "tests/support/test_main.h"
#include "widgets/empty_state.h"
#include "widgets/plots/curve_card.h"

using namespace lockstep;
using app::MainWindow;
using app::RunController;
using app::RunListModel;
namespace fs = std::filesystem;

namespace {

/// Folders of other programs, as they write them.
class ForeignFolder {
 public:
  fs::path path() const { return folder_.path().toStdString(); }
  QString of(const char* name) const { return folder_.filePath(QString::fromLatin1(name)); }

  void append(const fs::path& file, const std::string& bytes) const {
    fs::create_directories((path() / file).parent_path());
    std::ofstream(path() / file, std::ios::app | std::ios::binary) << bytes;
  }
  /// A step of detectron2.
  void addStep(const char* run, int step, double loss) const {
    append(fs::path(run) / "metrics.json", R"({"iteration": )" + std::to_string(step) +
                                               R"(, "total_loss": )" + std::to_string(loss) +
                                               R"(, "loss_mask": 0.5, "lr": 0.01})" + "\n");
  }
  void addEvents(const char* run, int steps) const {
    std::string bytes = events::encodeRecord(tests::versionRecord());
    for (int step = 1; step <= steps; ++step)
      bytes += events::encodeRecord(tests::scalarRecord(step, {{"train_loss", 2.F / step}}));
    append(fs::path(run) / "events.out.tfevents.1000.host.1.0", bytes);
  }
  /// Tags of an Ultralytics segmentation, and a picture.
  void addUltralytics(const char* run) const {
    std::string bytes = events::encodeRecord(tests::versionRecord());
    for (int epoch = 1; epoch <= 3; ++epoch)
      for (const char* tag :
           {"train/box_loss", "train/seg_loss", "train/dfl_loss", "val/seg_loss", "val/dfl_loss",
            "metrics/precision(B)", "metrics/mAP50-95(M)", "metrics/mAP50(M)", "lr/pg0", "lr/pg1"})
        bytes += events::encodeRecord(tests::scalarRecord(epoch, {{tag, 1.F / epoch}}));
    bytes += events::encodeRecord(events::recordOf(tests::pictureSummary(7, 3, 1000.5)));
    append(fs::path(run) / "events.out.tfevents.1000.host.1.0", bytes);
  }
  /// A run with total losses at the steps 20 and 60 and damage between them.
  void addDamaged(const QString& program, const fs::path& run) const {
    const auto event = [](int step) {
      return events::encodeRecord(tests::scalarRecord(step, {{"loss", 1.F / step}}));
    };
    if (program == QStringLiteral("TensorBoard")) {
      std::string damaged = event(40);
      damaged.back() ^= 1;
      append(run / "events.out.tfevents.1000.host.1.0",
             events::encodeRecord(tests::versionRecord()) + event(20) + damaged + event(60));
    } else if (program == QStringLiteral("detectron2")) {
      addStep("run", 20, 1);
      append(run / "metrics.json", "{\"iteration\": 40, oh}\n");
      addStep("run", 60, 0.5);
    } else if (program == QStringLiteral("mmengine")) {
      append(run / "vis_data/scalars.json",
             "{\"loss\": 2.0, \"iter\": 20, \"step\": 20}\n{\"loss\": oh}\n"
             "{\"loss\": 1.0, \"iter\": 60, \"step\": 60}\n");
    } else {
      append(run / "meta.yaml", "run_id: a\nstatus: 3\n");
      for (const char* name : {"params", "tags"}) fs::create_directories(path() / run / name);
      append(run / "metrics/loss", "1700000000000 2.0 20\noh\n1700000001000 1.0 60\n");
    }
  }

 private:
  QTemporaryDir folder_;
};

std::size_t pointsOf(const RunController& run, const char* tag) {
  const app::MetricSeries* series = run.history().metrics().series(tag);
  return series ? series->size() : 0;
}

}  // namespace

/// Runs of other programs, as runs like ours.
class TstForeignRuns : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theyAreListedBesideOurs() {
    const ForeignFolder folder;
    folder.addStep("detectron", 20, 1.5);
    folder.addEvents("board/lr0.1", 5);
    folder.addEvents("board/lr0.2", 5);
    tests::makeRun(folder.of(""), tests::made("own", 5000));
    RunListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setParentFolders({folder.of("")});
    QTRY_COMPARE(model.rowCount(), 4);
    const auto of = [&](const char* name, int role) {
      return model.index(model.rowOf(folder.of(name))).data(role).toString();
    };
    QCOMPARE(of("own", RunListModel::ProgramRole), QString());
    QCOMPARE(of("detectron", RunListModel::ProgramRole), QStringLiteral("detectron2"));
    QCOMPARE(of("detectron", RunListModel::StateTextRole), QStringLiteral("detectron2"));
    QCOMPARE(of("detectron", RunListModel::StepRole), QStringLiteral("20"));
    QCOMPARE(of("board/lr0.1", RunListModel::ProgramRole), QStringLiteral("TensorBoard"));
    QCOMPARE(of("board/lr0.1", RunListModel::NameRole), QStringLiteral("board/lr0.1"));
    const QModelIndex run = model.index(model.rowOf(folder.of("detectron")));
    QVERIFY(app::RunsPanel::resumeBlockedBy(run).contains(QStringLiteral("detectron2")));
  }

  void aRunIsReadAndFollowed() {
    const ForeignFolder folder;
    for (int step = 1; step <= 3; ++step) folder.addStep("run", 20 * step, 1.0 / step);
    RunController run(folder.of("run"));
    run.refresh();
    QTRY_VERIFY(run.isLoaded());
    QVERIFY(run.program() == foreign_runs::Source::Detectron2);
    QVERIFY(!run.isAlive() && !run.canResume() && !run.accessError());
    QCOMPARE(pointsOf(run, "train/loss_total"), std::size_t{3});
    QCOMPARE(pointsOf(run, "solver/lr"), std::size_t{3});
    QSignalSpy changed(&run, &RunController::changed);
    folder.addStep("run", 80, 0.2);
    QTRY_COMPARE_WITH_TIMEOUT(pointsOf(run, "train/loss_total"), std::size_t{4}, 10000);
    QVERIFY(changed.size() > 0);
    QCOMPARE(run.info().step, std::int64_t{80});
  }

  void whatCannotBeReadIsSaidAndTheRestIsThere_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("place");
    QTest::newRow("TensorBoard") << QStringLiteral("TensorBoard")
                                 << QStringLiteral(": a damaged record");
    QTest::newRow("detectron2") << QStringLiteral("detectron2") << QStringLiteral("metrics.json:2");
    QTest::newRow("mmengine") << QStringLiteral("mmengine") << QStringLiteral("scalars.json:2");
    QTest::newRow("MLflow") << QStringLiteral("MLflow") << QStringLiteral("metrics/loss:2");
  }
  void whatCannotBeReadIsSaidAndTheRestIsThere() {
    QFETCH(QString, program);
    QFETCH(QString, place);
    const ForeignFolder folder;
    folder.addDamaged(program, "run");
    RunController run(folder.of("run"));
    run.refresh();
    QTRY_VERIFY(run.isLoaded());
    QVERIFY(run.program());
    QCOMPARE(QString::fromLatin1(base::textOf(*run.program())), program);
    QCOMPARE(tests::lossSteps(run), (std::vector<std::int64_t>{20, 60}));
    QVERIFY(run.accessError());
    QCOMPARE(run.accessError()->title, QStringLiteral("The run is damaged"));
    QVERIFY2(run.accessError()->detail.contains(place), qPrintable(run.accessError()->detail));
  }

  void aRunThatVanishesIsSaid() {
    const ForeignFolder folder;
    folder.addEvents("run", 3);
    RunController run(folder.of("run"));
    run.refresh();
    QTRY_VERIFY(run.isLoaded());
    fs::remove_all(folder.path() / "run");
    run.refresh();
    QTRY_VERIFY(run.accessError());
    QCOMPARE(pointsOf(run, "train/loss_total"), std::size_t{3});
  }

  void theWindowShowsItsCurvesAndSaysWhatItLacks() {
    const ForeignFolder folder;
    folder.addEvents("run", 30);
    MainWindow& window = window_.show({folder.of("")});
    QCOMPARE(window.runsPanel()->currentRun(), folder.of("run"));
    QTRY_VERIFY(window.monitorPage()->cards().front()->plot()->drawnPointCount(0) > 0);
    window.showPage(app::Page::Predictions);
    const auto says = [&](const char* text) {
      for (const auto* label : window.predictionsPage()->findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(QString::fromUtf8(text))) return true;
      return false;
    };
    QTRY_VERIFY(says("this TensorBoard run"));
    QTRY_VERIFY(window.isReady());
  }

  void allThatItLoggedIsSeenAtOnce() {
    const ForeignFolder folder;
    folder.addUltralytics("run");
    MainWindow& window = window_.show({folder.of("")});
    const app::MonitorPage& page = *window.monitorPage();
    QStringList titles;
    for (const widgets::CurveCard* card : page.cards())
      if (card->isVisibleTo(&page)) titles << card->title();
    QCOMPARE(titles, (QStringList{QStringLiteral("Mask AP"), QStringLiteral("Learning rate"),
                                  QStringLiteral("Mask"), QStringLiteral("Box")}));
    QStringList others;
    for (const char* name : {"train", "val", "metrics", "eval/segm", "lr"}) {
      app::TagCards* section = page.section(QLatin1String(name));
      QVERIFY2(section && section->isOpen(), name);
      for (const app::TagCards::Card& card : section->cards())
        others << QLatin1String(name) + u'/' + card.card->title();
    }
    QCOMPARE(others, (QStringList{QStringLiteral("train/dfl_loss"), QStringLiteral("val/dfl_loss"),
                                  QStringLiteral("metrics/precision(B)"),
                                  QStringLiteral("eval/segm/AP50"), QStringLiteral("lr/pg1")}));
    const auto* note = page.findChild<QLabel*>(QStringLiteral("mediaNote"));
    QVERIFY(note->isVisible() && note->text().contains(QStringLiteral("images (1 tag")));
    // A folded section stays folded.
    app::TagCards* section = page.section(QStringLiteral("lr"));
    QTest::mouseClick(section->findChild<QToolButton*>(), Qt::LeftButton);
    QVERIFY(!section->isOpen());
    const auto kept = app::CardSettings::fromVariant(page.cardSettings().toVariant());
    window.monitorPage()->setCardSettings({});
    QVERIFY(section->isOpen());
    window.monitorPage()->setCardSettings(kept);
    QVERIFY(!section->isOpen());
  }

  void ourRunsHaveTheirEmptyCards() {
    QTemporaryDir parent;
    tests::MadeRun plan;
    plan.steps = 0;
    const auto run = tests::openMade(parent, plan);
    app::MonitorPage page;
    tests::show(page, {{run.get(), QStringLiteral("own"), 0}});
    for (const widgets::CurveCard* card : page.cards()) {
      const bool isOfDevices = card->title().contains(QStringLiteral("GPU")) ||
                               card->title().contains(QStringLiteral("rank"));
      QVERIFY2(card->isVisibleTo(&page) || isOfDevices, qPrintable(card->title()));
    }
    QVERIFY(!page.findChild<QLabel*>(QStringLiteral("mediaNote"))->isVisible());
  }

  void aDamagedLogIsSaidInTheWindow() {
    const QString program = QStringLiteral("TensorBoard");
    const ForeignFolder folder;
    folder.addDamaged(program, "run");
    tests::makeRun(folder.of(""), tests::made("own", 5000));
    const MainWindow& window = window_.show({folder.of("")});
    const auto* list = window.findChild<RunListModel*>();
    QTRY_VERIFY(list->rowOf(folder.of("run")) >= 0);
    QCOMPARE(list->index(list->rowOf(folder.of("run"))).data(RunListModel::ProgramRole).toString(),
             program);
    window.runsPanel()->selectRun(folder.of("run"));
    const auto* banner = window.findChild<app::RunBanner*>();
    QTRY_VERIFY(banner->isVisible());
    QCOMPARE(banner->title(), QStringLiteral("The run is damaged"));
    QVERIFY2(banner->detail().contains(QStringLiteral(": a damaged record")),
             qPrintable(banner->detail()));
    QTRY_VERIFY(window.isReady());
    const auto& curves = window.monitorPage()->cards().front()->plot()->curves();
    QVERIFY(!curves.empty());
    QCOMPARE(curves.front().source->xRange(), (std::pair<double, double>{20, 60}));
    window.runsPanel()->selectRun(folder.of("own"));  // the rest goes on
    QTRY_VERIFY(!banner->isVisible());
    QTRY_VERIFY(window.isReady());
  }

 private:
  tests::SharedWindow window_;
};

LOCKSTEP_TEST(TstForeignRuns)
#include "tst_foreign_runs.moc"
