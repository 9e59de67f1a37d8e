#include <signal.h>

#include <QTest>
#include <algorithm>
#include <filesystem>

#include "engine/base/atomic_file.h"
#include "engine/base/host.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;

namespace {

/// One of four ranks, two on each machine.
void setTorchrun(EngineBench& bench, int rank) {
  bench.setVariable("RANK", std::to_string(rank));
  bench.setVariable("LOCAL_RANK", std::to_string(rank % 2));
  bench.setVariable("WORLD_SIZE", "4");
  bench.setVariable("MASTER_ADDR", "127.0.0.1");
  bench.setVariable("MASTER_PORT", "29500");
  bench.setVariable("TORCHELASTIC_USE_AGENT_STORE", "True");
}

/// One of two pods.
void setPyTorchJob(EngineBench& bench, int rank) {
  bench.setVariable("RANK", std::to_string(rank));
  bench.setVariable("WORLD_SIZE", "2");
  bench.setVariable("MASTER_ADDR", "127.0.0.1");
  bench.setVariable("MASTER_PORT", "29500");
}

/// Waits until the rank has what it was sent first.
bool waitForJob(const EngineBench& bench) {
  return QTest::qWaitFor([&] { return bench.hasJob(); }, 10000);
}

}  // namespace

class TstFollower : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void followerNeedsNoExperimentAndLeavesNoFiles() {
    EngineBench bench;
    setTorchrun(bench, 3);
    bench.script("stderr [data] hello\nlog warning odd\nfinish 6\n");
    const auto result =
        bench.run({"train", "nowhere.yaml", "--output", "out", "--resume", "--detach"});
    QVERIFY2(result.status == 0, result.err.c_str());
    const protocol::TrainJob job = bench.lastJob();
    QVERIFY(job.configYaml.empty() && job.runFolder.empty() && job.resumeFrom.empty());
    const protocol::RankPlacement place = bench.lastPlacement();
    QCOMPARE(place.node, 3);
    QCOMPARE(place.nodes, 4);
    QCOMPARE(place.localRank, 0);
    QCOMPARE(place.localRanks, 1);
    QCOMPARE(place.gpu, 1);
    QCOMPARE(place.masterAddress, std::string("127.0.0.1"));
    QCOMPARE(place.masterPort, 29500);
    QVERIFY(place.storeIsServed);
    QVERIFY2(contains(result.err, "[rank 3] [data] hello\n") &&
                 contains(result.err, "[rank 3] warning: odd\n"),
             result.err.c_str());
    QVERIFY(result.out.empty());
    QVERIFY(!fs::exists(bench.folder() / "runs") && !fs::exists(bench.folder() / "out"));
  }

  void everyPodStartsItsRanks() {
    EngineBench bench;
    setPyTorchJob(bench, 1);
    bench.rankScript(0, "rank 3\nheartbeat 2 data\nawait one\nstderr zero\nfinish 6\n");
    bench.rankScript(1, "rank 4\nheartbeat 2 data\ntouch one\nstderr one\nfinish 6\n");
    const auto result = bench.run({"train", "experiment.yaml", "--workers", "2"});
    QVERIFY2(result.status == 0, result.err.c_str());
    QCOMPARE(bench.lastPlacement(1).localRank, 1);
    QCOMPARE(bench.lastPlacement(1).localRanks, 2);
    QCOMPARE(bench.lastPlacement(1).gpu, 1);
    QVERIFY2(contains(result.err, "[rank 3] zero\n") && contains(result.err, "[rank 4] one\n"),
             "ranks know how many come before theirs");
  }

  void followerExitsWithTheStatusOfItsRanks_data() {
    QTest::addColumn<QString>("script");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("expected");
    QTest::newRow("stopped") << "finish 4 stopped\n" << 75 << "";
    const QString name =
        QStringLiteral("rank 3 on %1 ").arg(QString::fromStdString(base::hostName()));
    const QString place = QStringLiteral(" at step 41 in backward, last collective gradients");
    QTest::newRow("killed") << "stderr last words\nkill 9\n"
                            << 1
                            << name + "was killed by SIGKILL (out of memory?)" + place +
                                   "; its last lines are above";
    QTest::newRow("lost peer") << "failed lost-peer 1 connection closed\nexit 1\n"
                               << 1 << name + "failed" + place + ": connection closed";
    QTest::newRow("no word") << "exit 0\n" << 1 << name + "exited with exit status 0" + place;
    QTest::newRow("stall") << "hang\n" << 1 << name + "made no progress for 1 s";
  }
  void followerExitsWithTheStatusOfItsRanks() {
    QFETCH(QString, script);
    QFETCH(int, status);
    QFETCH(QString, expected);
    EngineBench bench;
    setTorchrun(bench, 3);
    bench.script("heartbeat 41 backward gradients\n" + script.toStdString());
    const auto result = bench.run({"train", "experiment.yaml", "--set", "runtime.stall_seconds=1"});
    QVERIFY2(result.status == status && contains(result.err, expected.toStdString()),
             result.err.c_str());
    QVERIFY(std::ranges::none_of(bench.allPids(), tests::isAlive));
  }

  void aSignalAsksRankZeroToStop() {
    EngineBench bench;
    setPyTorchJob(bench, 1);
    bench.script("wait stop\nfinish 4 stopped\n");
    const auto engine = bench.start({"train", "experiment.yaml", "--workers", "2"});
    QVERIFY(waitForJob(bench));
    ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    QCOMPARE(EngineBench::finish(*engine).status, 75);
  }

  /// Rank 0 may never come.
  void aSignalWhileTheRanksJoinEndsThem() {
    EngineBench bench;
    setPyTorchJob(bench, 1);
    bench.script("mute\nheartbeat 0 joining\ntouch joining\nhang\n");
    const auto engine = bench.start({"train", "experiment.yaml", "--workers", "2"});
    QVERIFY(QTest::qWaitFor([&] { return fs::exists(bench.folder() / "bin/joining"); }, 10000));
    ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    const auto result = EngineBench::finish(*engine);
    QCOMPARE(result.status, 75);
    QVERIFY2(contains(result.err, "SIGTERM: stopped before the ranks had joined") &&
                 !contains(result.err, "is asked to stop"),
             result.err.c_str());
    QVERIFY(std::ranges::none_of(bench.allPids(), tests::isAlive));
  }

  void aSecondSignalKills() {
    EngineBench bench;
    setTorchrun(bench, 2);
    bench.script("wait stop\ntouch asked\nhang\n");
    const auto engine = bench.start({"train", "experiment.yaml"});
    QVERIFY(waitForJob(bench));
    ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    QVERIFY(QTest::qWaitFor([&] { return fs::exists(bench.folder() / "bin/asked"); }, 10000));
    ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    QCOMPARE(EngineBench::finish(*engine).status, 130);
    QVERIFY(!tests::isAlive(bench.workerPid()));
  }

  void ranksEndWithAKilledSupervisor() {
    EngineBench bench;
    setPyTorchJob(bench, 1);
    bench.script("hang\n");
    const auto engine = bench.start({"train", "experiment.yaml", "--workers", "3"});
    QVERIFY(QTest::qWaitFor([&] { return bench.allPids().size() == 3; }, 10000));
    engine->kill();
    QVERIFY(engine->waitForFinished());
    QTRY_VERIFY_WITH_TIMEOUT(std::ranges::none_of(bench.allPids(), tests::isAlive), 10000);
  }

  void launcherDeterminesTheNumberOfRanks_data() {
    QTest::addColumn<int>("rank");
    QTest::newRow("rank 0") << 0;
    QTest::newRow("another") << 3;
  }
  void launcherDeterminesTheNumberOfRanks() {
    QFETCH(int, rank);
    EngineBench bench;
    setTorchrun(bench, rank);
    const auto result = bench.run({"train", "experiment.yaml", "--workers", "2"});
    QCOMPARE(result.status, 2);
    QVERIFY2(contains(result.err, "--workers 2: torchrun starts lockstep-engine once per rank"),
             result.err.c_str());
    QVERIFY(bench.allPids().empty());
  }

  void nodeZeroCountsTheRanksOfAllNodes_data() {
    QTest::addColumn<bool>("isPod");
    QTest::newRow("torchrun") << false;
    QTest::newRow("PyTorchJob") << true;
  }
  void nodeZeroCountsTheRanksOfAllNodes() {
    QFETCH(bool, isPod);
    EngineBench bench;
    isPod ? setPyTorchJob(bench, 0) : setTorchrun(bench, 0);
    bench.script("state running 0\nfinish 6\n");
    std::vector<std::string> line{"train", "experiment.yaml",   "--set", "solver.batch_size=4",
                                  "--set", "runtime.workers=3", "--set", "runtime.max_restarts=2"};
    if (isPod) line.insert(line.end(), {"--workers", "2"});
    const auto result = bench.run(line);
    QVERIFY2(result.status == 0, result.err.c_str());
    QCOMPARE(run_folder::readRunInfo(bench.onlyRun()).ranks, 4);
    QVERIFY(contains(base::readFile(bench.onlyRun().config()), "workers: 4"));
    QVERIFY2(contains(result.err, "runtime.workers: 3 is ignored: ") &&
                 contains(result.err, "starts 4 ranks") &&
                 contains(result.err, "restarts are left to "),
             result.err.c_str());
    QCOMPARE(bench.lastPlacement().nodes, isPod ? 2 : 4);
    QVERIFY(!bench.lastJob().configYaml.empty());
  }
};

LOCKSTEP_TEST(TstFollower)
#include "tst_follower.moc"
