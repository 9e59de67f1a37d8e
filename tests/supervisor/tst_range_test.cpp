#include <signal.h>

#include <QRegularExpression>
#include <QTest>

#include "engine/base/atomic_file.h"
#include "engine/config/load.h"
#include "engine/config/lr_range_test.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;

namespace {

constexpr const char* kDiverges = "state running 0\nrange-test 100\nfinish 100\n";

}  // namespace

/// `train CONFIG --find-lr`
class TstRangeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRangeTestIsARunOfItsOwn() {
    EngineBench bench;
    const std::string experiment = base::readFile(bench.config());
    bench.script(kDiverges);
    const auto result = bench.run({"train", "experiment.yaml", "--find-lr"});
    QVERIFY2(result.status == 0, result.err.c_str());
    const run_folder::Layout run = bench.onlyRun();
    QVERIFY(run.folder().filename().string().starts_with("bench-find-lr-"));
    const auto info = run_folder::readRunInfo(run);
    QCOMPARE(info.name, std::string("bench-find-lr"));
    QCOMPARE(info.state.text(), std::string("finished"));
    QVERIFY(info.isRangeTest && !info.error);
    QCOMPARE(info.maxSteps, config::kRangeTestSteps);
    QVERIFY(run_folder::checkpointFolders(run).empty());
    QCOMPARE(base::readFile(bench.config()), experiment);
    QVERIFY(contains(bench.run({"runs", "runs"}).out, "bench-find-lr"));
  }

  void theWorkerSweepsWithoutWarmUpAndEvaluation() {
    EngineBench bench;
    bench.script(kDiverges);
    const auto result = bench.run({"train", "experiment.yaml", "--find-lr", "--output", "test",
                                   "--set", "solver.warmup_steps=3"});
    QVERIFY2(result.status == 0, result.err.c_str());
    const protocol::TrainJob job = bench.lastJob();
    QVERIFY(job.isRangeTest);
    const auto tested = config::loadExperimentText(job.configYaml, "a.yaml").experiment;
    QCOMPARE(tested.solver.maxSteps.steps(), config::kRangeTestSteps);
    QCOMPARE(tested.solver.warmupSteps.steps(), std::int64_t{0});
    QVERIFY(!tested.dataset.hasHeldOut());
    QCOMPARE(tested.solver.batchSize, 2);
    QCOMPARE(base::readFile(bench.folder() / "test/config.yaml"), job.configYaml);
  }

  void standardOutputIsOneLine() {
    EngineBench bench;
    bench.script(kDiverges);
    const auto result = bench.run({"train", "experiment.yaml", "--find-lr"});
    const QRegularExpression line(
        QStringLiteral("^base_lr=([0-9.e-]+) steepest=([0-9.e-]+) diverges=([0-9.e-]+)\n$"));
    const auto match = line.match(QString::fromStdString(result.out));
    QVERIFY2(match.hasMatch(), result.out.c_str());
    const double baseLr = match.captured(1).toDouble(), diverges = match.captured(3).toDouble();
    QVERIFY2(diverges > 0.04 && diverges < 0.07, result.out.c_str());
    QVERIFY2(baseLr > 0.0025 && baseLr <= diverges / 8 * 1.01, result.out.c_str());
  }

  void aTestThatNeverDivergesSaysSo() {
    EngineBench bench;
    bench.script("state running 0\nrange-test 60\nfinish 60\n");
    const auto result = bench.run({"train", "experiment.yaml", "--find-lr"});
    QCOMPARE(result.status, 0);
    QVERIFY2(result.out.ends_with(" diverges=none\n"), result.out.c_str());
  }

  void theRisingLossRaisesNoAlert() {
    EngineBench bench;
    bench.script(kDiverges);
    QCOMPARE(bench.run({"train", "experiment.yaml", "--find-lr"}).status, 0);
    int steps = 0;
    for (const events::Record& record : tests::recordsOf(bench.onlyRun())) {
      QVERIFY2(!contains(record.json, R"("alert")"), record.json.c_str());
      if (record.kind == events::Record::Kind::Scalars) ++steps;
    }
    QCOMPARE(steps, 100);
  }

  void aStoppedTestSuggestsNothing() {
    EngineBench bench;
    bench.script("state running 0\nrange-test 100\nwait stop\nfinish 100 stopped\n");
    const auto engine = bench.start({"train", "experiment.yaml", "--find-lr"});
    QVERIFY(bench.waitForState("running"));
    ::kill(static_cast<pid_t>(engine->processId()), SIGINT);
    const auto result = EngineBench::finish(*engine);
    QVERIFY2(result.status == 75, result.err.c_str());
    QCOMPARE(result.out, std::string());
    QVERIFY2(contains(result.err, "stopping the learning-rate range test (SIGINT)") &&
                 contains(result.err, "learning-rate range test stopped at step 100"),
             result.err.c_str());
    QVERIFY(!contains(result.err, "checkpoint"));
    QCOMPARE(run_folder::readRunInfo(bench.onlyRun()).state.text(), std::string("stopped"));
  }

  void aFailedTestSuggestsNothing() {
    EngineBench bench;
    bench.script("state running 0\nrange-test 100\nfail 1 no luck\n");
    const auto result = bench.run({"train", "experiment.yaml", "--find-lr"});
    QCOMPARE(result.status, 1);
    QCOMPARE(result.out, std::string());
    QVERIFY2(contains(result.err, "no luck"), result.err.c_str());
  }

  void aLogWithoutStepsIsAFailure() {
    EngineBench bench;
    bench.script("state running 0\nfinish 140\n");
    const auto result = bench.run({"train", "experiment.yaml", "--find-lr"});
    QCOMPARE(result.status, 1);
    QVERIFY2(contains(result.err, "the event log lacks steps of the range test"),
             result.err.c_str());
  }

  void aTestIsNeverResumed_data() {
    QTest::addColumn<QString>("line");
    QTest::newRow("in its folder") << "train test --resume";
    QTest::newRow("as the output") << "train experiment.yaml --output test --resume";
  }
  void aTestIsNeverResumed() {
    QFETCH(QString, line);
    EngineBench bench;
    bench.script("state running 0\nrange-test 10\nfinish 10 stopped\n");
    QCOMPARE(bench.run({"train", "experiment.yaml", "--find-lr", "--output", "test"}).status, 75);
    const fs::path runJson = bench.folder() / "test/run.json";
    const std::string before = base::readFile(runJson);
    std::vector<std::string> words;
    for (const QString& word : line.split(QLatin1Char(' '))) words.push_back(word.toStdString());
    const auto result = bench.run(words);
    QCOMPARE(result.status, 2);
    QVERIFY2(contains(result.err, "is a learning-rate range test, which cannot be resumed"),
             result.err.c_str());
    QCOMPARE(base::readFile(runJson), before);
  }

  void otherRunsAreNotTouched() {
    EngineBench bench;
    bench.script("state running 0\nscalars 1 6\ncheckpoint 6 last\nfinish 6\n");
    QCOMPARE(bench.run({"train", "experiment.yaml"}).status, 0);
    const run_folder::Layout other = bench.onlyRun();
    const std::string before = base::readFile(other.runJson());
    const auto events = tests::recordsOf(other).size();
    bench.script(kDiverges);
    QCOMPARE(bench.run({"train", "experiment.yaml", "--find-lr"}).status, 0);
    QCOMPARE(run_folder::listRuns(bench.folder() / "runs").size(), std::size_t{2});
    QCOMPARE(base::readFile(other.runJson()), before);
    QCOMPARE(tests::recordsOf(other).size(), events);
    QCOMPARE(run_folder::checkpointSteps(other), std::vector<std::int64_t>{6});
  }
};

LOCKSTEP_TEST(TstRangeTest)
#include "tst_range_test.moc"
