#include <signal.h>

#include <QTest>
#include <algorithm>
#include <filesystem>
#include <thread>

#include "engine/base/atomic_file.h"
#include "engine/base/host.h"
#include "engine/supervisor/machine.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;

namespace {

bool isNobodyLeft(const EngineBench& bench) {
  return std::ranges::none_of(bench.allPids(), [](int pid) { return tests::isAlive(pid); });
}

/// Three ranks share a batch of three.
std::vector<std::string> threeRanksLine() {
  return {"train", "experiment.yaml", "--workers", "3", "--set", "solver.batch_size=3"};
}

}  // namespace

class TstRanks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyRankHasItsLogAndItsPlacement() {
    EngineBench bench;
    bench.rankScript(0, "listening 9\nstderr [data] zero\nstate running 0\nawait two\nfinish 6\n");
    bench.rankScript(1, "stderr [data] warning: one is odd\nlog warning sees little\nfinish 6\n");
    bench.rankScript(2, "stderr [data] two\ntouch two\nfinish 6\n");
    auto line = threeRanksLine();
    line.insert(line.end(), {"--set", "runtime.cpu_threads=0"});
    const auto result = bench.run(line);
    QVERIFY2(result.status == 0, result.err.c_str());
    const auto run = bench.onlyRun();
    QCOMPARE(base::readFile(run.rankLog(0)), std::string("[data] zero\n"));
    QCOMPARE(base::readFile(run.rankLog(1)), std::string("[data] warning: one is odd\n"));
    QCOMPARE(base::readFile(run.rankLog(2)), std::string("[data] two\n"));
    QVERIFY2(contains(result.err, "\n[rank 1] [data] warning: one is odd\n"), result.err.c_str());
    QVERIFY(contains(result.err, "\n[rank 1] warning: sees little\n"));
    QVERIFY(!contains(result.err, "[data] two"));
    QCOMPARE(run_folder::readRunInfo(run).ranks, 3);
    const std::string config = base::readFile(run.config());
    QVERIFY(contains(config, "workers: 3"));
    const int threads = std::max(supervisor::usableCores() / 3, 1);
    QVERIFY2(contains(config, "cpu_threads: " + std::to_string(threads)), config.c_str());
    QCOMPARE(bench.lastJob(2).configYaml, config);
    QCOMPARE(bench.lastJob(2).runFolder, run.folder().string());
  }

  void aDeadRankEndsTheRunAndIsNamedEverywhere() {
    EngineBench bench;
    const std::string place = "heartbeat 41 backward gradients\n";
    bench.rankScript(0, "listening 9\nstate running 0\n" + place + "hang\n");
    bench.rankScript(1, place + "await seen\nfailed lost-peer 1 connection closed\nexit 1\n");
    bench.rankScript(2, place + "await seen\nstderr last words\nkill 9\n");
    const auto engine = bench.start(threeRanksLine());
    QVERIFY(bench.waitForState("running"));
    const fs::path socket = run_folder::readRunInfo(bench.onlyRun()).socket;
    tests::SocketClient client(socket);
    client.send(protocol::Hello{});
    client.expect<protocol::State>();
    bench.touch("seen");
    std::optional<protocol::RunError> heard;
    for (const auto& message : client.rest()) {
      if (const auto* state = std::get_if<protocol::State>(&message)) heard = state->error;
    }
    const auto result = EngineBench::finish(*engine);
    QCOMPARE(result.status, 1);
    const auto info = run_folder::readRunInfo(bench.onlyRun());
    QCOMPARE(info.state.text(), std::string("failed"));
    const std::string expected =
        "rank 2 on " + base::hostName() +
        " was killed by SIGKILL (out of memory?) at step 41 in backward, last collective "
        "gradients; its last lines are at the end of " +
        bench.onlyRun().rankLog(2).string() + "; there is no checkpoint to resume from yet";
    for (const auto& error : {info.error, heard}) {
      QVERIFY(error);
      QCOMPARE(error->message, expected);
      QCOMPARE(error->rank, 2);
      QCOMPARE(error->host, base::hostName());
      QCOMPARE(error->step, std::int64_t{41});
      QCOMPARE(error->phase.text(), std::string("backward"));
      QCOMPARE(error->collective, std::string("gradients"));
      QCOMPARE(error->cause.text(), std::string("SIGKILL"));
    }
    QVERIFY2(contains(result.err, "[engine] " + expected + "\n"), result.err.c_str());
    QCOMPARE(base::readFile(bench.onlyRun().rankLog(2)), std::string("last words\n"));
    QVERIFY(isNobodyLeft(bench));
    QVERIFY(!fs::exists(socket));
  }

  void aRankThatThrowsIsQuoted() {
    EngineBench bench;
    bench.rankScript(0, "listening 9\nstate running 0\nhang\n");
    bench.rankScript(1,
                     "heartbeat 4 forward\nfailed exception 1 index 7 is out of range\nexit 1\n");
    bench.rankScript(2, "hang\n");
    const auto result = bench.run(threeRanksLine());
    QCOMPARE(result.status, 1);
    const std::string expected = "rank 1 on " + base::hostName() +
                                 " failed at step 4 in forward: index 7 is out of range; there is "
                                 "no checkpoint to resume from yet";
    QVERIFY2(contains(result.err, "[engine] " + expected + "\n"), result.err.c_str());
    QCOMPARE(run_folder::readRunInfo(bench.onlyRun()).error->message, expected);
    QVERIFY(isNobodyLeft(bench));
  }

  void statusNamesEveryRank() {
    EngineBench bench;
    bench.rankScript(0, "listening 9\nheartbeat 4 backward gradients\nstate running 0\nhang\n");
    bench.rankScript(1, "heartbeat 3 data\nhang\n");
    bench.rankScript(2, "heartbeat 4 forward\nhang\n");
    const auto engine = bench.start(threeRanksLine());
    QVERIFY(bench.waitForState("running"));
    tests::SocketClient client(run_folder::readRunInfo(bench.onlyRun()).socket);
    std::vector<protocol::RunStatus::Rank> ranks;
    QVERIFY(QTest::qWaitFor(
        [&] {
          client.send(protocol::Command{"s", protocol::CommandName::Status});
          ranks = std::get<protocol::RunStatus>(client.expect<protocol::Ok>().answer).ranks;
          return ranks.size() == 3 && ranks[1].step == 3 && ranks[2].step == 4;
        },
        10000));
    const char* const phases[] = {"backward", "data", "forward"};
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      QCOMPARE(ranks[i].rank, static_cast<int>(i));
      QCOMPARE(ranks[i].phase.text(), std::string(phases[i]));
    }
    QCOMPARE(ranks[0].step, std::int64_t{4});
    engine->kill();
    engine->waitForFinished();
  }

  void rankZeroAloneIsAskedToStop() {
    EngineBench bench;
    bench.rankScript(0,
                     "listening 9\nstate running 0\nscalars 1 3\nwait stop\ncheckpoint 3 last\n"
                     "touch stopped\nfinish 3 stopped\n");
    const std::string others = "await stopped\nfinish 3 stopped\n";
    bench.rankScript(1, others);
    bench.rankScript(2, others);
    const auto engine = bench.start(threeRanksLine());
    QVERIFY(bench.waitForState("running"));
    ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    const auto result = EngineBench::finish(*engine);
    QVERIFY2(result.status == 75, result.err.c_str());
    QCOMPARE(run_folder::readRunInfo(bench.onlyRun()).state.text(), std::string("stopped"));
    for (int rank = 1; rank < 3; ++rank) {
      QCOMPARE(bench.received(rank).size(), std::size_t{2});  // pid and job
    }
  }

  void aSecondSignalKillsEveryRank() {
    EngineBench bench;
    bench.rankScript(0, "listening 9\nawait two\nstate running 0\nhang\n");
    bench.rankScript(1, "hang\n");
    bench.rankScript(2, "touch two\nhang\n");
    const auto engine = bench.start(threeRanksLine());
    QVERIFY(bench.waitForState("running"));
    ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    QVERIFY(bench.waitForState("stopping"));
    ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    QCOMPARE(EngineBench::finish(*engine).status, 130);
    QCOMPARE(run_folder::readRunInfo(bench.onlyRun()).error->cause.text(), std::string("SIGTERM"));
    QVERIFY(isNobodyLeft(bench));
  }

  void ranksEndWithAKilledSupervisor() {
    EngineBench bench;
    bench.rankScript(0, "listening 9\nawait one\nawait two\nstate running 0\nhang\n");
    bench.rankScript(1, "touch one\nhang\n");
    bench.rankScript(2, "touch two\nhang\n");
    const auto engine = bench.start(threeRanksLine());
    QVERIFY(bench.waitForState("running"));
    const std::vector<int> pids = bench.allPids();
    QCOMPARE(pids.size(), std::size_t{3});
    QVERIFY(std::ranges::all_of(pids, tests::isAlive));
    engine->kill();
    QVERIFY(engine->waitForFinished());
    QTRY_VERIFY_WITH_TIMEOUT(isNobodyLeft(bench), 10000);
  }

  void imagesAreSharedAndRankZeroHasTheResult_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("evaluate") << QStringLiteral("evaluate");
    QTest::newRow("predict") << QStringLiteral("predict");
  }
  void imagesAreSharedAndRankZeroHasTheResult() {
    QFETCH(QString, name);
    const std::string command = name.toStdString();
    EngineBench bench;
    bench.script("scalars 1 6\ncheckpoint 6 last\nfinish 6\n");
    QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "run"}).status, 0);
    bench.rankScript(0, "listening 9\nawait two\nout {\"step\":6}\nfinish 6 result {}\n", command);
    bench.rankScript(1, "progress 1 2\nfinish 6 result {\"images\":912345}\n", command);
    bench.rankScript(2, "touch two\nfinish 6\n", command);
    const auto result =
        bench.run({command, "run", "--split", "val", "--workers", "3", "--out", "e.json"});
    QVERIFY2(result.status == 0, result.err.c_str());
    QCOMPARE(base::readFile(bench.folder() / "e.json"), std::string("{\"step\":6}"));
    QVERIFY2(!contains(result.out + result.err, "912345"),
             (result.out + result.err).c_str());  // rank 1's
    QCOMPARE(bench.lastPlacement(2).localRanks, 3);
    const auto modelOf = [&](int rank) {
      return command == "evaluate" ? bench.lastJob<protocol::EvaluateJob>(rank).model
                                   : bench.lastJob<protocol::PredictJob>(rank).model;
    };
    QCOMPARE(modelOf(2).weights, modelOf(0).weights);
    QVERIFY(contains(modelOf(0).configYaml, "workers: 3"));
    QVERIFY(isNobodyLeft(bench));
  }

  void aRankThatDiesEndsTheEvaluation() {
    EngineBench bench;
    bench.script("scalars 1 6\ncheckpoint 6 last\nfinish 6\n");
    QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "run"}).status, 0);
    bench.rankScript(0, "listening 9\nhang\n", "evaluate");
    bench.rankScript(1, "stderr last words\nkill 11\n", "evaluate");
    const auto result = bench.run({"evaluate", "run", "--workers", "2"});
    QCOMPARE(result.status, 1);
    QVERIFY2(contains(result.err, "last words") &&
                 contains(result.err, "rank 1 on " + base::hostName() + " was killed by SIGSEGV"),
             result.err.c_str());
    QVERIFY(isNobodyLeft(bench));
  }
};

LOCKSTEP_TEST(TstRanks)
#include "tst_ranks.moc"
