#include <QTest>
#include <algorithm>
#include <fstream>
#include <sstream>

#include "engine/base/atomic_file.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;

namespace {

constexpr const char* kWholeRun =
    "state running 0\n"
    "scalars 1 2\neval 2 0.9 0.25 best\npredictions 2\ncheckpoint 2 best\n"
    "scalars 3 4\neval 4 0.8 0.125\ncheckpoint 4\n"
    "scalars 5 6\neval 6 0.7 0.1875\ncheckpoint 6 last\n"
    "finish 6\n";

/// `scalars 1`, `event checkpoint 2`: the log as one line a record.
std::vector<std::string> outline(const run_folder::Layout& layout) {
  std::vector<std::string> lines;
  for (const events::Record& record : tests::recordsOf(layout)) {
    if (record.kind == events::Record::Kind::Scalars) {
      lines.push_back("scalars " + std::to_string(record.step));
    } else if (record.kind == events::Record::Kind::Event) {
      const auto message =
          protocol::decodeEvent(record.json, record.seq, record.step, record.wallTime);
      const auto named = [&](const std::string& name) {
        lines.push_back(name + " " + std::to_string(record.step));
      };
      if (const auto* state = std::get_if<protocol::State>(&message)) named(state->state.text());
      if (std::holds_alternative<protocol::Evaluation>(message)) named("evaluation");
      if (std::holds_alternative<protocol::Predictions>(message)) named("predictions");
      if (const auto* kept = std::get_if<protocol::Checkpoint>(&message))
        named(kept->best ? "best" : "checkpoint");
    }
  }
  return lines;
}

}  // namespace

