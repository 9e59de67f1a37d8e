// Queued runs with a scripted worker: who waits for whom, what clients and the shell see, and what
// is left when processes are killed.
#include <signal.h>

#include <QTest>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "tests/support/contains.h"
#include "tests/support/fake_nvml/fake_nvml_file.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
using tests::SocketClient;
namespace fs = std::filesystem;

namespace {

constexpr const char* kTrainsOn = "state running 0\ntrain-until-stop 1\n";

/// Runs by name in a bench; all that live are killed in the end.
class QueueBench {
 public:
  QueueBench() { bench.script(kTrainsOn); }
  ~QueueBench() {
    for (const auto& run : run_folder::listRuns(bench.folder() / "runs"))
      if (run.alive && run.info.pid > 1) ::kill(static_cast<pid_t>(run.info.pid), SIGKILL);
  }
  QueueBench(const QueueBench&) = delete;
  QueueBench& operator=(const QueueBench&) = delete;

  run_folder::Layout layout(const std::string& run) const {
    return run_folder::Layout(bench.folder() / "runs" / run);
  }
  run_folder::RunInfo info(const std::string& run) const {
    return run_folder::summarise(layout(run).folder()).info;
  }
  std::string state(const std::string& run) const { return info(run).state.text(); }
  int position(const std::string& run) const { return info(run).queuePosition.value_or(0); }
  /// `queued 2`, `running`
  std::string place(const std::string& run) const {
    const auto known = info(run);
    const std::string number =
        known.queuePosition ? " " + std::to_string(*known.queuePosition) : "";
    return known.state.text() + number;
  }
  bool waitFor(const std::string& run, const std::string& place) const {
    return QTest::qWaitFor([&] { return this->place(run) == place; }, 20000);
  }
  /// Until a queued run has looked twice whether it is its turn: it makes its removed lock again
  /// just before. Only for the last in the queue: to those behind it a run without a lock is gone.
  bool waitForALook(const std::string& run) const {
    const fs::path lock =
        bench.folder() / "locks/queue" /
        (run_folder::idOf(fs::canonical(layout(run).folder()).string()) + ".lock");
    for (int look = 0; look < 2; ++look) {
      if (!fs::remove(lock)) return false;
      if (!QTest::qWaitFor([&] { return fs::exists(lock); }, 20000)) return false;
    }
    return true;
  }
  bool waitForEnd(const std::string& run) const {
    return QTest::qWaitFor([&] { return !run_folder::RunLock::isHeld(layout(run)); }, 20000);
  }

  /// `train --queue` or `--detach` with what else; waits until it has returned.
  tests::EngineResult train(const std::string& run, const std::string& how,
                            const std::vector<std::string>& more = {}) const {
    std::vector<std::string> line{"train", "experiment.yaml", "--output", "runs/" + run, how};
    line.insert(line.end(), more.begin(), more.end());
    auto result = bench.run(line);
    if (result.status != 0) throw Error("train " + run + ": " + result.err);
    return result;
  }
  void signal(const std::string& run, int number) const {
    ::kill(static_cast<pid_t>(info(run).pid), number);
  }
  /// Its process is gone at once.
  void kill(const std::string& run) const {
    const int pid = static_cast<int>(info(run).pid);
    ::kill(pid, SIGKILL);
    if (!QTest::qWaitFor([pid] { return !tests::isAlive(pid); }, 20000)) throw Error("it lives");
  }
  SocketClient connect(const std::string& run) const { return SocketClient(info(run).socket); }
  /// The answer to a request: empty for `ok`.
  std::string ask(const std::string& run, const protocol::ClientMessage& request) const {
    SocketClient client = connect(run);
    client.send(request);
    const auto answer = client.next();
    if (const auto* refused = std::get_if<protocol::ErrorReply>(&answer.value()))
      return refused->message;
    return std::holds_alternative<protocol::Ok>(*answer) ? "" : "no answer";
  }

