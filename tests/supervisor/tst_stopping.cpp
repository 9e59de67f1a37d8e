#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTest>
#include <fstream>
#include <functional>

#include "engine/supervisor/stop_signals.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::EngineBench;

namespace {

/// Exit status of a child process that returns what `body` does; -1: a signal ended it, also after
/// a time limit.
int statusOfChild(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(30);
    ::_exit(body());
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

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

  /// Signals are held while the run folder is made.
  void aHeldSignalReachesTheRun_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGHUP") << SIGHUP;
  }
  void aHeldSignalReachesTheRun() {
    QFETCH(int, signal);
    QCOMPARE(statusOfChild([signal] {
               supervisor::endOnStopSignals();
               supervisor::holdStopSignals();
               ::raise(signal);
               supervisor::PollLoop loop;
               int received = 0;
               const supervisor::StopSignals handled(
                   loop,
                   [&](const supervisor::StopSignal& stop) {
                     received = stop.number;
                     loop.stop();
                   },
                   [] {});
               loop.run();
               return received;
             }),
             signal);
  }

  /// Rank 0 waits for a node that may never come. The same command begins the run again.
  void aStopWhileTheRanksJoinEndsThem_data() {
    QTest::addColumn<bool>("byClient");
    QTest::newRow("signal") << false;
    QTest::newRow("client") << true;
  }
  void aStopWhileTheRanksJoinEndsThem() {
    QFETCH(bool, byClient);
    EngineBench bench;
    bench.script(
        "mute\nheartbeat 0 joining\ntouch joining\nhang\nagain\n"
        "state running 0\nscalars 1 6\ncheckpoint 6 last\nfinish 6\n");
    const std::vector<std::string> line{"train", "experiment.yaml", "--output", "runs/r",
                                        "--resume"};
    const auto engine = bench.start(line);
    QVERIFY(QTest::qWaitFor([&] { return exists(bench.folder() / "bin/joining"); }, 10000));
    if (byClient) {
      tests::SocketClient client(run_folder::readRunInfo(bench.onlyRun()).socket);
      client.send(protocol::Command{"s", protocol::CommandName::Stop});
      client.expect<protocol::Ok>();
    } else {
      ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    }
    const auto result = EngineBench::finish(*engine);
    QVERIFY2(result.status == 75, result.err.c_str());
    const auto info = run_folder::readRunInfo(bench.onlyRun());
    QCOMPARE(info.state.text(), std::string("stopped"));
    QVERIFY(!info.error);
    QVERIFY(!tests::isAlive(bench.workerPid()));
    const auto again = bench.run(line);
    QVERIFY2(again.status == 0, again.err.c_str());
  }

  /// Nothing has begun: the same command begins it.
  void aSignalBeforeTheRunFolderIsMadeLeavesNothing() {
    EngineBench bench;
    std::ofstream(bench.folder() / "w.safetensors") << "w";
    bench.script("touch checking\nhang\n", "check");
    const auto engine =
        bench.start({"train", "experiment.yaml", "--set", "model.weights=w.safetensors"});
    QVERIFY(QTest::qWaitFor([&] { return exists(bench.folder() / "bin/checking"); }, 10000));
    ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    QCOMPARE(EngineBench::finish(*engine).status, 75);
    QVERIFY(!exists(bench.folder() / "runs"));
  }

  void aSignalEndsAProcessThatHasNotBegun() {
    QCOMPARE(statusOfChild([] {
               supervisor::endOnStopSignals();
               ::raise(SIGTERM);
               return 0;
             }),
             75);
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