class TstTrainingRun : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void finishedRunHasEveryFile() {
    EngineBench bench;
    bench.script(kWholeRun);
    const auto result = bench.run({"train", "experiment.yaml"});
    QVERIFY2(result.status == 0, result.err.c_str());
    const auto run = bench.onlyRun();
    for (const char* name :
         {"config.yaml", "run.json", "run.lock", "engine.log", "rank-0.log",
          "evaluations/step-00000002.json", "evaluations/step-00000006.json",
          "predictions/step-00000002.json", "checkpoints/step-00000006/model.safetensors"}) {
      QVERIFY2(fs::exists(run.folder() / name), name);
    }
    const auto info = run_folder::readRunInfo(run);
    QCOMPARE(info.state.text(), std::string("finished"));
    QCOMPARE(info.step, std::int64_t{6});
    QCOMPARE(info.maxSteps, std::int64_t{6});
    QCOMPARE(info.attempt, 1);
    QVERIFY(info.best && info.best->step == 2 && info.best->metric == "segm/AP" &&
            info.best->value == 0.25);
    QVERIFY(!info.error);
    QVERIFY(info.finished >= info.started && info.started >= info.created);
    QVERIFY(!run_folder::RunLock::isHeld(run));
    QVERIFY2(!fs::exists(info.socket), "the socket goes with the run");
  }

  void pruningKeepsTheNewestAndTheBest() {
    EngineBench bench;
    std::string script = "state running 0\n";
    for (int step = 1; step <= 6; ++step) {
      const std::string s = std::to_string(step);
      script += "scalars " + s + " " + s + "\n" + (step == 2 ? "eval 2 0.5 0.5 best\n" : "") +
                "checkpoint " + s + (step == 2 ? " best\n" : "\n");
    }
    bench.script(script + "finish 6\n");
    QCOMPARE(bench.run({"train", "experiment.yaml"}).status, 0);
    QCOMPARE(run_folder::checkpointSteps(bench.onlyRun()), (std::vector<std::int64_t>{2, 5, 6}));
    for (const auto& entry : fs::directory_iterator(bench.onlyRun().checkpoints())) {
      QVERIFY2(!entry.path().filename().string().starts_with("."), "nothing half-removed stays");
    }
  }

  void logHasTheOrderOfTheBoundary() {
    EngineBench bench;
    bench.script(kWholeRun);
    QCOMPARE(bench.run({"train", "experiment.yaml"}).status, 0);
    const std::vector<std::string> expected{
        "starting 0", "running 0",    "scalars 1",    "scalars 2",     "evaluating 2",
        "scalars 2",  "evaluation 2", "running 2",    "predictions 2", "best 2",
        "scalars 3",  "scalars 4",    "evaluating 4", "scalars 4",     "evaluation 4",
        "running 4",  "checkpoint 4", "scalars 5",    "scalars 6",     "evaluating 6",
        "scalars 6",  "evaluation 6", "running 6",    "checkpoint 6",  "finished 6"};
    QCOMPARE(outline(bench.onlyRun()), expected);
  }

  void anAlertFollowsTheEvaluationThatRaisesIt() {
    EngineBench bench;
    bench.script(
        "state running 0\nscalars 1 2\neval 2 0.5 0.1\nscalars 3 4\neval 4 0.6 0.1\n"
        "scalars 5 6\neval 6 0.7 0.1\nfinish 6\n");
    const std::string lines =
        bench.run({"train", "experiment.yaml", "--set", "solver.warmup_steps=1"}).err;
    const std::size_t evaluation = lines.find("evaluation step=6 ");
    const std::size_t alert = lines.find("alert kind=overfitting step=6: ");
    QVERIFY2(evaluation < alert && alert != std::string::npos, lines.c_str());
    QVERIFY2(contains(lines, " Remedy: solver.max_steps=2\n"), lines.c_str());
  }

  void plainLinesCanBeScraped() {
    EngineBench bench;
    bench.script(kWholeRun);
    const auto result = bench.run({"train", "experiment.yaml"});
    QVERIFY2(
        contains(result.err,
                 "step=2 max_steps=6 loss_total=0.5 lr=0.01 images_per_second=4 eta_seconds=2\n"),
        result.err.c_str());
    QVERIFY(contains(
        result.err,
        "step=6 max_steps=6 loss_total=0.166667 lr=0.01 images_per_second=4 eta_seconds=0\n"));
    QVERIFY2(!contains(result.err, "step=1 "), "lines come once a log interval");
    QVERIFY(contains(result.err, "evaluation step=4 loss_total=0.8 segm/AP=0.125 bbox/AP=0.125\n"));
    const std::string log = base::readFile(bench.onlyRun().engineLog());
    QVERIFY2(contains(log, "step=4 max_steps=6"), "engine.log has them too");
  }

  void everyOtherLineNamesItsSource() {
    EngineBench bench;
    bench.script(std::string("log info hello\nstderr [data] warning: odd\nbroken-checkpoint 1\n") +
                 kWholeRun);
    QCOMPARE(bench.run({"train", "experiment.yaml"}).status, 0);
    std::istringstream log(base::readFile(bench.onlyRun().engineLog()));
    int taggedLines = 0;
    for (std::string line; std::getline(log, line); taggedLines += line.starts_with("["))
      QVERIFY2(line.starts_with("[") || line.starts_with("step="), line.c_str());
    QVERIFY(taggedLines >= 10);
  }

  void resultsGoToStandardOutput() {
    EngineBench bench;
    bench.script(kWholeRun);
    const auto result = bench.run({"train", "experiment.yaml"});
    QVERIFY(contains(result.out, "run: " + bench.onlyRun().folder().string() + "\n"));
    QVERIFY(contains(result.out, "state: finished\n"));
    QVERIFY(contains(result.out, "steps: 6 of 6\n"));
    QVERIFY(contains(result.out, "best segm/AP: 0.25 at step 2\n"));
    QVERIFY(contains(result.out, "validation loss_total: 0.7\n"));
    QVERIFY(contains(result.out, "segm/AP: 0.1875\n"));
  }

  void aTrainingNeedsNoReaderOfItsOutput_data() {
    QTest::addColumn<QString>("output");
    QTest::newRow("a pipe that nobody reads") << QStringLiteral(">&3 2>&3");
    QTest::newRow("standard output alone") << QStringLiteral(">&3");
    QTest::newRow("closed") << QStringLiteral(">&- 2>&-");
    QTest::newRow("detached") << QStringLiteral("--detach >&3 2>&3");
  }
  void aTrainingNeedsNoReaderOfItsOutput() {
    QFETCH(QString, output);
    EngineBench bench;
    bench.script(kWholeRun);
    const auto result = bench.runScript(
        "exec 3> >(true); wait $!\nlockstep-engine train experiment.yaml --output runs/one " +
        output.toStdString());
    QCOMPARE(result.status, 0);
    QVERIFY(bench.waitForState("finished"));
    const run_folder::Layout run = bench.onlyRun();
    // A detached run writes the end of its log after run.json.
    QTRY_VERIFY_WITH_TIMEOUT(!run_folder::RunLock::isHeld(run), 10000);
    QCOMPARE(outline(run).back(), std::string("finished 6"));
    QVERIFY2(fs::is_empty(run.lock()), "no file of the run gets what is printed");
  }

  void textsOfWorkersDoNotControlTheTerminal() {
    EngineBench bench;
    bench.script("log warning a\x1b[2Jb\nfinish 6\n");
    const auto result = bench.run({"train", "experiment.yaml", "--output", "run"});
    for (const std::string& text : {result.err, base::readFile(bench.folder() / "run/engine.log")})
      QVERIFY2(contains(text, "a\\x1b[2Jb") && !contains(text, "\x1b"), text.c_str());
  }

  void configInTheFolderIsCompleteAndResolved() {
    EngineBench bench;
    bench.script("finish 3\n");
    const auto result =
        bench.run({"train", "experiment.yaml", "--set", "solver.max_steps=3 epochs", "--set",
                   "runtime.device=auto", "--set", "runtime.cpu_threads=0"});
    QVERIFY2(result.status == 0, result.err.c_str());
    const std::string config = base::readFile(bench.onlyRun().config());
    QVERIFY2(contains(config, "max_steps: 6"), "3 epochs of 4 images in twos");
    QVERIFY(contains(config, "workers: 1"));
    QVERIFY(!contains(config, "cpu_threads: 0"));
    QVERIFY(!contains(config, "device: auto"));
    QVERIFY(contains(config, (bench.folder() / "train.json").string()));
  }

  void outputNamesTheFolder() {
    EngineBench bench;
    bench.script("finish 6\n");
    QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "deep/er/run"}).status, 0);
    QVERIFY(run_folder::isRunFolder(bench.folder() / "deep/er/run"));
    const auto again = bench.run({"train", "experiment.yaml", "--output", "deep/er/run"});
    QCOMPARE(again.status, 2);
    QVERIFY2(contains(again.err, "--resume"), again.err.c_str());
  }

  void workerGetsTheJobAndItsLogIsKept() {
    EngineBench bench;
    bench.script(
        "stderr [data] warning: a.jpg is truncated\nstderr [data] plain\n"
        "log warning validation part is small\nfinish 6\n");
    const auto result = bench.run({"train", "experiment.yaml"});
    QCOMPARE(base::readFile(bench.onlyRun().rankLog(0)),
             std::string("[data] warning: a.jpg is truncated\n[data] plain\n"));
    QVERIFY2(contains(result.err, "[data] warning: a.jpg is truncated\n"),
             "warnings reach the person");
    QVERIFY(!contains(result.err, "[data] plain"));
    QVERIFY(contains(result.err, "warning: validation part is small\n"));
    const auto lines = bench.received();
    QVERIFY(std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return contains(line, "\"train\"") && contains(line, bench.onlyRun().folder().string());
    }));
  }

  void aRestartThatFailsIsReportedAndRecorded() {
    EngineBench bench;
    // A folder stands where the restart reads which images were left out.
    bench.script("state running 0\nscalars 1 1\nmkdir bad_images.jsonl\nkill 9\n");
    const auto result = bench.run(
        {"train", "experiment.yaml", "--output", "one", "--set", "runtime.max_restarts=1"});
    QCOMPARE(result.status, 1);
    const std::string fault = "the run cannot be restarted: ";
    QVERIFY2(contains(result.err, fault) && contains(result.err, "one/bad_images.jsonl"),
             result.err.c_str());
    const run_folder::Layout run(bench.folder() / "one");
    const auto info = run_folder::readRunInfo(run);
    QCOMPARE(info.state.text(), std::string("failed"));
    QVERIFY(info.error && contains(info.error->message, "SIGKILL"));
    const auto lines = outline(run);
    QVERIFY(!lines.empty());
    QCOMPARE(lines.back(), std::string("failed 0"));
    QVERIFY(contains(base::readFile(run.engineLog()), fault));
  }

  void anUnwritableRankLogFailsTheRun() {
    EngineBench bench;
    bench.script("finish 6\n");
    fs::create_directories(bench.folder() / "one/rank-0.log");  // a folder stands in its place
    const auto result = bench.run({"train", "experiment.yaml", "--output", "one", "--resume"});
    QCOMPARE(result.status, 1);
    QVERIFY2(contains(result.err, "one/rank-0.log: is a folder; expected a regular file"),
             result.err.c_str());
    QCOMPARE(run_folder::readRunInfo(run_folder::Layout(bench.folder() / "one")).state.text(),
             std::string("failed"));
  }

  void anInvalidExperimentLeavesNothing() {
    EngineBench bench;
    const auto result = bench.run({"train", "experiment.yaml", "--set", "solver.base_lr=-1"});
    QCOMPARE(result.status, 2);
    QVERIFY2(contains(result.err, "solver.base_lr"), result.err.c_str());
    QVERIFY(!fs::exists(bench.folder() / "runs"));
  }

  void weightsThatDoNotFitLeaveNothing() {
    EngineBench bench;
    std::ofstream(bench.folder() / "w.safetensors") << "weights";
    bench.script("fail 2 weights do not match the model\n", "check");
    const std::vector<std::string> line{"train", "experiment.yaml", "--set",
                                        "model.weights=w.safetensors"};
    const auto refused = bench.run(line);
    QCOMPARE(refused.status, 2);
    QVERIFY2(contains(refused.err, "weights do not match the model"), refused.err.c_str());
    QVERIFY(!fs::exists(bench.folder() / "runs"));
    bench.script("finish 0\n", "check");
    bench.script("finish 6\n");
    const auto trained = bench.run(line);
    QVERIFY2(trained.status == 0, trained.err.c_str());
  }

  void missingWorkerIsReportedBeforeAnythingIsCreated() {
    EngineBench bench;
    bench.removeWorker();
    const auto result = bench.run({"train", "experiment.yaml"});
    QCOMPARE(result.status, 1);
    QVERIFY2(contains(result.err, "lockstep-worker"), result.err.c_str());
    QVERIFY(!fs::exists(bench.folder() / "runs"));
  }
};

LOCKSTEP_TEST(TstTrainingRun)
#include "tst_training_run.moc"
