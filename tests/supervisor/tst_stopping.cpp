#include <signal.h>

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
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGHUP") << SIGHUP;
  }
  void signalStopsWithACheckpoint() {
    QFETCH(int, signal);
    EngineBench bench;
    bench.script("state running 0\ntrain-until-stop 1\n");
    const auto engine =
        bench.start({"train", "experiment.yaml", "--set", "solver.max_steps=1000000"});
    QVERIFY(bench.waitForState("running"));
    ::kill(static_cast<pid_t>(engine->processId()), signal);
    const auto result = EngineBench::finish(*engine);
    QVERIFY2(result.status == 75, result.err.c_str());
    const auto info = run_folder::readRunInfo(bench.onlyRun());
    QCOMPARE(info.state, std::string("stopped"));
    QCOMPARE(run_folder::checkpointSteps(bench.onlyRun()), std::vector<std::int64_t>{info.step});
    QVERIFY(!info.error);
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
    QCOMPARE(info.state, std::string("failed"));
    QVERIFY(info.error && info.error->cause == "SIGTERM");
    QVERIFY(!tests::isAlive(bench.workerPid()));
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
    QCOMPARE(run.info.state, std::string("failed"));
    QVERIFY(!run.alive);
  }

  void stopThroughTheSocketIsTheSame() {
    EngineBench bench;
    bench.script("state running 0\ntrain-until-stop 1\n");
    const auto engine =
        bench.start({"train", "experiment.yaml", "--set", "solver.max_steps=1000000"});
    QVERIFY(bench.waitForState("running"));
    tests::SocketClient client(run_folder::readRunInfo(bench.onlyRun()).socket);
    client.send(protocol::Command{"s", "stop"});
    QCOMPARE(client.expect<protocol::Ok>().id, std::string("s"));
    QCOMPARE(EngineBench::finish(*engine).status, 75);
    QCOMPARE(run_folder::readRunInfo(bench.onlyRun()).state, std::string("stopped"));
  }

  void signalsHaveNames() {
    QCOMPARE(supervisor::signalName(SIGKILL), std::string("SIGKILL"));
    QCOMPARE(supervisor::signalName(SIGSEGV), std::string("SIGSEGV"));
    QCOMPARE(supervisor::signalName(250), std::string("signal 250"));
  }
};

LOCKSTEP_TEST(TstStopping)
#include "tst_stopping.moc"
