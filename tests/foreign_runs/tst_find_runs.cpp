#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "engine/base/error.h"
#include "engine/foreign_runs/run_summary.h"
#include "tests/foreign_runs/run_samples.h"
#include "tests/support/contains.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::tests;
using namespace lockstep::foreign_runs;
namespace fs = std::filesystem;

namespace {

const std::string kMeta =
    "artifact_uri: file:///x\nend_time: 1700000009000\nlifecycle_stage: active\n"
    "run_id: 0123456789abcdef0123456789abcdef\nrun_name: quiet-fox-3\n"
    "start_time: 1700000001500\nstatus: 3\ntags: []\n";

}  // namespace

class TstFindRuns : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    root_ = folder_->path().toStdString();
  }

  void eachProgramsFolderIsKnown() {
    writeText(root_ / "tb/events.out.tfevents.1", "");
    writeText(root_ / "d2/metrics.json", "{\"iteration\": 1, \"lr\": 0.1}\n");
    writeText(root_ / "d2/events.out.tfevents.1", "");
    writeText(root_ / "mm/vis_data/scalars.json", "");
    writeText(root_ / "mm/vis_data/events.out.tfevents.1", "");
    makeMlFlowRun(root_ / "ml");
    QVERIFY(sourceOf(root_ / "tb") == Source::TensorBoard);
    QVERIFY(sourceOf(root_ / "d2") == Source::Detectron2);
    QVERIFY(sourceOf(root_ / "mm") == Source::MmEngine);
    QVERIFY(sourceOf(root_ / "mm/vis_data") == Source::MmEngine);
    QVERIFY(sourceOf(root_ / "ml") == Source::MlFlow);
  }

  void otherFoldersAreNone() {
    writeText(root_ / "own/run.json", "{}");
    writeText(root_ / "own/events.out.tfevents.1", "");
    writeText(root_ / "lost/config.yaml", "");
    writeText(root_ / "lost/events.out.tfevents.1", encodeRecord(versionRecord()));
    writeText(root_ / "dvc/metrics.json", "{\n  \"accuracy\": 0.5\n}\n");
    writeText(root_ / "experiment/meta.yaml", "name: cells\nexperiment_id: '1'\n");
    fs::create_directories(root_ / "model/metrics");
    fs::create_directories(root_ / "model/params");
    writeText(root_ / "model/meta.yaml", "model_id: m-1\nsource_run_id: abc\n");
    writeText(root_ / "broken/meta.yaml", "{: [");
    fs::create_directories(root_ / "broken/metrics");
    fs::create_directories(root_ / "broken/params");
    fs::create_directories(root_ / "folder/events.out.tfevents.1");
    for (const char* name :
         {"own", "lost", "dvc", "experiment", "model", "broken", "folder", "none"})
      QVERIFY2(!sourceOf(root_ / name), name);
    QVERIFY(findRuns(root_).runs.empty());
  }

  void runsAreNamedByTheirPath() {
    writeText(root_ / "logs/a/events.out.tfevents.1", "");
    writeText(root_ / "logs/a/val/events.out.tfevents.1", "");
    writeText(root_ / "logs/.cache/events.out.tfevents.1", "");
    writeText(root_ / "own/run.json", "{}");
    writeText(root_ / "own/tb/events.out.tfevents.1", "");
    writeText(root_ / "work/20240102_030405/vis_data/scalars.json", "");
    writeText(root_ / "work/20240102_030405/vis_data/events.out.tfevents.1", "");
    makeMlFlowRun(root_ / "mlruns/1/abc");
    writeText(root_ / "mlruns/1/abc/artifacts/events.out.tfevents.1", "");
    makeMlFlowRun(root_ / "mlruns/1/old", "lifecycle_stage: deleted\n");
    const FoundRuns found = findRuns(root_);
    std::vector<std::string> names;
    for (const ForeignRun& run : found.runs) names.push_back(run.name);
    QCOMPARE(names, (std::vector<std::string>{"logs/a", "work/20240102_030405", "logs/a/val",
                                              "mlruns/1/abc"}));
    QVERIFY(found.isComplete);
    const FoundRuns own = findRuns(root_ / "logs/a");
    QCOMPARE(own.runs.at(0).name, std::string("a"));
    QCOMPARE(own.runs.at(1).name, std::string("val"));
    QCOMPARE(runIn(root_ / "logs/a/.")->name, std::string("a"));
  }

  void symlinksAreFollowedOnce() {
    writeText(root_ / "a/events.out.tfevents.1", "");
    fs::create_directory_symlink(root_, root_ / "a/up");
    fs::create_directory_symlink(root_ / "a", root_ / "b");
    fs::create_directory_symlink(root_ / "nowhere", root_ / "c");
    QTemporaryDir elsewhere;
    writeText(fs::path(elsewhere.path().toStdString()) / "run/events.out.tfevents.1", "");
    fs::create_directory_symlink(elsewhere.path().toStdString(), root_ / "d");
    const FoundRuns found = findRuns(root_);
    QCOMPARE(found.runs.size(), std::size_t{2});
    QCOMPARE(found.runs[1].name, std::string("d/run"));
  }

  void theSearchIsLimited() {
    for (int i = 0; i < 20; ++i)
      writeText(root_ / ("run" + std::to_string(i)) / "events.out.tfevents.1", "");
    writeText(root_ / "1/2/3/events.out.tfevents.1", "");
    FoundRuns found = findRuns(root_, {.depth = 6, .folders = 1000, .runs = 5});
    QCOMPARE(found.runs.size(), std::size_t{5});
    QVERIFY(!found.isComplete);
    found = findRuns(root_, {.depth = 2, .folders = 1000, .runs = 1000});
    QCOMPARE(found.runs.size(), std::size_t{20});
    QVERIFY(found.isComplete);
    QVERIFY(!findRuns(root_, {.depth = 6, .folders = 10, .runs = 1000}).isComplete);
    QVERIFY(findRuns(root_).isComplete);
    QVERIFY(findRuns(root_ / "nowhere").runs.empty());
  }

  void tensorBoardIsSummarised() {
    std::string bytes = encodeRecord(versionRecord());
    for (int step = 1; step <= 300; ++step) bytes += torchRecords(step, {{"loss", 1}});
    writeText(root_ / "events.out.tfevents.1700000000.host.1.0", bytes + bytes.substr(0, 30));
    writeText(root_ / "events.out.tfevents.1700000500.host.1.0", encodeRecord(versionRecord()));
    writeText(root_ / "hparams.yaml", "lr: 0.02\nmodel:\n  depth: 50\n");
    const ForeignRunSummary summary = summarise(*runIn(root_));
    QCOMPARE(summary.name, fs::canonical(root_).filename().string());
    QCOMPARE(summary.started, 1700000000.0);
    QVERIFY(summary.changed > 1.7e9);
    QCOMPARE(summary.lastStep, 300);
    appendBytes(root_ / "events.out.tfevents.1700000500.host.1.0",
                torchRecords(200, {{"loss", 1}}));
    QCOMPARE(summarise(*runIn(root_)).lastStep, 200);
    QVERIFY(!summary.maxSteps && !summary.state);
    QCOMPARE(parametersOf(*runIn(root_)),
             (std::map<std::string, std::string>{{"lr", "0.02"}, {"model.depth", "50"}}));
  }

  void detectron2IsSummarised() {
    std::string lines;
    for (int i = 19; i < 100'000; i += 20)
      lines += "{\"iteration\": " + std::to_string(i) + ", \"total_loss\": 0.5}\n";
    writeText(root_ / "metrics.json", lines + "broken\n{\"iteration\": 100019, \"tot");
    writeText(root_ / "config.yaml",
              "MODEL:\n  MASK_ON: true\nSOLVER:\n  MAX_ITER: 270000\n  STEPS: [210000, 250000]\n"
              "  BASE_LR: 0.02\nVERSION: 2\nINPUT:\n  MIN: !!python/tuple\n  - 640\n  - 800\n"
              "  NONE: null\n");
    const ForeignRun run = *runIn(root_);
    const ForeignRunSummary summary = summarise(run);
    QCOMPARE(summary.lastStep, 99'999);
    QCOMPARE(summary.maxSteps, 270'000);
    QVERIFY(!summary.state);
    QCOMPARE(summary.started, 0.0);
    const auto parameters = parametersOf(run);
    QCOMPARE(parameters.at("SOLVER.BASE_LR"), std::string("0.02"));
    QCOMPARE(parameters.at("SOLVER.STEPS"), std::string("[210000, 250000]"));
    QVERIFY2(contains(parameters.at("INPUT.MIN"), "[640, 800]"),
             parameters.at("INPUT.MIN").c_str());
    QCOMPARE(parameters.at("INPUT.NONE"), std::string("null"));
    QCOMPARE(parameters.at("VERSION"), std::string("2"));
  }

  void mmengineIsSummarised() {
    const fs::path run = root_ / "20240102_030405";
    writeText(run / "vis_data/scalars.json",
              "{\"loss\": 1, \"iter\": 50, \"step\": 50}\n{\"coco/segm_mAP\": 0.5, \"step\": 1}\n");
    const ForeignRunSummary summary = summarise(*runIn(run));
    QCOMPARE(summary.lastStep, 50);
    QVERIFY(summary.started > 1.704e9 && summary.started < 1.7043e9);
    QCOMPARE(summarise(*runIn(run / "vis_data")).started, summary.started);
    QVERIFY(parametersOf(*runIn(run)).empty());
  }

  void mlflowIsSummarised() {
    makeMlFlowRun(root_ / "r");
    writeText(root_ / "r/metrics/a", "1 1 5\n2 1 70\n");
    writeText(root_ / "r/metrics/b/c", "1 1 90\n1 1");
    writeText(root_ / "r/params/optim/name", "sgd");
    writeText(root_ / "r/params/lr", "0.02");
    const ForeignRun run = *runIn(root_ / "r");
    ForeignRunSummary summary = summarise(run);
    QCOMPARE(summary.name, std::string("quiet-fox-3"));
    QCOMPARE(summary.started, 1700000001.5);
    QCOMPARE(summary.lastStep, 90);
    QVERIFY(summary.state == protocol::RunState::Finished);
    QCOMPARE(parametersOf(run),
             (std::map<std::string, std::string>{{"lr", "0.02"}, {"optim/name", "sgd"}}));
    writeText(root_ / "r/tags/mlflow.runName", "renamed");
    for (const auto& [status, state] :
         std::map<int, protocol::RunState>{{1, protocol::RunState::Running},
                                           {2, protocol::RunState::Queued},
                                           {4, protocol::RunState::Failed},
                                           {5, protocol::RunState::Stopped}}) {
      writeText(root_ / "r/meta.yaml", "run_id: a\nstatus: " + std::to_string(status) + "\n");
      summary = summarise(run);
      QVERIFY(summary.state == state);
      QCOMPARE(summary.name, std::string("renamed"));
    }
  }

  void hostileParametersAreBounded() {
    writeText(root_ / "metrics.json", "");
    const ForeignRun run = *runIn(root_);
    std::string laughs = "a0: &a0 {x: 1, y: 2}\n";
    for (int i = 1; i < 30; ++i) {
      const std::string before = "*a" + std::to_string(i - 1);
      laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {x: " + before +
                ", y: " + before + "}\n";
    }
    writeText(root_ / "config.yaml", laughs);
    QVERIFY(parametersOf(run).size() <= 10'000);
    writeText(root_ / "config.yaml", std::string(100'000, '['));
    QVERIFY(contains(messageOf([&] { parametersOf(run); }), "config.yaml:1: is not valid YAML"));
    writeText(root_ / "config.yaml", "a: " + std::string(1 << 20, 'x'));
    QVERIFY(parametersOf(run).at("a").size() <= 10'000);
    writeText(root_ / "config.yaml", std::string(5 << 20, '\n'));
    QVERIFY(contains(messageOf([&] { parametersOf(run); }), "larger than 4 MiB"));
    QVERIFY(!summarise(run).maxSteps);
  }

 private:
  static void makeMlFlowRun(const fs::path& run, const std::string& more = "") {
    std::string meta = kMeta;
    if (!more.empty()) meta.replace(meta.find("lifecycle_stage: active\n"), 24, more);
    writeText(run / "meta.yaml", meta);
    for (const char* name : {"metrics", "params", "tags", "artifacts"})
      fs::create_directories(run / name);
  }

  std::unique_ptr<QTemporaryDir> folder_;
  fs::path root_;
};

LOCKSTEP_TEST(TstFindRuns)
#include "tst_find_runs.moc"
