#include <signal.h>

#include <QTest>
#include <thread>

#include "engine/base/host.h"
#include "engine/supervisor/rank_group.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace std::chrono_literals;
using supervisor::LocalRanks;
using supervisor::RankGroup;
using supervisor::RankGroupEnd;
using supervisor::StallLimits;
using tests::contains;
using tests::EngineBench;

namespace {

/// A group of scripted ranks in this process.
class GroupBench : public EngineBench {
 public:
  explicit GroupBench(int count) { ranks.count = count; }

  /// Until all are gone. `step` is called every 10 ms.
  RankGroupEnd run(const std::function<void()>& step = nullptr) {
    std::optional<RankGroupEnd> end;
    supervisor::RankGroupSetup setup{
        folder() / "bin/lockstep-worker", protocol::TrainJob(), ranks, limits, {}};
    group =
        std::make_unique<RankGroup>(loop, std::move(setup),
                                    RankGroup::Handlers{[](int, const protocol::WorkerMessage&) {},
                                                        [](int, const std::string&) {},
                                                        [&](const RankGroupEnd& reported) {
                                                          end = reported;
                                                          loop.stop();
                                                        }});
    // SIGCHLD may go to another thread of this process.
    loop.every(10ms, [this] { group->reap(); });
    loop.after(20s, [this] { loop.stop(); });
    if (step) loop.every(10ms, step);
    group->start();
    loop.run();
    if (!end) throw Error("the group does not end");
    return *end;
  }

  bool isGone(int rank) const { return workerPid(rank) > 0 && !tests::isAlive(workerPid(rank)); }
  bool isNobodyLeft() const {
    return std::ranges::none_of(allPids(), [](int pid) { return tests::isAlive(pid); });
  }

  LocalRanks ranks;
  StallLimits limits{0s, 5s};
  supervisor::PollLoop loop;
  std::unique_ptr<RankGroup> group;
};

}  // namespace