  EngineBench bench;
};

/// With two GPUs of a fake driver.
struct GpuQueueBench : QueueBench {
  GpuQueueBench() {
    nvml.setAnswers(tests::kTwoGpus);
    bench.setVariable("LD_LIBRARY_PATH", tests::FakeNvml::folder());
    bench.script(R"(finish 0 result {"cuda_kernels":true,"usable_gpus":2})", "info");
    bench.script("await never\n");
    bench.rankScript(0, "listening 9\n" + std::string(kTrainsOn));
  }
  tests::FakeNvml nvml;
};

bool hasLog(const run_folder::Layout& layout, const std::string& text) {
  return std::ranges::any_of(tests::recordsOf(layout), [&](const events::Record& record) {
    return contains(record.json, text);
  });
}

}  // namespace

class TstQueue : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void queuedRunsTrainOneAfterTheOther() {
    QueueBench runs;
    const auto first = runs.train("a", "--queue");
    QCOMPARE(first.out, runs.layout("a").folder().string() + "\n");
    QVERIFY2(runs.waitFor("a", "running"), "nobody is before it");
    runs.train("b", "--queue");
    runs.train("c", "--queue");
    QCOMPARE(runs.place("b"), std::string("queued 1"));
    QCOMPARE(runs.place("c"), std::string("queued 2"));
    QVERIFY2(hasLog(runs.layout("c"), "queued at position 2 for the CPU"), "its log says so");
    QVERIFY(!contains(base::readFile(runs.layout("c").engineLog()), "warning"));
    runs.signal("a", SIGTERM);
    QVERIFY(runs.waitFor("b", "running"));
    QVERIFY(runs.waitFor("c", "queued 1"));
    QCOMPARE(runs.state("a"), std::string("stopped"));
    runs.kill("b");
    QVERIFY2(runs.waitFor("c", "running"), "a killed holder frees its devices");
    QVERIFY(runs.info("c").started >= runs.info("b").started);
  }

  void aQueuedRunServesItsSocket() {
    QueueBench runs;
    runs.train("h", "--detach");
    runs.train("a", "--queue");
    SocketClient client = runs.connect("a");
    client.send(protocol::Hello{});
    QCOMPARE(client.expect<protocol::Welcome>().state.text(), std::string("queued"));
    QCOMPARE(client.expect<protocol::State>().state.text(), std::string("queued"));
    client.send(protocol::Command{"s", protocol::CommandName::Status});
    const auto status = std::get<protocol::RunStatus>(client.expect<protocol::Ok>().answer);
    QCOMPARE(status.state.text(), std::string("queued"));
    QCOMPARE(status.queuePosition.value_or(0), 1);
    QVERIFY(status.ranks.empty());
    using enum protocol::CommandName;
    for (const auto name : {Pause, Resume, Checkpoint, Evaluate}) {
      QCOMPARE(runs.ask("a", protocol::Command{"1", name}),
               std::string("the run is queued and has not started: only status, queue and stop "
                           "are possible"));
    }
    QVERIFY(contains(runs.ask("a", protocol::PredictRequest{.id = "1", .imageIds = {1}}),
                     "the run is queued"));
    QCOMPARE(runs.ask("h", protocol::QueueRequest{"1", 1}),
             std::string("the run is not queued: it has started"));
    QCOMPARE(runs.ask("h", protocol::Command{"1", Dequeue}),
             std::string("the run is not queued: it has started"));
    client.sendLine(R"({"v":1,"type":"queue","id":"x","position":0})");
    QVERIFY(contains(client.expect<protocol::ErrorReply>().message, "at least 1"));
    runs.signal("h", SIGTERM);
    QCOMPARE(client.expect<protocol::State>().state.text(), std::string("starting"));
    QCOMPARE(client.expect<protocol::State>().state.text(), std::string("running"));
    client.expect<protocol::Scalars>();
    QCOMPARE(runs.place("a"), std::string("running"));
  }

  void stoppingAQueuedRunFreesItsPlace_data() {
    using protocol::CommandName;
    QTest::addColumn<int>("signal");
    QTest::addColumn<CommandName>("command");
    QTest::newRow("stop") << 0 << CommandName::Stop;
    QTest::newRow("dequeue") << 0 << CommandName::Dequeue;
    QTest::newRow("SIGTERM") << SIGTERM << CommandName::Status;
    QTest::newRow("SIGINT") << SIGINT << CommandName::Status;
  }
  void stoppingAQueuedRunFreesItsPlace() {
    QFETCH(int, signal);
    QFETCH(lockstep::protocol::CommandName, command);
    QueueBench runs;
    runs.train("h", "--detach");
    runs.train("a", "--queue");
    runs.train("b", "--queue");
    if (signal != 0) {
      runs.signal("a", signal);
    } else {
      QCOMPARE(runs.ask("a", protocol::Command{"1", command}), std::string());
    }
    QVERIFY(runs.waitForEnd("a"));
    QCOMPARE(runs.place("a"), std::string("stopped"));
    QVERIFY(!runs.info("a").error);
    QVERIFY(runs.waitFor("b", "queued 1"));
    QVERIFY(contains(base::readFile(runs.layout("a").engineLog()), "stopped while queued; "));
    const auto again = runs.bench.run({"train", "runs/a", "--resume", "--queue"});
    QVERIFY2(again.status == 0, again.err.c_str());
    QCOMPARE(runs.place("a"), std::string("queued 2"));
  }

  void clientsReorderTheQueue() {
    QueueBench runs;
    runs.train("h", "--detach");
    for (const char* run : {"a", "b", "c"}) runs.train(run, "--queue");
    QCOMPARE(runs.ask("c", protocol::QueueRequest{"1", 1}), std::string());
    QCOMPARE(runs.place("c"), std::string("queued 1"));
    QVERIFY(runs.waitFor("a", "queued 2"));
    QVERIFY(runs.waitFor("b", "queued 3"));
    QCOMPARE(runs.ask("c", protocol::QueueRequest{"1", 100}), std::string());
    QCOMPARE(runs.place("c"), std::string("queued 3"));
    runs.signal("h", SIGTERM);
    QVERIFY(runs.waitFor("a", "running"));
  }

  void twoClientsReorderAtOnce() {
    QueueBench runs;
    runs.train("h", "--detach");
    for (const char* run : {"a", "b", "c"}) runs.train(run, "--queue");
    std::vector<SocketClient> clients;
    for (const char* run : {"a", "b", "c"}) clients.push_back(runs.connect(run));
    for (int turn = 0; turn < 20; ++turn) {
      for (SocketClient& client : clients) client.send(protocol::QueueRequest{"1", 1 + turn % 3});
    }
    for (SocketClient& client : clients)
      for (int turn = 0; turn < 20; ++turn) client.expect<protocol::Ok>();
    const auto isPermutation = [&] {
      std::vector<int> positions{runs.position("a"), runs.position("b"), runs.position("c")};
      std::ranges::sort(positions);
      return positions == std::vector{1, 2, 3};
    };
    QTRY_VERIFY_WITH_TIMEOUT(isPermutation(), 20000);
  }

  void aBusyDeviceIsAWarning() {
    QueueBench runs;
    runs.train("h", "--detach");
    runs.train("q", "--queue");
    runs.train("own", "--detach");
    QVERIFY(runs.waitFor("own", "running"));
    const std::string warning =
        "the CPU is in use by run h (" + runs.layout("h").folder().string() + ", pid " +
        std::to_string(runs.info("h").pid) + "); both will be slower; --queue waits for it";
    QVERIFY2(contains(base::readFile(runs.layout("own").engineLog()),
                      "[engine] warning: " + warning + "\n"),
             base::readFile(runs.layout("own").engineLog()).c_str());
    QVERIFY(hasLog(runs.layout("own"), warning));
    runs.signal("h", SIGTERM);
    QVERIFY(runs.waitForEnd("h"));
    QVERIFY(runs.waitForALook("q"));
    QVERIFY2(runs.place("q") == "queued 1", "the other still trains on it");
    runs.signal("own", SIGTERM);
    QVERIFY(runs.waitFor("q", "running"));
  }

  void theDevicesAreHeldWhileRanksAreStartedAgain() {
    QueueBench runs;
    runs.bench.script(
        "state running 0\nawait go\nkill 9\nagain\nstate running 0\ntrain-until-stop 1\n");
    runs.train("h", "--detach", {"--set", "runtime.max_restarts=1"});
    QVERIFY(runs.waitFor("h", "running"));
    runs.train("q", "--queue");
    const int before = runs.bench.workerPid();
    runs.bench.touch("go");
    QTRY_VERIFY_WITH_TIMEOUT(runs.bench.workerPid() != before, 20000);
    QVERIFY(runs.waitForALook("q"));
    QCOMPARE(runs.place("q"), std::string("queued 1"));
  }

  void killedWaitersAreFoundAgain() {
    QueueBench runs;
    runs.train("h", "--detach");
    for (const char* run : {"a", "b", "c", "d"}) runs.train(run, "--queue");
    QCOMPARE(runs.ask("d", protocol::QueueRequest{"1", 1}), std::string());
    for (const char* place : {"queued 2", "queued 3", "queued 4"})
      QVERIFY(runs.waitFor(std::string(1, static_cast<char>('a' + place[7] - '2')), place));
    for (const char* run : {"a", "b", "c", "d", "h"}) runs.kill(run);  // the machine restarts
    fs::remove_all(runs.bench.folder() / "locks");
    const auto info = runs.info("a");
    QCOMPARE(info.state.text(), std::string("queued"));
    QVERIFY(info.error);
    QCOMPARE(info.error->message, std::string("its waiting process is gone; `lockstep-engine runs "
                                              "--start-queued` queues it again"));
    const auto listed = runs.bench.run({"runs"});
    QVERIFY2(contains(listed.out, "queued (2)") && contains(listed.err, info.error->message),
             (listed.out + listed.err).c_str());
    const auto runsListed = nlohmann::json::parse(runs.bench.run({"runs", "--format", "json"}).out);
    for (const auto& run : runsListed) {
      const bool waits = run.at("run") != "h";
      QCOMPARE(run.at("state").get<std::string>(), std::string(waits ? "queued" : "failed"));
      QCOMPARE(run.at("queue_position").is_null(), !waits);
    }
    runs.train("n", "--detach");
    const auto started = runs.bench.run({"runs", "--start-queued"});
    QVERIFY2(started.status == 0, started.err.c_str());
    std::string expected;
    for (const char* run : {"d", "a", "b", "c"})
      expected += runs.layout(run).folder().string() + "\n";
    QCOMPARE(started.out, expected);
    QVERIFY(runs.waitFor("d", "queued 1"));
    QVERIFY(runs.waitFor("c", "queued 4"));
    QVERIFY(!runs.info("d").error);
    const auto again = runs.bench.run({"runs", "runs", "--start-queued"});
    QVERIFY2(again.status == 0 && again.out.empty(), "all of them wait already");
    runs.kill("n");
    QVERIFY(runs.waitFor("d", "running"));
  }

  void aKilledWaiterEntersWhereItWas() {
    QueueBench runs;
    runs.train("h", "--detach");
    for (const char* run : {"a", "b", "c"}) runs.train(run, "--queue");
    runs.kill("b");
    QVERIFY(runs.waitFor("c", "queued 2"));
    QCOMPARE(runs.bench.run({"runs", "--start-queued"}).status, 0);
    QCOMPARE(runs.place("b"), std::string("queued 2"));
    QVERIFY(runs.waitFor("c", "queued 3"));
    runs.kill("a");
    const auto resumed = runs.bench.run({"train", "runs/a", "--resume", "--detach"});
    QVERIFY2(resumed.status == 0, resumed.err.c_str());
    QVERIFY2(runs.waitFor("a", "running"), "without the queue");
    const auto taken = runs.bench.run({"train", "runs/b", "--resume"});
    QCOMPARE(taken.status, 2);
    QVERIFY2(contains(taken.err, ": this run is already in the queue, in process "),
             taken.err.c_str());
  }

  void aRunThatCannotWaitAgainDoesNotKeepOthersFromIt() {
    QueueBench runs;
    runs.train("h", "--detach");
    for (const char* run : {"a", "b", "c"}) runs.train(run, "--queue");
    for (const char* run : {"a", "b", "c"}) runs.kill(run);
    std::ofstream(runs.layout("a").config()) << "name: [\n";
    auto info = run_folder::readRunInfo(runs.layout("b"));
    info.host = "elsewhere";
    run_folder::writeRunInfo(runs.layout("b"), info);
    const auto started = runs.bench.run({"runs", "--start-queued"});
    QCOMPARE(started.status, 1);
    QCOMPARE(started.out, runs.layout("c").folder().string() + "\n");
    QVERIFY2(contains(started.err, "runs/a") && contains(started.err, "is queued on elsewhere; "),
             started.err.c_str());
    const auto refused = runs.bench.run({"runs", "--start-queued", "--format", "json"});
    QCOMPARE(refused.status, 2);
  }

  void aQueuedRangeTestIsFoundAgain() {
    QueueBench runs;
    runs.train("h", "--detach");
    runs.train("t", "--queue", {"--find-lr"});
    runs.kill("t");
    QCOMPARE(runs.bench.run({"runs", "--start-queued"}).status, 0);
    QVERIFY(runs.info("t").isRangeTest);
    QCOMPARE(runs.info("t").name, std::string("bench-find-lr"));
    runs.kill("h");
    QVERIFY(runs.waitFor("t", "running"));
    QVERIFY(runs.bench.lastJob().isRangeTest);
    runs.kill("t");
    const auto refused = runs.bench.run({"train", "runs/t", "--resume"});
    QVERIFY2(contains(refused.err, "cannot be resumed"), refused.err.c_str());
  }

  void faultsAreFoundBeforeARunIsQueued() {
    QueueBench runs;
    const auto wrongKey =
        runs.bench.run({"train", "experiment.yaml", "--queue", "--set", "solver.optimiser=sgd"});
    QCOMPARE(wrongKey.status, 2);
    QVERIFY(!fs::exists(runs.bench.folder() / "runs"));
    runs.bench.setVariable("RANK", "0");
    runs.bench.setVariable("LOCAL_RANK", "0");
    runs.bench.setVariable("WORLD_SIZE", "1");
    for (const char* option : {"--queue", "--devices=cpu"}) {
      const auto launched = runs.bench.run({"train", "experiment.yaml", option});
      QCOMPARE(launched.status, 2);
      QVERIFY2(contains(launched.err, "is only for one machine without a launcher: under torchrun"),
               launched.err.c_str());
      QCOMPARE(std::ranges::count(launched.err, '\n'), 1);
    }
    QVERIFY(!fs::exists(runs.bench.folder() / "runs"));
  }

  void aRunThatCannotStartFails() {
    QueueBench runs;
    runs.train("h", "--detach");
    const fs::path told = runs.bench.folder() / "told";
    runs.train("a", "--queue", {"--set", "monitor.on_event.end=cat > " + told.string()});
    runs.bench.removeWorker();
    runs.signal("h", SIGTERM);
    QVERIFY(runs.waitForEnd("a"));
    QVERIFY(contains(base::readFile(told), R"("state":"failed")"));
    QCOMPARE(runs.place("a"), std::string("failed"));
    QVERIFY(runs.info("a").error);
    QVERIFY2(contains(runs.info("a").error->message, "lockstep-worker"),
             runs.info("a").error->message.c_str());
  }

  void aRemovedFolderEndsTheWait() {
    QueueBench runs;
    runs.train("h", "--detach");
    runs.train("a", "--queue");
    const int pid = static_cast<int>(runs.info("a").pid);
    runs.train("b", "--queue");
    fs::remove_all(runs.layout("a").folder());
    QTRY_VERIFY_WITH_TIMEOUT(!tests::isAlive(pid), 20000);
    QVERIFY(runs.waitFor("b", "queued 1"));
  }

  void runsOnOtherDevicesDoNotWait() {
    GpuQueueBench runs;
    runs.train("a", "--queue", {"--devices", "0"});
    QVERIFY(runs.waitFor("a", "running"));
    QVERIFY(fs::exists(runs.bench.folder() / "locks/devices/GPU-aaaa.lock"));
    runs.train("b", "--queue", {"--devices", "0,1"});
    runs.train("c", "--queue", {"--devices", "GPU-bbbb"});
    runs.train("d", "--queue", {"--devices", "cpu"});
    QVERIFY2(runs.waitFor("d", "running"), "no other is on the CPU");
    QVERIFY(runs.waitForALook("c"));
    QCOMPARE(runs.place("b"), std::string("queued 1"));
    QVERIFY2(runs.place("c") == "queued 2", "GPU 1 is free, but b waits for it");
    QCOMPARE(runs.ask("c", protocol::QueueRequest{"1", 1}), std::string());
    QVERIFY(runs.waitFor("c", "running"));
    runs.train("e", "--detach", {"--devices", "GPU-a"});
    QVERIFY(runs.waitFor("e", "running"));
    QVERIFY2(hasLog(runs.layout("e"), "GPU 0 (NVIDIA H200) is in use by run a ("),
             base::readFile(runs.layout("e").engineLog()).c_str());
    const auto said = runs.bench.run({"info"}).out;
    QVERIFY2(contains(said, "in use: GPU 0 (NVIDIA H200) by run a (") &&
                 contains(said, "in use: the CPU by run d (") &&
                 contains(said, "queued: 1: " + runs.layout("b").folder().string() + "\n"),
             said.c_str());
    for (const char* run : {"a", "e"}) runs.kill(run);
    runs.signal("c", SIGTERM);
    QTRY_VERIFY_WITH_TIMEOUT(runs.place("b") == "starting" || runs.place("b") == "running", 20000);
  }

  void followersLockTheirDevices() {
    QueueBench runs;
    auto& bench = runs.bench;
    for (const auto& [name, value] :
         {std::pair{"RANK", "1"}, std::pair{"LOCAL_RANK", "1"}, std::pair{"WORLD_SIZE", "2"},
          std::pair{"MASTER_ADDR", "127.0.0.1"}, std::pair{"MASTER_PORT", "29500"}})
      bench.setVariable(name, value);
    bench.script("touch first\nawait go\nfinish 6\n");
    const auto first = bench.start({"train", "experiment.yaml"});
    QTRY_VERIFY_WITH_TIMEOUT(fs::exists(bench.folder() / "bin/first"), 20000);
    bench.script("finish 6\n");
    const auto second = bench.run({"train", "experiment.yaml"});
    QVERIFY2(second.status == 0 && !contains(second.err, "in use"), second.err.c_str());
    bench.setVariable("MASTER_PORT", "29600");
    const auto other = bench.run({"train", "experiment.yaml"});
    QVERIFY2(contains(other.err, "the CPU is in use by a run on several machines (pid "),
             other.err.c_str());
    QVERIFY2(!contains(other.err, "--queue"), "the launcher has a queue of its own");
    bench.touch("go");
    QCOMPARE(EngineBench::finish(*first).status, 0);
  }

  /// The short form of a script that is run by hand with many rounds.
  void aDisturbedQueueGoesOn() {
    if (tests::python().isEmpty()) QSKIP("needs Python: packaging/setup.sh --dev");
    constexpr int kRounds = 5;
    const fs::path script = tests::sourceFolder() / "tests/stress/run_queue.py";
    const fs::path build =
        fs::path(tests::program("fake_worker").toStdString()).parent_path() / "..";
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(tests::python(),
                  {QString::fromStdString(script.string()), QStringLiteral("--build"),
                   QString::fromStdString(build.string()), QStringLiteral("--trials"),
                   QString::number(kRounds)});
    QVERIFY(process.waitForFinished(300000));
    const QByteArray said = process.readAll();
    QVERIFY2(process.exitCode() == 0, said.constData());
    QCOMPARE(said.count(": all others went on"), kRounds);
  }

  void aRunTrainsWhereItCannotLock() {
    QueueBench runs;
    std::ofstream(runs.bench.folder() / "locks") << "no folder";
    runs.bench.script("state running 0\nscalars 1 6\ncheckpoint 6 last\nfinish 6\n");
    const auto result = runs.bench.run({"train", "experiment.yaml"});
    QVERIFY2(result.status == 0, result.err.c_str());
    QVERIFY2(contains(result.err, "warning: queued runs may start beside this one: "),
             result.err.c_str());
    const auto queued = runs.bench.run({"train", "experiment.yaml", "--queue"});
    QVERIFY2(queued.status == 1 && contains(queued.err, "is not a folder"), queued.err.c_str());
  }
};

LOCKSTEP_TEST(TstQueue)
#include "tst_queue.moc"
