#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include <QTest>

#include "engine/supervisor/stop_signals.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::EngineBench;

class TstStopping : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void signalStopsWithACheckpoint_data() {
    QTest::addColumn<int>("signal");
    QTest::addColumn<bool>("workerToo");
    QTest::newRow("SIGINT") << SIGINT << false;
    QTest::newRow("SIGTERM") << SIGTERM << false;
    QTest::newRow("SIGHUP") << SIGHUP << false;
    // As Slurm and systemd end a job: every process of it is signalled.
    QTest::newRow("SIGINT to every process") << SIGINT << true;
    QTest::newRow("SIGTERM to every process") << SIGTERM << true;
    QTest::newRow("SIGHUP to every process") << SIGHUP << true;
  }
  void signalStopsWithACheckpoint() {
    QFETCH(int, signal);
    QFETCH(bool, workerToo);
    EngineBench bench;
    bench.script("state running 0\ntrain-until-stop 1\n");
    const auto engine =
        bench.start({"train", "experiment.yaml", "--set", "solver.max_steps=1000000"});
    QVERIFY(bench.waitForState("running"));
    if (workerToo) ::kill(bench.workerPid(), signal);
    ::kill(static_cast<pid_t>(engine->processId()), signal);
    const auto result = EngineBench::finish(*engine);
    QVERIFY2(result.status == 75, result.err.c_str());
    const auto info = run_folder::readRunInfo(bench.onlyRun());
    QCOMPARE(info.state.text(), std::string("stopped"));
    QCOMPARE(run_folder::checkpointSteps(bench.onlyRun()), std::vector<std::int64_t>{info.step});
    QVERIFY(!info.error);
  }

  /// Its log is a pipe without a reader, so that a run that is there already does not get on.
  void aSignalBeforeTheRunIsUpIsObeyed_data() {
    QTest::addColumn<int>("signal");
    QTest::addColumn<bool>("detach");
    QTest::newRow("SIGINT") << SIGINT << false;
    QTest::newRow("SIGTERM") << SIGTERM << false;
    QTest::newRow("SIGHUP") << SIGHUP << false;
    QTest::newRow("SIGTERM, detached") << SIGTERM << true;
  }
  void aSignalBeforeTheRunIsUpIsObeyed() {
    QFETCH(int, signal);
    QFETCH(bool, detach);
    EngineBench bench;
    bench.script("state running 0\ntrain-until-stop 1\n");
    const run_folder::Layout layout(bench.folder() / "runs/rs");
    std::filesystem::create_directories(layout.folder());
    QCOMPARE(::mkfifo(layout.engineLog().c_str(), 0600), 0);
    std::vector<std::string> line{
        "train", "experiment.yaml",         "--output", "runs/rs", "--resume",
        "--set", "solver.max_steps=1000000"};
    if (detach) line.emplace_back("--detach");
    const auto engine = bench.start(line);
    QVERIFY(bench.waitForState("queued"));
    ::kill(static_cast<pid_t>(engine->processId()), signal);
    const base::FileDescriptor reader(::open(layout.engineLog().c_str(), O_RDWR));
    const auto result = EngineBench::finish(*engine);
    QVERIFY2(result.status == 75, result.err.c_str());
    QTRY_VERIFY_WITH_TIMEOUT(!run_folder::RunLock::isHeld(layout), 20000);
    QCOMPARE(run_folder::readRunInfo(layout).state.text(), std::string("stopped"));
  }

  void secondSignalKills() {
    EngineBench bench;
    bench.script("state running 0\nscalars 1 1\nhang\n");
    const auto engine = bench.start({"train", "experiment.yaml"});
    QVERIFY(bench.waitForState("running"));
    ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    QVERIFY(bench.waitForState("stopping"));
    ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    QCOMPARE(EngineBench::finish(*engine).status, 130);
    const auto info = run_folder::readRunInfo(bench.onlyRun());
    QCOMPARE(info.state.text(), std::string("failed"));
    QVERIFY(info.error && info.error->cause.text() == "SIGTERM");
    QVERIFY(!tests::isAlive(bench.workerPid()));
  }

  void signalsAreCountedSeparatelyFromClientRequests_data() {
    QTest::addColumn<bool>("clientAsksFirst");
    QTest::addColumn<QList<int>>("sent");
    QTest::newRow("after a client's stop") << true << QList<int>{SIGTERM};
    QTest::newRow("hang-ups") << false << QList<int>{SIGHUP, SIGHUP};
    QTest::newRow("hang-up and SIGTERM") << false << QList<int>{SIGHUP, SIGTERM};
    QTest::newRow("SIGTERM and hang-up") << false << QList<int>{SIGTERM, SIGHUP};
  }
  void signalsAreCountedSeparatelyFromClientRequests() {
    QFETCH(bool, clientAsksFirst);
    QFETCH(QList<int>, sent);
    EngineBench bench;
    // The worker stops at its second boundary only, when a client has asked for a checkpoint.
    bench.script("state running 0\nwait checkpoint\ncheckpoint 4 last\nfinish 4 stopped\n");
    const auto engine = bench.start({"train", "experiment.yaml"});
    QVERIFY(bench.waitForState("running"));
    tests::SocketClient client(run_folder::readRunInfo(bench.onlyRun()).socket);
    if (clientAsksFirst) {
      client.send(protocol::Command{"s", protocol::CommandName::Stop});
      client.expect<protocol::Ok>();
    }
    for (const int signal : sent) {
      ::kill(static_cast<pid_t>(engine->processId()), signal);
      QVERIFY(bench.waitForState("stopping"));
    }
    client.send(protocol::Command{"c", protocol::CommandName::Checkpoint});
    QCOMPARE(EngineBench::finish(*engine).status, 75);
    QCOMPARE(run_folder::readRunInfo(bench.onlyRun()).state.text(), std::string("stopped"));
  }

  void signalAfterAClientsStopIsTheFirst() {
    EngineBench bench;
    bench.script("state running 0\nhang\n");
    const auto engine = bench.start({"train", "experiment.yaml"});
    QVERIFY(bench.waitForState("running"));
    tests::SocketClient client(run_folder::readRunInfo(bench.onlyRun()).socket);
    client.send(protocol::Command{"s", protocol::CommandName::Stop});
    client.expect<protocol::Ok>();
    QByteArray output;
    ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    QVERIFY(QTest::qWaitFor(
        [&] {
          return (output += engine->readAllStandardError()).contains("SIGTERM: already stopping");
        },
        10000));
    ::kill(static_cast<pid_t>(engine->processId()), SIGINT);
    QCOMPARE(EngineBench::finish(*engine).status, 130);
  }

  void stopWithoutItsCheckpointIsAFailure() {
    EngineBench bench;
    bench.script(
        "state running 0\nscalars 1 2\ncheckpoint 2\nscalars 3 4\nbroken-checkpoint 4\n"
        "wait stop\nfinish 4 stopped\n");
    const auto engine = bench.start({"train", "experiment.yaml"});
    QVERIFY(bench.waitForState("running"));
    ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    const auto result = EngineBench::finish(*engine);
    QCOMPARE(result.status, 1);
    const auto info = run_folder::readRunInfo(bench.onlyRun());
    QCOMPARE(info.state.text(), std::string("failed"));
    QVERIFY(info.error && info.error->cause.text() == "checkpoint");
    QVERIFY2(info.error->message.find("step 2") != std::string::npos,
             info.error->message.c_str());  // the one to resume from
  }

  void workerEndsWithAKilledSupervisor() {
    EngineBench bench;
    bench.script("state running 0\nhang\n");
    const auto engine = bench.start({"train", "experiment.yaml"});
    QVERIFY(bench.waitForState("running"));
    const int worker = bench.workerPid();
    QVERIFY(tests::isAlive(worker));
    engine->kill();
    QVERIFY(engine->waitForFinished());
    QTRY_VERIFY_WITH_TIMEOUT(!tests::isAlive(worker), 10000);
    const auto run = run_folder::summarise(bench.onlyRun().folder());
    QCOMPARE(run.info.state.text(), std::string("failed"));
    QVERIFY(!run.alive);
  }

  void aSignalIgnoredFromTheStartStaysIgnored() {
    EngineBench bench;
    bench.script("state running 0\ntrain-until-stop 1\n");
    const auto before = ::signal(SIGHUP, SIG_IGN);  // as nohup starts it
    const auto engine =
        bench.start({"train", "experiment.yaml", "--set", "solver.max_steps=1000000"});
    ::signal(SIGHUP, before);
    QVERIFY(bench.waitForState("running"));
    ::kill(static_cast<pid_t>(engine->processId()), SIGHUP);
    tests::SocketClient client(run_folder::readRunInfo(bench.onlyRun()).socket);
    client.send(protocol::Command{"s", protocol::CommandName::Status});
    const auto status = std::get<protocol::RunStatus>(client.expect<protocol::Ok>().answer);
    QVERIFY(status.state == protocol::RunState::Running);
    ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    QCOMPARE(EngineBench::finish(*engine).status, 75);
  }

  void stopThroughTheSocketIsTheSame() {
    EngineBench bench;
    bench.script("state running 0\ntrain-until-stop 1\n");
    const auto engine =
        bench.start({"train", "experiment.yaml", "--set", "solver.max_steps=1000000"});
    QVERIFY(bench.waitForState("running"));
    tests::SocketClient client(run_folder::readRunInfo(bench.onlyRun()).socket);
    client.send(protocol::Command{"s", protocol::CommandName::Stop});
    QCOMPARE(client.expect<protocol::Ok>().id, std::string("s"));
    QCOMPARE(EngineBench::finish(*engine).status, 75);
    QCOMPARE(run_folder::readRunInfo(bench.onlyRun()).state.text(), std::string("stopped"));
  }

  void signalsHaveNames() {
    QCOMPARE(supervisor::signalName(SIGKILL), std::string("SIGKILL"));
    QCOMPARE(supervisor::signalName(SIGSEGV), std::string("SIGSEGV"));
    QCOMPARE(supervisor::signalName(250), std::string("signal 250"));
  }
};

LOCKSTEP_TEST(TstStopping)
#include "tst_stopping.moc"
