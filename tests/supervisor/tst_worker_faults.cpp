#include <QTest>

#include "engine/base/atomic_file.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;

class TstWorkerFaults : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRunFolderThatIsGoneEndsTheRun_data() {
    QTest::addColumn<bool>("isRenamed");
    QTest::addColumn<bool>("isReplaced");
    QTest::newRow("removed") << false << false;
    QTest::newRow("renamed") << true << false;
    QTest::newRow("removed, and another one at its path") << false << true;
    QTest::newRow("renamed, and another one at its path") << true << true;
  }
  void aRunFolderThatIsGoneEndsTheRun() {
    QFETCH(bool, isRenamed);
    QFETCH(bool, isReplaced);
    EngineBench bench;
    bench.script("state running 0\nscalars 1 3\nhang\n");
    const auto engine = bench.start({"train", "experiment.yaml", "--output", "runs/one"});
    QVERIFY(bench.waitForState("running"));
    const int worker = bench.workerPid();
    const auto run = bench.folder() / "runs/one", elsewhere = bench.folder() / "elsewhere";
    isRenamed ? std::filesystem::rename(run, elsewhere) : void(std::filesystem::remove_all(run));
    const std::vector<const char*> files{"run.json", "engine.log"};
    if (isReplaced) {
      std::filesystem::create_directories(run);
      for (const char* file : files) base::writeFileAtomically(run / file, "of another run");
    }
    const auto result = EngineBench::finish(*engine);
    QCOMPARE(result.status, 1);
    QVERIFY2(contains(result.err, "runs/one: the run folder was removed or renamed"),
             result.err.c_str());
    QVERIFY(!tests::isAlive(worker));
    QCOMPARE(std::filesystem::exists(run), isReplaced);
    if (!isReplaced) return;
    for (const char* file : files) QCOMPARE(base::readFile(run / file), "of another run");
  }

  void retryableFailureSaysHowToResume_data() {
    QTest::addColumn<QString>("end");
    QTest::addColumn<bool>("hasCommand");
    QTest::newRow("killed") << "kill 9\n" << true;
    QTest::newRow("crashed") << "kill 11\n" << true;
    QTest::newRow("ended without a word") << "exit 3\n" << true;
    QTest::newRow("stalled") << "hang\n" << true;
    QTest::newRow("content") << "fail 1 a.json is truncated\n" << false;
  }
  void retryableFailureSaysHowToResume() {
    QFETCH(QString, end);
    QFETCH(bool, hasCommand);
    EngineBench bench;
    bench.script("state running 0\nscalars 1 4\ncheckpoint 4\nheartbeat 5 forward\n" +
                 end.toStdString());
    const auto result = bench.run(
        {"train", "experiment.yaml", "--output", "run", "--set", "runtime.stall_seconds=1"});
    QCOMPARE(result.status, 1);
    const std::string how = "; `lockstep-engine train " + (bench.folder() / "run").string() +
                            " --resume` resumes from step 4";
    QVERIFY2(contains(result.err, how) == hasCommand, result.err.c_str());
    const auto info = run_folder::readRunInfo(run_folder::Layout(bench.folder() / "run"));
    QVERIFY2(contains(info.error->message, how) == hasCommand, info.error->message.c_str());
  }

  void errorReachesRunJsonAndTheExitStatus_data() {
    QTest::addColumn<QString>("script");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("cause");
    const QString begin = QStringLiteral("state running 0\nscalars 1 3\nheartbeat 3 forward\n");
    const auto row = [&](const char* name, const char* script, int status, const char* message,
                         const char* cause) {
      QTest::newRow(name) << begin + QString::fromUtf8(script) << status
                          << QString::fromUtf8(message) << QString::fromUtf8(cause);
    };
    row("killed", "kill 9\n", 1, "SIGKILL (out of memory?)", "SIGKILL");
    row("crashed", "kill 11\n", 1, "SIGSEGV", "SIGSEGV");
    row("ended without a word", "exit 3\n", 1, "exit status 3", "exit status 3");
    row("ended well without a word", "exit 0\n", 1, "exit status 0", "exit status 0");
    row("content", "fail 1 a.jpg is truncated\n", 1, "a.jpg is truncated", "error");
    row("user error", "fail 2 weights do not fit the model\n", 2, "weights do not fit", "error");
    row("no message", "raw {\"v\":1,\"type\":\"nonsense\"}\nhang\n", 1, "cannot be read",
        "protocol");
    row("no JSON", "raw hello\nhang\n", 1, "cannot be read", "protocol");
    row("too long a line", "long-line 2000000\nhang\n", 1, "1 MiB", "protocol");
  }
  void errorReachesRunJsonAndTheExitStatus() {
    QFETCH(QString, script);
    QFETCH(int, status);
    QFETCH(QString, message);
    QFETCH(QString, cause);
    EngineBench bench;
    bench.script(script.toStdString());
    const auto result = bench.run({"train", "experiment.yaml"});
    QVERIFY2(result.status == status, result.err.c_str());
    const auto info = run_folder::readRunInfo(bench.onlyRun());
    QCOMPARE(info.state.text(), std::string("failed"));
    QVERIFY(info.error);
    QVERIFY2(contains(info.error->message, message.toStdString()), info.error->message.c_str());
    QCOMPARE(info.error->cause.text(), cause.toStdString());
    QCOMPARE(info.error->rank, 0);
    QCOMPARE(info.error->step, std::int64_t{3});
    QCOMPARE(info.error->phase.text(), std::string("forward"));
    QVERIFY2(contains(result.err, message.toStdString()), "the person reads it too");
    QVERIFY(!tests::isAlive(bench.workerPid()));
    auto records = tests::recordsOf(bench.onlyRun());
    std::erase_if(records, [](const events::Record& record) {
      return record.kind != events::Record::Kind::Event;
    });
    QVERIFY2(contains(records.back().json, "failed"), "clients and replays see it");
  }

  void machineFailureSaysHowToResume_data() {
    QTest::addColumn<QString>("cause");
    QTest::addColumn<bool>("hasLauncher");
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("remedy");
    const auto row = [](const char* name, const char* cause, bool hasLauncher, const char* folder,
                        const char* remedy) {
      QTest::newRow(name) << QString::fromUtf8(cause) << hasLauncher << QString::fromUtf8(folder)
                          << QString::fromUtf8(remedy);
    };
    row("GPU", "gpu", false, "run",
        "; `lockstep-engine train DIR/run --resume` resumes from step 2");
    row("peer", "lost-peer", false, "a b's run",
        "; `lockstep-engine train 'DIR/a b'\\''s run' --resume` resumes from step 2");
    row("memory", "out-of-memory", false, "run",
        "; `lockstep-engine train DIR/run --from 2 --set KEY=VALUE` starts a new run from step 2");
    row("GPU under torchrun", "gpu", true, "run",
        "; restarted by torchrun, `lockstep-engine train DIR/run --resume` resumes from step 2");
    row("memory under torchrun", "out-of-memory", true, "run",
        "; restarted by torchrun, `lockstep-engine train DIR/run --from 2 --set KEY=VALUE` starts "
        "a new run from step 2");
  }
  void machineFailureSaysHowToResume() {
    QFETCH(QString, cause);
    QFETCH(bool, hasLauncher);
    QFETCH(QString, folder);
    QFETCH(QString, remedy);
    EngineBench bench;
    if (hasLauncher) {
      for (const auto& [name, value] :
           {std::pair{"RANK", "0"}, {"LOCAL_RANK", "0"}, {"WORLD_SIZE", "1"}})
        bench.setVariable(name, value);
    }
    bench.script("state running 0\nscalars 1 2\ncheckpoint 2\nfailed " + cause.toStdString() +
                 " 1 no more\nexit 1\n");
    const auto result = bench.run({"train", "experiment.yaml", "--output", folder.toStdString()});
    QCOMPARE(result.status, 1);
    remedy.replace(QStringLiteral("DIR"), QString::fromStdString(bench.folder().string()));
    QVERIFY2(contains(result.err, remedy.toStdString() + "\n"), result.err.c_str());
    const auto info =
        run_folder::readRunInfo(run_folder::Layout(bench.folder() / folder.toStdString()));
    QVERIFY2(info.error->message.ends_with(remedy.toStdString()), info.error->message.c_str());
  }

  void aRunOutOfMemoryIsForkedWithASmallerBatch() {
    EngineBench bench;
    bench.script(
        "state running 0\nscalars 1 2\ncheckpoint 2\nfailed out-of-memory 1 full\nexit 1\n");
    QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "run"}).status, 1);
    bench.script("state running 2\nscalars 3 6\ncheckpoint 6 last\nfinish 6\n");
    const std::vector<std::string> resume{"train", "run", "--resume", "--set",
                                          "solver.batch_size=1"};
    QCOMPARE(bench.run(resume).status, 2);
    for (const char* change :
         {"solver.batch_size=1", "solver.accumulate=2", "augment.min_size=[32]",
          "model.box_head.batch_size_per_image=64", "runtime.precision=bf16"}) {
      const auto result = bench.run({"train", "run", "--from", "2", "--set", change});
      QVERIFY2(result.status == 0, (change + (": " + result.err)).c_str());
    }
  }

  void crashPointsToTheRanksLog() {
    EngineBench bench;
    bench.script("stderr terminate called after throwing\nkill 6\n");
    const auto result = bench.run({"train", "experiment.yaml"});
    QVERIFY2(contains(result.err, bench.onlyRun().rankLog(0).string()), result.err.c_str());
  }

  void hangingWorkerIsKilledAfterTheStallTime() {
    EngineBench bench;
    bench.script("state running 0\nscalars 1 2\nheartbeat 3 backward\nhang\n");
    const auto result = bench.run({"train", "experiment.yaml", "--set", "runtime.stall_seconds=1"});
    QCOMPARE(result.status, 1);
    const auto info = run_folder::readRunInfo(bench.onlyRun());
    QCOMPARE(info.state.text(), std::string("failed"));
    QVERIFY(info.error && info.error->cause.text() == "stalled");
    QVERIFY2(contains(info.error->message, "stall_seconds"), info.error->message.c_str());
    QCOMPARE(info.error->phase.text(), std::string("backward"));
    QVERIFY(!tests::isAlive(bench.workerPid()));
  }

  void lostCheckpointIsAnAlertAndTrainingContinues() {
    EngineBench bench;
    bench.script(
        "state running 0\nscalars 1 2\nbroken-checkpoint 2\nscalars 3 6\ncheckpoint 6 last\nfinish "
        "6\n");
    const auto result = bench.run({"train", "experiment.yaml"});
    QVERIFY2(result.status == 0, result.err.c_str());
    QVERIFY2(contains(result.err, "alert kind=checkpoint_failed step=2"), result.err.c_str());
    QCOMPARE(run_folder::readRunInfo(bench.onlyRun()).state.text(), std::string("finished"));
  }

  void lostLastCheckpointFailsTheRun() {
    EngineBench bench;
    bench.script("state running 0\nscalars 1 6\nbroken-checkpoint 6 last\nfinish 6\n");
    const auto result = bench.run({"train", "experiment.yaml"});
    QCOMPARE(result.status, 1);
    const auto info = run_folder::readRunInfo(bench.onlyRun());
    QCOMPARE(info.state.text(), std::string("failed"));
    QVERIFY(info.error && info.error->cause.text() == "checkpoint");
  }
};

LOCKSTEP_TEST(TstWorkerFaults)
#include "tst_worker_faults.moc"
