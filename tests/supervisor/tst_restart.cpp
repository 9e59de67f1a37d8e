#include <signal.h>

#include <QTest>
#include <algorithm>
#include <map>

#include "engine/base/host.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> trainLine(int maxRestarts, int workers = 1) {
  return {"train",     "experiment.yaml",
          "--workers", std::to_string(workers),
          "--set",     "runtime.max_restarts=" + std::to_string(maxRestarts)};
}

/// What a client holds that follows a run: by seq, as it would draw it.
class Follower {
 public:
  explicit Follower(const fs::path& socket) : client(socket) { client.send(protocol::Hello{}); }

  void take(const protocol::EngineMessage& message) {
    if (const auto* welcome = std::get_if<protocol::Welcome>(&message)) attempt = welcome->attempt;
    if (const auto* reset = std::get_if<protocol::Reset>(&message)) {
      resets.push_back(*reset);
      held.erase(held.upper_bound(reset->seq), held.end());
    }
    std::visit(
        [this](const auto& content) {
          if constexpr (requires {
                          content.seq;
                          content.time;
                        })
            add(content.seq, content.step);
        },
        message);
  }
  void takeUntilScalarsOf(std::int64_t step) {
    while (const auto message = client.next()) {
      take(*message);
      const auto* scalars = std::get_if<protocol::Scalars>(&*message);
      if (scalars != nullptr && scalars->step == step) return;
    }
  }
  void takeRest() {
    for (const auto& message : client.rest()) take(message);
  }

  tests::SocketClient client;
  std::map<std::int64_t, std::int64_t> held;  ///< step by seq
  std::vector<protocol::Reset> resets;
  int attempt = 0;
  bool sawDouble = false;

 private:
  void add(std::int64_t seq, std::int64_t step) { sawDouble |= !held.emplace(seq, step).second; }
};

}  // namespace

class TstRestart : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void allRanksRestartFromTheCheckpointAndClientsFollow() {
    EngineBench bench;
    bench.rankScript(0,
                     "listening 1\nstate running 0\nscalars 1 2\ncheckpoint 2\nscalars 3 3\neval 3 "
                     "0.5 0.25 best\nhang\nagain\nlistening 2\nstate running 2\nscalars 3 6\n"
                     "checkpoint 6 last\nfinish 6\n");
    bench.rankScript(1, "heartbeat 3 data\nawait seen\nkill 9\nagain\nfinish 6\n");
    const auto engine = bench.start(trainLine(3, 2));
    QVERIFY(bench.waitForState("running"));
    Follower follower(run_folder::readRunInfo(bench.onlyRun()).socket);
    follower.takeUntilScalarsOf(3);
    bench.touch("seen");
    follower.takeRest();
    const auto result = EngineBench::finish(*engine);
    QVERIFY2(result.status == 0, result.err.c_str());

    const auto run = bench.onlyRun();
    QCOMPARE(follower.resets.size(), std::size_t{1});
    QCOMPARE(follower.resets[0].step, std::int64_t{2});
    QCOMPARE(follower.attempt, 2);
    QVERIFY(!follower.sawDouble);
    std::map<std::int64_t, std::int64_t> written;
    bool isReported = false;
    for (const auto& record : tests::recordsOf(run)) {
      if (record.kind == events::Record::Kind::Scalars ||
          record.kind == events::Record::Kind::Event)
        written[record.seq] = record.step;
      isReported |= contains(record.json, "was killed by SIGKILL") &&
                    contains(record.json, "restart 1 of 3, from step 2") &&
                    contains(record.json, "warning");
    }
    QCOMPARE(follower.held, written);
    QVERIFY(isReported);
    QVERIFY2(contains(result.err,
                      "[engine] warning: rank 1 on " + base::hostName() + " was killed by SIGKILL"),
             result.err.c_str());
    QCOMPARE(tests::trainedSteps(run), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
    const auto info = run_folder::readRunInfo(run);
    QCOMPARE(info.state.text(), std::string("finished"));
    QCOMPARE(info.attempt, 2);
    QVERIFY(!info.error && !info.best);
    QVERIFY2(!fs::exists(run.evaluation(3)), "what was cut from the log is gone");
    for (int rank = 0; rank < 2; ++rank)
      QCOMPARE(bench.lastJob(rank).resumeFrom, run.checkpoint(2).string());
    QCOMPARE(bench.lastPlacement(1).masterPort, 2);
    QCOMPARE(bench.allPids().size(), std::size_t{4});
  }