class TstRankGroup : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void otherRanksStartAfterRankZeroListens() {
    GroupBench bench(3);
    bench.rankScript(0, "await go\nlistening 4242\nawait all\nfinish 1\n");
    bench.rankScript(1, "await two\nfinish 1\n");
    bench.rankScript(2, "touch two\ntouch all\nfinish 1\n");
    bench.ranks.gpus = {4, 6, 5};
    std::size_t before = 0;
    const auto end = bench.run([&] {
      if (before > 0 || !bench.hasJob()) return;
      before = bench.allPids().size();
      bench.touch("go");
    });
    QVERIFY(end.finished && !end.failure);
    QCOMPARE(before, std::size_t{1});
    QCOMPARE(bench.lastPlacement(0).masterPort, 0);
    for (int rank = 0; rank < 3; ++rank) {
      const protocol::RankPlacement place = bench.lastPlacement(rank);
      QCOMPARE(place.localRank, rank);
      QCOMPARE(place.localRanks, 3);
      QCOMPARE(place.machineRanks, 3);
      QCOMPARE(place.gpu, bench.ranks.gpus[static_cast<std::size_t>(rank)]);
      if (rank > 0) QCOMPARE(place.masterPort, 4242);
    }
  }

  void withAMasterPortAllRanksStartSimultaneously() {
    GroupBench bench(2);
    bench.ranks.cluster = {.launcher = "PyTorchJob",
                           .node = 1,
                           .nodes = 3,
                           .masterAddress = "node0",
                           .masterPort = 29500,
                           .storeIsServed = true};
    bench.rankScript(0, "await other\nfinish 1\n");
    bench.rankScript(1, "touch other\nfinish 1\n");
    QVERIFY(bench.run().finished);
    for (int rank = 0; rank < 2; ++rank) {
      const protocol::RankPlacement place = bench.lastPlacement(rank);
      QCOMPARE(place.node, 1);
      QCOMPARE(place.nodes, 3);
      QCOMPARE(place.masterAddress, std::string("node0"));
      QCOMPARE(place.masterPort, 29500);
      QVERIFY(place.storeIsServed);
    }
  }

  void aSingleRankNeedNotListen() {
    GroupBench bench(1);
    bench.script("finish 3\n");
    const auto end = bench.run();
    QVERIFY(end.finished && end.finished->step == 3 && end.warning.empty());
  }

  /// A group that is gone leaves nothing behind in the loop.
  void anotherGroupMayFollow() {
    GroupBench bench(2);
    bench.rankScript(0, "listening 1\nawait one\nfinish 3\n");
    bench.rankScript(1, "touch one\nfinish 3\nagain\nexit 3\n");
    QVERIFY(bench.run().finished);
    bench.rankScript(0, "listening 1\nhang\n");
    const auto end = bench.run();
    QVERIFY(end.failure && end.failure->error.rank == 1);
    QCOMPARE(bench.allPids().size(), std::size_t{4});
  }

  void theMostSpecificSymptomIsTheCause_data() {
    QTest::addColumn<QString>("first");
    QTest::addColumn<QString>("second");
    QTest::addColumn<int>("rank");
    QTest::addColumn<QString>("cause");
    const auto row = [](const char* name, const char* first, const char* second, int rank,
                        const char* cause) {
      QTest::newRow(name) << first << second << rank << cause;
    };
    const char* lost = "failed lost-peer 1 connection closed\ntouch told\nhang\n";
    const char* thrown = "failed exception 1 bad index\ntouch told\nhang\n";
    row("lost peer, then killed", lost, "kill 9\n", 2, "SIGKILL");
    row("lost peer, then no word", lost, "exit 0\n", 2, "exit status 0");
    row("lost peer, then an exception", lost, thrown, 2, "exception");
    row("lost peer, then out of memory", lost, "failed out-of-memory 1 full\nhang\n", 2,
        "out of memory");
    row("an exception, then lost peer", thrown, lost, 1, "exception");
    row("an exception, then no word", thrown, "exit 3\n", 2, "exit status 3");
    row("no word, then killed", "touch told\nexit 3\n", "kill 11\n", 2, "SIGSEGV");
    row("abort, then killed", "touch told\nkill 6\n", "kill 9\n", 2, "SIGKILL");
    row("killed, then abort", "touch told\nkill 9\n", "kill 6\n", 1, "SIGKILL");
    row("two exceptions", thrown, "failed error 1 a.jpg\nhang\n", 1, "exception");
    row("a word and then its own abort", "failed exception 1 bad\ntouch told\nkill 6\n",
        "failed lost-peer 1 gone\nhang\n", 1, "exception");
  }
  void theMostSpecificSymptomIsTheCause() {
    QFETCH(QString, first);
    QFETCH(QString, second);
    QFETCH(int, rank);
    QFETCH(QString, cause);
    GroupBench bench(3);
    const std::string place = "heartbeat 41 backward gradients\n";
    bench.rankScript(0, "listening 1\nhang\n");
    bench.rankScript(1, place + first.toStdString());
    bench.rankScript(2, place + "await told\n" + second.toStdString());
    const auto end = bench.run();
    QVERIFY(!end.finished && end.failure);
    const protocol::RunError& error = end.failure->error;
    QCOMPARE(error.rank, rank);
    QCOMPARE(error.cause.text(), cause.toStdString());
    QCOMPARE(error.host, base::hostName());
    QCOMPARE(error.step, std::int64_t{41});
    QCOMPARE(error.phase.text(), std::string("backward"));
    QCOMPARE(error.collective, std::string("gradients"));
    const std::string name = "rank " + std::to_string(rank) + " on " + base::hostName() + " ";
    const std::string place41 = " at step 41 in backward, last collective gradients";
    QVERIFY2(error.message.starts_with(name) && contains(error.message, place41),
             error.message.c_str());
    QVERIFY(bench.isNobodyLeft());
  }

  void failureOnAnotherMachineIsNamedByRankZero() {
    GroupBench bench(1);
    bench.ranks.cluster.nodes = 4;
    bench.ranks.cluster.startsEveryRank = true;
    bench.ranks.cluster.masterPort = 1;
    bench.script(
        "failed-rank 3 node7 silence not heard of for 6 s\nfailed lost-peer 1 connection closed\n"
        "exit 1\n");
    const auto end = bench.run();
    QVERIFY(end.failure);
    const protocol::RunError& error = end.failure->error;
    QCOMPARE(error.rank, 3);
    QCOMPARE(error.host, std::string("node7"));
    QCOMPARE(error.cause.text(), std::string("silence"));
    QCOMPARE(error.step, std::int64_t{5});
    QCOMPARE(error.collective, std::string("gradients"));
  }

  void aStoppedRankIsNamed() {
    GroupBench bench(3);
    bench.limits.silence = 1500ms;
    bench.rankScript(0, "listening 1\nheartbeat 5 backward gradients waiting\nhang\n");
    bench.rankScript(1, "heartbeat 5 forward\nkill 19\n");
    bench.rankScript(2, "heartbeat 5 backward gradients waiting\nhang\n");
    const auto end = bench.run();
    QVERIFY(end.failure);
    QCOMPARE(end.failure->error.rank, 1);
    QCOMPARE(end.failure->error.cause.text(), std::string("silence"));
    QVERIFY2(contains(end.failure->line, " sent no heartbeat for 1.5 s at step 5 in forward"),
             end.failure->line.c_str());
    QVERIFY(end.failure->isRetryable);
    QVERIFY(bench.isNobodyLeft());
  }

  /// As while it loads its libraries; one that merely takes long there is let alone.
  void aRankThatIsStoppedBeforeItsFirstHeartbeatIsNamed() {
    GroupBench bench(2);
    bench.limits.silence = 1s;
    bench.rankScript(0, "listening 1\nhang\n");
    bench.rankScript(1, "mute\nkill 19\n");
    const auto end = bench.run();
    QVERIFY(end.failure);
    QCOMPARE(end.failure->error.rank, 1);
    QCOMPARE(end.failure->error.cause.text(), std::string("silence"));
    QVERIFY(bench.isNobodyLeft());
  }

  /// As when the machine sleeps, or everything on it is stopped and goes on.
  void silenceWhileThisProcessWasStoppedDoesNotCount() {
    GroupBench bench(1);
    bench.limits.silence = 1s;
    bench.script("await awake\nfinish 1\n");
    int turns = 0;
    const auto end = bench.run([&] {
      if (!bench.hasJob() || ++turns > 20) return;
      if (turns == 1) ::kill(bench.workerPid(), SIGSTOP);
      if (turns < 20) return;               // by then everything is read that it sent before
      std::this_thread::sleep_for(2100ms);  // over 2 s, so that the next watch is late
      bench.loop.after(300ms, [&] { ::kill(bench.workerPid(), SIGCONT); });
      bench.loop.after(1500ms, [&] { bench.touch("awake"); });  // longer than signs are collected
    });
    QVERIFY2(end.finished, end.failure ? end.failure->line.c_str() : "");
  }

  void theRankOutsideACollectiveStalls() {
    GroupBench bench(3);
    bench.limits.stall = 1s;
    bench.rankScript(0, "listening 1\nheartbeat 5 backward gradients waiting\nhang\n");
    bench.rankScript(1, "heartbeat 5 backward gradients waiting\nhang\n");
    bench.rankScript(2, "heartbeat 5 data\nhang\n");
    const auto end = bench.run();
    QVERIFY(end.failure);
    QCOMPARE(end.failure->error.rank, 2);
    QCOMPARE(end.failure->error.cause.text(), std::string("stalled"));
    QCOMPARE(end.failure->error.phase.text(), std::string("data"));
    QVERIFY2(contains(end.failure->line, "made no progress for 1 s (runtime.stall_seconds)"),
             end.failure->line.c_str());
    QVERIFY(bench.isNobodyLeft());
  }

  void stallOfAllRanksIsReportedAsSuch() {
    GroupBench bench(2);
    bench.limits.stall = 1s;
    bench.script("listening 1\nheartbeat 5 backward gradients waiting\nhang\n");
    const auto end = bench.run();
    QVERIFY(end.failure);
    QCOMPARE(end.failure->error.rank, 0);
    QVERIFY2(contains(end.failure->line, "like all ranks here"), end.failure->line.c_str());
  }

  void anEarlyExitOfAnotherRankIsNoFailure() {
    GroupBench bench(2);
    bench.rankScript(0, "listening 1\nawait gone\nfinish 9\n");
    bench.rankScript(1, "finish 8\n");
    bool isReported = false;
    const auto end = bench.run([&] {
      if (isReported || !bench.isGone(1)) return;
      isReported = true;
      bench.loop.after(1300ms, [&] { bench.touch("gone"); });  // longer than signs are collected
    });
    QVERIFY(end.finished && !end.failure);
    QCOMPARE(end.finished->step, std::int64_t{9});
  }

  void theGroupEndsWhenRankZeroFinishes() {
    GroupBench bench(2);
    bench.rankScript(0, "listening 1\nawait other\nfinish 9\n");
    bench.rankScript(1, "touch other\nawait gone\nfailed lost-peer 1 connection closed\nexit 1\n");
    bool isReported = false;
    const auto end = bench.run([&] {
      if (isReported || !bench.isGone(0)) return;
      isReported = true;
      bench.touch("gone");
    });
    QVERIFY(end.finished && !end.failure);
    QVERIFY2(contains(end.warning, "rank 1"), end.warning.c_str());
  }

  void killedOnRequestIsNoFailure() {
    GroupBench bench(2);
    bench.script("listening 1\ntouch here\nhang\n");
    const auto end = bench.run([&] {
      if (bench.allPids().size() == 2) bench.group->kill();
    });
    QVERIFY(!end.failure && !end.finished);
    QVERIFY(bench.isNobodyLeft());
  }

  void aSymptomIsReportedAlthoughTheRestWasKilledOnRequest() {
    GroupBench bench(2);
    bench.rankScript(0, "listening 1\nhang\n");
    bench.rankScript(1, "exit 3\n");
    const auto end = bench.run([&] {
      if (!bench.isGone(1)) return;
      bench.group->reap();
      bench.group->kill();
    });
    QVERIFY(end.failure && end.failure->error.rank == 1);
  }

  void aProgramThatDoesNotStartIsReported() {
    GroupBench bench(2);
    bench.removeWorker();
    const auto end = bench.run();
    QVERIFY(end.failure);
    QCOMPARE(end.failure->error.cause.text(), std::string("start"));
    QVERIFY2(contains(end.failure->line, "lockstep-worker: cannot be started"),
             end.failure->line.c_str());
    QVERIFY(!end.failure->isRetryable);
  }

  void failuresAreRetryableExceptForSomeCauses_data() {
    QTest::addColumn<QString>("script");
    QTest::addColumn<bool>("mayPass");
    QTest::newRow("killed") << "kill 9\n" << true;
    QTest::newRow("no word") << "exit 3\n" << true;
    QTest::newRow("exception") << "failed exception 1 bad index\nexit 1\n" << true;
    QTest::newRow("data") << "failed error 1 a.jpg is truncated\nexit 1\n" << false;
    QTest::newRow("user error") << "failed exception 2 no such key\nexit 2\n" << false;
  }
  void failuresAreRetryableExceptForSomeCauses() {
    QFETCH(QString, script);
    QFETCH(bool, mayPass);
    GroupBench bench(1);
    bench.script(script.toStdString());
    const auto end = bench.run();
    QVERIFY(end.failure);
    QCOMPARE(end.failure->isRetryable, mayPass);
  }
};

LOCKSTEP_TEST(TstRankGroup)
#include "tst_rank_group.moc"
