#include <QTest>
#include <algorithm>
#include <fstream>

#include "engine/base/atomic_file.h"
#include "engine/run_folder/training_state.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;

namespace {

constexpr const char* kForkedRun =
    "state running 0\nscalars 1 2\neval 2 0.5 0.5 best\npredictions 2\ncheckpoint 2 best\nscalars "
    "3 "
    "4\neval 4 0.4 0.25\npredictions 4\ncheckpoint 4\nscalars 5 6\neval 6 0.3 0.75 "
    "best\ncheckpoint 6 "
    "best last\nfinish 6\n";
constexpr const char* kGoesOnFromFour =
    "state running 4\nscalars 5 6\ncheckpoint 6 last\nfinish 6\n";

}  // namespace

/// `train RUN --from STEP`: another run that begins where a run was.
class TstFork : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    trained_.script(kForkedRun);
    const auto first =
        trained_.run({"train", "experiment.yaml", "--output", "run", "--set", "checkpoint.keep=5"});
    QVERIFY2(first.status == 0, first.err.c_str());
  }
  void init() {
    bench_ = std::make_unique<EngineBench>();
    fs::copy(trained_.folder() / "run", run().folder(), fs::copy_options::recursive);
    before_ = base::readFile(run().runJson());
  }

  void forkStartsWithTheHistoryUpToTheStep() {
    bench_->script(kGoesOnFromFour);
    const auto result = bench_->run(
        {"train", "run", "--from", "4", "--output", "fork", "--set", "solver.base_lr=0.001"});
    QVERIFY2(result.status == 0, result.err.c_str());
    const run_folder::Layout fork(bench_->folder() / "fork");
    const protocol::TrainJob job = bench_->lastJob();
    QCOMPARE(job.resumeFrom, fork.checkpoint(4).string());
    QVERIFY(contains(job.configYaml, "base_lr: 0.001"));
    QVERIFY(fs::exists(fork.evaluation(4)) && fs::exists(fork.predictions(2)) &&
            fs::exists(fork.predictions(4)));
    QVERIFY2(!fs::exists(fork.evaluation(6)), "what came after is not its own");
    QVERIFY(!fs::exists(fork.checkpoint(2)));
    const auto info = run_folder::readRunInfo(fork);
    QCOMPARE(info.attempt, 1);
    QCOMPARE(info.state.text(), std::string("finished"));
    QVERIFY2(!info.best, "that of the other run is not its own");
    bool isReported = false;
    for (const auto& record : tests::recordsOf(fork)) {
      isReported |= contains(record.json, "starts from step 4 of ") &&
                    contains(record.json, "solver.base_lr: 0.02 -> 0.001");
    }
    QCOMPARE(tests::trainedSteps(fork), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
    QVERIFY(isReported);
    QVERIFY2(base::readFile(run().runJson()) == before_, "the run it came from is as it was");
    QVERIFY(fs::exists(run().checkpoint(6)) && fs::exists(run().evaluation(6)));
  }

  /// The other run had a better one, at the step where the fork begins.
  void theBestEvaluationIsTheForksOwn() {
    bench_->script(
        "state running 6\nscalars 7 7\neval 7 0.2 0.25 best\ncheckpoint 7 best\n"
        "scalars 8 8\ncheckpoint 8 last\nfinish 8\n");
    const auto result = bench_->run(
        {"train", "run", "--from", "best", "--output", "fork", "--set", "solver.max_steps=8"});
    QVERIFY2(result.status == 0, result.err.c_str());
    const run_folder::Layout fork(bench_->folder() / "fork");
    QVERIFY2(!run_folder::readTrainingState(fork.checkpoint(6)).best, "for the worker");
    QVERIFY(run_folder::readTrainingState(run().checkpoint(6)).best);
    const auto info = run_folder::readRunInfo(fork);
    QVERIFY(info.best && info.best->step == 7);
    QCOMPARE(info.best->value, 0.25);
    bench_->script("state running 6\nscalars 7 8\ncheckpoint 8 last\nfinish 8\n");
    const auto none = bench_->run(
        {"train", "run", "--from", "best", "--output", "none", "--set", "solver.max_steps=8"});
    QVERIFY2(none.status == 0, none.err.c_str());
    QVERIFY(!run_folder::readRunInfo(run_folder::Layout(bench_->folder() / "none")).best);
  }

  void laterStepsOfTheOtherRunAreNotCopied() {
    bench_->script("state running 0\nscalars 1 2\ncheckpoint 2\nscalars 3 3\nkill 9\n");
    QCOMPARE(bench_->run({"train", "experiment.yaml", "--output", "failed"}).status, 1);
    bench_->script("state running 2\nscalars 3 6\ncheckpoint 6 last\nfinish 6\n");
    const auto result = bench_->run({"train", "failed", "--from", "2", "--output", "fork"});
    QVERIFY2(result.status == 0, result.err.c_str());
    const run_folder::Layout fork(bench_->folder() / "fork");
    QCOMPARE(tests::trainedSteps(fork), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
    for (const auto& record : tests::recordsOf(fork))
      QVERIFY2(!contains(record.json, "run_failed"), record.json.c_str());
  }

  void bestAndLastAreSteps() {
    bench_->script(kGoesOnFromFour);
    QCOMPARE(bench_
                 ->run({"train", "run", "--from", "last", "--output", "a", "--set",
                        "solver.max_steps=8"})
                 .status,
             0);
    QVERIFY(contains(bench_->lastJob().resumeFrom, "a/checkpoints/step-00000006"));
    const auto result = bench_->run({"train", "run", "--from", "best"});
    QVERIFY2(result.status == 0, result.err.c_str());
    QVERIFY(contains(bench_->lastJob().resumeFrom, "/runs/"));
  }

  void failedForkLeavesNothing_data() {
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* arguments, int status, const char* expected) {
      QTest::newRow(arguments) << QString::fromLatin1(arguments) << status
                               << QString::fromLatin1(expected);
    };
    row("run --from 3", 2, "no complete checkpoint of step 3; available: best (step 6)");
    row("run --from soon", 2, "soon");
    row("run --from 4 --resume", 2, "give only one of them");
    row("experiment.yaml --from 4", 2, "is an experiment file");
    row("run --from 4 --set solver.max_steps=3", 2,
        "solver.max_steps is 3, but the checkpoint is at step 4; give at least 4");
    row("run --from 4 --set solver.no=3", 2, "solver.no");
    row("run --from 2 --output run", 2, "already exists; choose another folder");
  }
  void failedForkLeavesNothing() {
    QFETCH(QString, arguments);
    QFETCH(int, status);
    QFETCH(QString, expected);
    std::vector<std::string> words{"train"};
    for (const QString& word : arguments.split(QLatin1Char(' ')))
      words.push_back(word.toStdString());
    const auto result = bench_->run(words);
    QCOMPARE(result.status, status);
    QVERIFY2(contains(result.err, expected.toStdString()), result.err.c_str());
    QVERIFY(!fs::exists(bench_->folder() / "runs") || fs::is_empty(bench_->folder() / "runs"));
  }

  void aDamagedCheckpointIsRefused() {
    std::ofstream(run().checkpoint(4) / "model.safetensors") << "x";
    const auto result = bench_->run({"train", "run", "--from", "4", "--output", "fork"});
    QCOMPARE(result.status, 1);
    QVERIFY2(contains(result.err, "checksum mismatch"), result.err.c_str());
    QVERIFY(!fs::exists(bench_->folder() / "fork"));
  }

  void aModelThatDoesNotFitIsRefusedBeforeAnythingIsCreated() {
    bench_->script("fail 2 weights do not match the model\n", "check");
    const auto result = bench_->run({"train", "run", "--from", "4", "--output", "fork"});
    QCOMPARE(result.status, 2);
    QVERIFY2(contains(result.err, "weights do not match the model"), result.err.c_str());
    QVERIFY(!fs::exists(bench_->folder() / "fork"));
  }

 private:
  run_folder::Layout run() const { return run_folder::Layout(bench_->folder() / "run"); }

  EngineBench trained_;  ///< has the run that is forked; copies read its data
  std::unique_ptr<EngineBench> bench_;
  std::string before_;
};

LOCKSTEP_TEST(TstFork)
#include "tst_fork.moc"