  void withoutACheckpointItRestartsAtStepZero() {
    EngineBench bench;
    bench.script(
        "state running 0\nscalars 1 1\nkill 9\nagain\nstate running 0\nscalars 1 6\ncheckpoint 6 "
        "last\nfinish 6\n");
    const auto result = bench.run(trainLine(1));
    QVERIFY2(result.status == 0, result.err.c_str());
    QVERIFY2(contains(result.err, "restart 1 of 1, from step 0"), result.err.c_str());
    QCOMPARE(tests::trainedSteps(bench.onlyRun()), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
    QVERIFY(bench.lastJob().resumeFrom.empty());
  }

  void aDamagedCheckpointIsSkipped() {
    EngineBench bench;
    bench.script(
        "state running 0\nscalars 1 2\ncheckpoint 2\nscalars 3 4\ncheckpoint 4\nawait "
        "damaged\nkill 9\nagain\nstate running 2\nscalars 3 6\ncheckpoint 6 last\nfinish 6\n");
    const auto engine = bench.start(trainLine(1));
    QVERIFY(bench.waitForState("running"));
    const auto run = bench.onlyRun();
    QVERIFY(QTest::qWaitFor([&] { return fs::exists(run.checkpoint(4)); }, 10000));
    fs::remove(run.checkpoint(4) / "optimizer.safetensors");
    bench.touch("damaged");
    const auto result = EngineBench::finish(*engine);
    QVERIFY2(result.status == 0, result.err.c_str());
    QCOMPARE(bench.lastJob().resumeFrom, run.checkpoint(2).string());
    QCOMPARE(tests::trainedSteps(run), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
  }

  void anExhaustedBudgetEndsTheRun() {
    EngineBench bench;
    bench.script("state running 0\nscalars 1 2\nkill 11\n");
    const auto result = bench.run(trainLine(1));
    QCOMPARE(result.status, 1);
    const auto info = run_folder::readRunInfo(bench.onlyRun());
    QCOMPARE(info.state.text(), std::string("failed"));
    QCOMPARE(info.attempt, 2);
    QVERIFY(info.error && info.error->cause.text() == "SIGSEGV");
    QCOMPARE(bench.allPids().size(), std::size_t{2});
  }

  void someFailuresAreFinal_data() {
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("launcher");
    QTest::addColumn<int>("status");
    QTest::newRow("data") << "fail 1 a.jpg is truncated\n"
                          << "" << 1;
    QTest::newRow("user error") << "fail 2 weights do not fit\n"
                                << "" << 2;
    QTest::newRow("under torchrun") << "kill 9\n"
                                    << "torchrun" << 1;
    QTest::newRow("lost last checkpoint") << "broken-checkpoint 6 last\nfinish 6\n"
                                          << "" << 1;
  }
  void someFailuresAreFinal() {
    QFETCH(QString, script);
    QFETCH(QString, launcher);
    QFETCH(int, status);
    EngineBench bench;
    if (!launcher.isEmpty()) {
      bench.setVariable("LOCAL_RANK", "0");
      bench.setVariable("RANK", "0");
      bench.setVariable("WORLD_SIZE", "1");
    }
    bench.script("state running 0\nscalars 1 2\ncheckpoint 2\n" + script.toStdString());
    QCOMPARE(bench.run(trainLine(5)).status, status);
    QCOMPARE(bench.allPids().size(), std::size_t{1});
    QCOMPARE(run_folder::readRunInfo(bench.onlyRun()).attempt, 1);
  }

  void aSecondSignalIsFinal() {
    EngineBench bench;
    bench.script("state running 0\nhang\n");
    const auto engine = bench.start(trainLine(5));
    QVERIFY(bench.waitForState("running"));
    ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    QVERIFY(bench.waitForState("stopping"));
    ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    QCOMPARE(EngineBench::finish(*engine).status, 130);
    QCOMPARE(bench.allPids().size(), std::size_t{1});
  }

  void aRunAskedToStopIsNotRestarted() {
    EngineBench bench;
    bench.script("state running 0\nscalars 1 2\nwait stop\nkill 9\n");
    const auto engine = bench.start(trainLine(5));
    QVERIFY(bench.waitForState("running"));
    ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    QCOMPARE(EngineBench::finish(*engine).status, 1);
    QCOMPARE(bench.allPids().size(), std::size_t{1});
  }

  void aStopBetweenTwoAttemptsEndsTheRun_data() {
    QTest::addColumn<QString>("checkpoint");
    QTest::addColumn<bool>("bySignal");
    QTest::addColumn<int>("status");
    QTest::newRow("signal") << "checkpoint 2\n" << true << 75;
    QTest::newRow("client") << "checkpoint 2\n" << false << 75;
    QTest::newRow("nothing to resume from") << "" << true << 1;
  }
  void aStopBetweenTwoAttemptsEndsTheRun() {
    QFETCH(QString, checkpoint);
    QFETCH(bool, bySignal);
    QFETCH(int, status);
    EngineBench bench;
    const std::string begin = "state running 0\nscalars 1 2\n" + checkpoint.toStdString();
    // The second pause is the longer one.
    bench.script(begin + "await seen\nkill 9\nagain\nkill 9\nagain\nhang\n");
    const auto engine = bench.start(trainLine(5));
    QVERIFY(bench.waitForState("running"));
    tests::SocketClient client(run_folder::readRunInfo(bench.onlyRun()).socket);
    client.send(protocol::Hello{});
    client.expect<protocol::State>();
    bench.touch("seen");
    client.expect<protocol::Reset>();
    client.expect<protocol::Reset>();
    if (bySignal) {
      ::kill(static_cast<pid_t>(engine->processId()), SIGTERM);
    } else {
      client.send(protocol::Command{"s", protocol::CommandName::Stop});
      QCOMPARE(client.expect<protocol::Ok>().id, std::string("s"));
    }
    const auto result = EngineBench::finish(*engine);
    QVERIFY2(result.status == status, result.err.c_str());
    const auto info = run_folder::readRunInfo(bench.onlyRun());
    QCOMPARE(info.state.text(), std::string(status == 75 ? "stopped" : "failed"));
    QCOMPARE(info.error.has_value(), status != 75);
    QCOMPARE(bench.allPids().size(), std::size_t{2});
    QVERIFY(!fs::exists(info.socket));
  }

  void pendingRequestsAreAnswered() {
    EngineBench bench;
    bench.script("state running 0\nwait evaluate\nkill 9\nagain\nwait stop\nfinish 6\n");
    const auto engine = bench.start(trainLine(1));
    QVERIFY(bench.waitForState("running"));
    tests::SocketClient client(run_folder::readRunInfo(bench.onlyRun()).socket);
    client.send(protocol::Command{"e", protocol::CommandName::Evaluate});
    const auto refused = client.expect<protocol::ErrorReply>();
    QCOMPARE(refused.id, std::string("e"));
    QVERIFY2(contains(refused.message, "restarts from step 0"), refused.message.c_str());
    client.send(protocol::Command{"c", protocol::CommandName::Checkpoint});
    QVERIFY(contains(client.expect<protocol::ErrorReply>().message, "restarting"));
    QVERIFY(QTest::qWaitFor([&] { return bench.allPids().size() == 2; }, 10000));
    client.send(protocol::Command{"s", protocol::CommandName::Stop});
    client.expect<protocol::Ok>();
    QCOMPARE(EngineBench::finish(*engine).status, 0);
  }

  void aPausedRunStaysPaused() {
    EngineBench bench;
    bench.script(
        "state running 0\nwait pause\nstate paused 0\nkill 9\nagain\nwait pause\nstate paused "
        "0\nwait resume\nfinish 6\n");
    const auto engine = bench.start(trainLine(1));
    QVERIFY(bench.waitForState("running"));
    tests::SocketClient client(run_folder::readRunInfo(bench.onlyRun()).socket);
    client.send(protocol::Hello{});
    client.send(protocol::Command{"p", protocol::CommandName::Pause});
    client.expect<protocol::Reset>();
    QVERIFY(bench.waitForState("paused"));
    client.send(protocol::Command{"r", protocol::CommandName::Resume});
    QCOMPARE(EngineBench::finish(*engine).status, 0);
  }
};

LOCKSTEP_TEST(TstRestart)
#include "tst_restart.moc"
