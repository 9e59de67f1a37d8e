#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <QTest>
#include <algorithm>
#include <fstream>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/events/reader.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
using tests::SocketClient;
namespace fs = std::filesystem;

namespace {

/// A run whose worker has come to where its script waits.
struct LivingRun {
  explicit LivingRun(const std::string& script, const std::string& maxSteps = "6") {
    bench.script("state running 0\n" + script);
    engine = bench.start({"train", "experiment.yaml", "--output", "runs/one", "--set",
                          "solver.max_steps=" + maxSteps});
    if (!bench.waitForState("running"))
      throw Error("the run does not start: " + EngineBench::finish(*engine).err);
  }
  run_folder::Layout layout() const { return run_folder::Layout(bench.folder() / "runs/one"); }
  fs::path socket() const { return run_folder::readRunInfo(layout()).socket; }
  SocketClient connect() const { return SocketClient(socket()); }

  EngineBench bench;
  std::unique_ptr<QProcess> engine;
};

std::int64_t seqOf(const protocol::EngineMessage& message) {
  return std::visit(
      [](const auto& content) -> std::int64_t {
        if constexpr (requires {
                        content.time;
                        content.seq;
                      })
          return content.seq;
        return -1;
      },
      message);
}

/// seq of every record among the messages.
std::vector<std::int64_t> seqsOf(const std::vector<protocol::EngineMessage>& messages) {
  std::vector<std::int64_t> seqs;
  for (const auto& message : messages) {
    if (seqOf(message) >= 0) seqs.push_back(seqOf(message));
  }
  return seqs;
}

/// seq of the scalars and events in the log, after `since`.
std::vector<std::int64_t> loggedSeqs(const run_folder::Layout& layout, std::int64_t since) {
  std::vector<std::int64_t> seqs;
  for (const auto& record : tests::recordsOf(layout)) {
    const bool isSent =
        record.kind == events::Record::Kind::Scalars || record.kind == events::Record::Kind::Event;
    if (isSent && record.seq > since) seqs.push_back(record.seq);
  }
  return seqs;
}

protocol::RunStatus statusIn(const protocol::Ok& ok) {
  return std::get<protocol::RunStatus>(ok.answer);
}

std::string pathIn(const protocol::Ok& ok) {
  return std::get<protocol::AnswerPath>(ok.answer).path;
}

}  // namespace

class TstSocket : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { living_ = std::make_unique<LivingRun>("hang\n"); }

  void helloIsAnsweredWithWelcome() {
    auto client = living_->connect();
    client.send(protocol::Hello{});
    const auto welcome = client.expect<protocol::Welcome>();
    QCOMPARE(welcome.run, living_->layout().folder().string());
    QCOMPARE(welcome.attempt, 1);
    QCOMPARE(welcome.state.text(), std::string("running"));
    QVERIFY(welcome.seq >= 2);
  }

  void pastAndLiveRecordsComeOnceAndInOrder_data() {
    QTest::addColumn<qlonglong>("since");
    QTest::newRow("all") << qlonglong{-1};
    QTest::newRow("from the middle") << qlonglong{150};
  }
  void pastAndLiveRecordsComeOnceAndInOrder() {
    QFETCH(qlonglong, since);
    // 300 records before the greeting, 6000 while the client reads.
    LivingRun run("scalars 1 300\nlog info half\nwait pause\nscalars 301 6300\nfinish 6300\n",
                  "6300");
    auto client = run.connect();
    client.send(protocol::Hello{});
    while (client.expect<protocol::Log>().text != "half") {
    }
    client.send(protocol::Hello{since, 1});
    client.expect<protocol::Welcome>();
    client.send(protocol::Command{"p", protocol::CommandName::Pause});
    const auto messages = client.rest();
    QCOMPARE(EngineBench::finish(*run.engine).status, 0);
    const auto seqs = seqsOf(messages);
    QVERIFY(seqs.size() >= 6000);
    QVERIFY2(seqs == loggedSeqs(run.layout(), since), "no gap, no double, in order");
    const auto* last = std::get_if<protocol::State>(&messages.back());
    QVERIFY(last && last->state == protocol::RunState::Finished);
  }

  void everyClientGetsEverything() {
    LivingRun run("wait pause\nscalars 1 400\nfinish 400\n", "400");
    std::vector<SocketClient> clients;
    for (int i = 0; i < 5; ++i) {
      clients.push_back(run.connect());
      clients.back().send(protocol::Hello{});
    }
    clients[0].send(protocol::Command{"p", protocol::CommandName::Pause});
    std::vector<std::vector<std::int64_t>> seqs;
    for (auto& client : clients) seqs.push_back(seqsOf(client.rest()));
    QCOMPARE(EngineBench::finish(*run.engine).status, 0);
    for (const auto& each : seqs) QCOMPARE(each, loggedSeqs(run.layout(), -1));
  }

  void clientThatNeverReadsSlowsNobody() {
    LivingRun run("wait pause\nscalars 1 20000\nfinish 20000\n", "20000");
    auto sleeper = run.connect();
    sleeper.send(protocol::Hello{});
    auto client = run.connect();
    client.send(protocol::Hello{});
    client.send(protocol::Command{"p", protocol::CommandName::Pause});
    const auto seqs = seqsOf(client.rest());
    QCOMPARE(EngineBench::finish(*run.engine).status, 0);
    QCOMPARE(seqs, loggedSeqs(run.layout(), -1));
  }

  void clientThatAsksAndNeverReadsIsDropped() {
    LivingRun run("hang\n");
    auto client = run.connect();
    const auto flood = [&client] {
      for (int i = 0; i < 1'000'000; ++i)
        client.send(protocol::Command{std::string(100, 'x'), protocol::CommandName::Status});
    };
    QVERIFY_THROWS_EXCEPTION(Error, flood());
    auto other = run.connect();
    other.send(protocol::Command{"s", protocol::CommandName::Status});
    QCOMPARE(other.expect<protocol::Ok>().id, std::string("s"));
  }

  void clientOfAnOlderAttemptForgetsWhatWasCut() {
    EngineBench bench;
    bench.script("state running 0\nscalars 1 2\ncheckpoint 2\nscalars 3 4\nkill 9\n");
    QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "runs/one"}).status, 1);
    const run_folder::Layout layout(bench.folder() / "runs/one");
    const std::int64_t held = tests::recordsOf(layout).back().seq;
    bench.script("state running 2\nscalars 3 6\nhang\n");
    const auto engine = bench.start({"train", "runs/one", "--resume"});
    QVERIFY(bench.waitForState("running"));
    SocketClient client(run_folder::readRunInfo(layout).socket);
    client.send(protocol::Hello{held, 1});
    QCOMPARE(client.expect<protocol::Welcome>().attempt, 2);
    const auto first = client.next();
    const auto* reset = std::get_if<protocol::Reset>(&*first);
    QVERIFY(reset);
    QCOMPARE(reset->step, std::int64_t{2});
    std::int64_t sessionSeq = 0;
    for (const auto& record : tests::recordsOf(layout)) {
      if (record.kind == events::Record::Kind::SessionStart) sessionSeq = record.seq;
    }
    QCOMPARE(reset->seq, sessionSeq - 1);
    QCOMPARE(client.expect<protocol::Scalars>().step, std::int64_t{3});

    SocketClient current(run_folder::readRunInfo(layout).socket);
    current.send(protocol::Hello{sessionSeq, 2});
    current.expect<protocol::Welcome>();
    QVERIFY2(!std::holds_alternative<protocol::Reset>(*current.next()),
             "its attempt is the present one");
  }

  void badLinesAreAnsweredAndTheConnectionStays_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QString>("id");
    QTest::newRow("no JSON") << QByteArray("hello") << QString();
    QTest::newRow("empty") << QByteArray() << QString();
    QTest::newRow("no object") << QByteArray("[1]") << QString();
    QTest::newRow("unknown type") << QByteArray(R"({"v":1,"type":"dance","id":"7"})")
                                  << QStringLiteral("7");
    QTest::newRow("no type") << QByteArray(R"({"v":1,"id":"8"})") << QStringLiteral("8");
    QTest::newRow("mistyped") << QByteArray(R"({"v":1,"type":"hello","since":"x","attempt":1})")
                              << QString();
    QTest::newRow("predict nothing")
        << QByteArray(R"({"v":1,"type":"predict","id":"9"})") << QStringLiteral("9");
    QTest::newRow("not UTF-8") << QByteArray("{\"v\":1,\"type\":\"\xff\xfe\"}") << QString();
    QTest::newRow("deep") << QByteArray(100000, '[') << QString();
    QTest::newRow("too long") << QByteArray(3 << 20, 'x') << QString();
  }
  void badLinesAreAnsweredAndTheConnectionStays() {
    QFETCH(QByteArray, line);
    QFETCH(QString, id);
    auto client = living_->connect();
    client.sendLine(line.toStdString());
    const auto reply = client.expect<protocol::ErrorReply>();
    QCOMPARE(reply.id, id.toStdString());
    QVERIFY(!reply.message.empty());
    client.send(protocol::Command{"s", protocol::CommandName::Status});
    QCOMPARE(client.expect<protocol::Ok>().id, std::string("s"));
  }

  void otherVersionIsReportedAndClosed() {
    auto client = living_->connect();
    client.sendLine(R"({"v":2,"type":"hello","since":-1,"attempt":0})");
    const auto messages = client.rest();
    QCOMPARE(messages.size(), std::size_t{1});
    QVERIFY(std::holds_alternative<protocol::ErrorReply>(messages[0]));
  }

  void anIncompleteLineIsNotAMessage() {
    {
      auto client = living_->connect();
      const std::string half = std::string(R"({"v":1,"type":"stop","id":"x"})").substr(0, 18);
      QCOMPARE(::send(client.fd(), half.data(), half.size(), 0), static_cast<ssize_t>(half.size()));
    }
    auto other = living_->connect();
    other.send(protocol::Command{"s", protocol::CommandName::Status});
    QVERIFY(statusIn(other.expect<protocol::Ok>()).state == protocol::RunState::Running);
  }

  void clientThatCannotBeServedEndsAlone() {
    LivingRun run("serve\ncheckpoint 7 last\nfinish 7 stopped\n");
    auto other = run.connect();
    const fs::path events = events::findEventFile(run.layout().folder());
    fs::rename(events, events.string() + ".moved");  // no reader can be opened on it
    auto client = run.connect();
    client.send(protocol::Hello{});
    const auto messages = client.rest();
    QVERIFY2(!messages.empty(), "it is told why");
    const auto* fault = std::get_if<protocol::ErrorReply>(&messages.back());
    QVERIFY(fault);
    QVERIFY2(contains(fault->message, events.filename().string()), fault->message.c_str());
    other.send(protocol::Command{"s", protocol::CommandName::Stop});
    QCOMPARE(other.expect<protocol::Ok>().id, std::string("s"));
    QCOMPARE(EngineBench::finish(*run.engine).status, 75);
  }

  void statusReportsTheStep() {
    LivingRun run("scalars 1 3\nheartbeat 3 forward\nlog info there\nhang\n");
    auto client = run.connect();
    client.send(protocol::Hello{});
    client.expect<protocol::Log>();
    client.send(protocol::Command{"s", protocol::CommandName::Status});
    const protocol::RunStatus status = statusIn(client.expect<protocol::Ok>());
    QVERIFY(status.state == protocol::RunState::Running);
    QCOMPARE(status.step, std::int64_t{3});
    QCOMPARE(status.maxSteps, std::int64_t{6});
    QVERIFY(status.phase == protocol::Phase::Forward);
  }

  void pauseAndResumeReachTheWorker() {
    LivingRun run("serve\ncheckpoint 7 last\nfinish 7 stopped\n");
    auto client = run.connect();
    client.send(protocol::Hello{});
    client.send(protocol::Command{"1", protocol::CommandName::Pause});
    while (client.expect<protocol::State>().state != protocol::RunState::Paused) {
    }
    client.send(protocol::Command{"2", protocol::CommandName::Resume});
    QCOMPARE(client.expect<protocol::State>().state.text(), std::string("running"));
    client.send(protocol::Command{"3", protocol::CommandName::Stop});
    QCOMPARE(client.expect<protocol::State>().state.text(), std::string("stopping"));
    QCOMPARE(EngineBench::finish(*run.engine).status, 75);
  }

  void requestsAreAnsweredWithFiles() {
    LivingRun run("checkpoint 2\nserve\ncheckpoint 7 last\nfinish 7 stopped\n");
    auto client = run.connect();
    client.send(protocol::Command{"e", protocol::CommandName::Evaluate});
    const auto evaluated = client.expect<protocol::Ok>();
    QCOMPARE(evaluated.id, std::string("e"));
    QCOMPARE(pathIn(evaluated), run.layout().evaluation(7).string());
    QVERIFY(fs::exists(run.layout().evaluation(7)));
    client.send(protocol::Command{"c", protocol::CommandName::Checkpoint});
    QCOMPARE(pathIn(client.expect<protocol::Ok>()), run.layout().checkpoint(7).string());
    QVERIFY(fs::exists(run.layout().checkpoint(7)));
  }

  void predictionNamesAFileBesideTheSocket() {
    LivingRun run("checkpoint 2\nserve\ncheckpoint 7 last\nfinish 7 stopped\n");
    auto client = run.connect();
    client.send(protocol::Hello{});
    client.expect<protocol::Checkpoint>();
    client.send(protocol::PredictRequest{"p", {1, 2}, {}, "last", 0.5});
    const auto reply = client.expect<protocol::Ok>();
    QCOMPARE(reply.id, std::string("p"));
    const std::string folder = fs::path(run.socket()).replace_extension(".answers").string();
    QCOMPARE(pathIn(reply), folder + "/1.json");
    const std::string answer = base::readFile(fs::path(folder) / "1.json");
    QVERIFY2(contains(answer, (run.layout().checkpoint(2) / "model.safetensors").string()),
             answer.c_str());
    client.send(protocol::ExplainRequest{.id = "x", .imageId = 1, .weights = "last"});
    const auto explained = client.expect<protocol::Ok>();
    QCOMPARE(explained.id, std::string("x"));
    QCOMPARE(pathIn(explained), folder + "/2.json");
    client.send(protocol::ExplainRequest{.id = "y", .imageId = 1, .weights = "99"});
    QVERIFY(contains(client.expect<protocol::ErrorReply>().message, "99"));
    client.send(protocol::PredictRequest{"q", {}, {"a.jpg"}, "99", 0.5});
    const auto refused = client.expect<protocol::ErrorReply>();
    QCOMPARE(refused.id, std::string("q"));
    QVERIFY2(contains(refused.message, "99"), refused.message.c_str());
    client.send(protocol::Command{"s", protocol::CommandName::Stop});
    EngineBench::finish(*run.engine);
    QVERIFY2(!fs::exists(folder), "answers go with the run");
  }

  void predictionsOfAPartAreKeptInTheRun() {
    LivingRun run("checkpoint 2\nserve\ncheckpoint 7 last\nfinish 7 stopped\n");
    auto client = run.connect();
    client.send(protocol::PredictRequest{.id = "p", .split = protocol::Split::Train});
    QCOMPARE(client.expect<protocol::RequestProgress>().of, std::int64_t{3});
    QCOMPARE(pathIn(client.expect<protocol::Ok>()),
             run.layout().predictionsOfPart(7, "train").string());
    QVERIFY(fs::exists(run.layout().predictionsOfPart(7, "train")));
    QVERIFY(run_folder::predictionSteps(run.layout()).empty());
    client.send(protocol::Command{"s", protocol::CommandName::Stop});
    EngineBench::finish(*run.engine);
  }

  void pendingRequestsFailWithTheWorker() {
    LivingRun run("wait predict\nkill 9\n");
    auto client = run.connect();
    client.send(protocol::PredictRequest{"p", {}, {"a.jpg"}, "", 0.5});
    const auto reply = client.expect<protocol::ErrorReply>();
    QCOMPARE(reply.id, std::string("p"));
    QCOMPARE(EngineBench::finish(*run.engine).status, 1);
  }

  /// Whatever a broken client asks for, its run can be stopped.
  void tooManyPendingRequestsAreRefused() {
    LivingRun run("wait stop\ncheckpoint 7 last\nfinish 7 stopped\n");
    auto client = run.connect();
    for (int i = 0; i < 300; ++i)
      client.send(protocol::Command{std::to_string(i), protocol::CommandName::Evaluate});
    for (int i = 256; i < 300; ++i) {
      const auto reply = client.expect<protocol::ErrorReply>();
      QCOMPARE(reply.id, std::to_string(i));
      QVERIFY2(contains(reply.message, "256 requests are already pending"), reply.message.c_str());
    }
    client.send(protocol::Command{"s", protocol::CommandName::Status});
    QCOMPARE(client.expect<protocol::Ok>().id, std::string("s"));
    client.send(protocol::Command{"t", protocol::CommandName::Stop});
    QCOMPARE(client.expect<protocol::Ok>().id, std::string("t"));
    QCOMPARE(EngineBench::finish(*run.engine).status, 75);
  }

  void alertsAreEventsThatEveryClientHasOnce() {
    LivingRun run("scalars 1 2\nbroken-checkpoint 2\nlog info there\nhang\n");
    for (int i = 0; i < 2; ++i) {
      auto client = run.connect();
      client.send(protocol::Hello{});
      std::vector<protocol::Alert> alerts;
      std::int64_t logSeq = 0;
      for (bool isThere = false; !isThere;) {
        const auto message = client.next().value();
        if (const auto* alert = std::get_if<protocol::Alert>(&message)) alerts.push_back(*alert);
        const auto* log = std::get_if<protocol::Log>(&message);
        if (log && log->kind == protocol::LogKind::CheckpointFailed) logSeq = log->seq;
        isThere = log && log->text == "there";
      }
      QCOMPARE(alerts.size(), std::size_t{1});
      QCOMPARE(alerts[0].kind.text(), std::string("checkpoint_failed"));
      QCOMPARE(alerts[0].step, std::int64_t{2});
      QCOMPARE(alerts[0].seq, logSeq + 1);
    }
  }

  /// Somebody's file lies where the folder of sockets should be.
  void trainingContinuesWithoutItsSocket() {
    EngineBench bench;
    bench.setVariable("XDG_RUNTIME_DIR", (bench.folder() / "runtime").string());
    fs::create_directories(bench.folder() / "runtime");
    std::ofstream(bench.folder() / "runtime/lockstep") << "in the way";
    bench.script("state running 0\nscalars 1 2\ncheckpoint 2 last\nfinish 2\n");
    const auto result = bench.run({"train", "experiment.yaml", "--output", "runs/one"});
    QVERIFY2(result.status == 0, result.err.c_str());
    QVERIFY2(contains(result.err, "warning: ") && contains(result.err, "training continues"),
             result.err.c_str());
    QVERIFY2(contains(base::readFile(events::findEventFile(bench.folder() / "runs/one")),
                      "training continues"),
             "the log says so, too");
  }

  void socketIsForThisUserAlone() {
    struct stat status {};
    QCOMPARE(::stat(living_->socket().parent_path().c_str(), &status), 0);
    QCOMPARE(status.st_mode & 0777, mode_t{0700});
  }

  void removedSocketComesBack() {
    LivingRun run("hang\n");
    const fs::path socket = run.socket();
    auto client = run.connect();
    client.send(protocol::Command{"a", protocol::CommandName::Status});
    client.expect<protocol::Ok>();
    fs::remove_all(socket.parent_path());
    QTRY_VERIFY_WITH_TIMEOUT(fs::exists(socket), 10000);
    auto other = run.connect();
    other.send(protocol::Command{"b", protocol::CommandName::Status});
    QCOMPARE(other.expect<protocol::Ok>().id, std::string("b"));
    client.send(protocol::Command{"c", protocol::CommandName::Status});
    QCOMPARE(client.expect<protocol::Ok>().id, std::string("c"));
  }

  void staleSocketIsReplaced() {
    EngineBench bench;
    bench.script("state running 0\nhang\n");
    for (int i = 0; i < 2; ++i) {
      const auto engine =
          bench.start({"train", "experiment.yaml", "--output", "runs/one", "--resume"});
      const run_folder::Layout layout(bench.folder() / "runs/one");
      QTRY_VERIFY_WITH_TIMEOUT(run_folder::RunLock::isHeld(layout) &&
                                   run_folder::summarise(layout.folder()).info.attempt == i + 1 &&
                                   bench.waitForState("running"),
                               10000);
      SocketClient client(run_folder::readRunInfo(layout).socket);
      client.send(protocol::Command{"s", protocol::CommandName::Status});
      client.expect<protocol::Ok>();
      engine->kill();
      engine->waitForFinished();
    }
  }

  void attachRelaysStandardStreams() {
    LivingRun run("serve\ncheckpoint 7 last\nfinish 7 stopped\n");
    const auto attached = run.bench.start({"attach", "runs/one"});
    attached->write(
        "{\"v\":1,\"type\":\"hello\",\"since\":-1,\"attempt\":0}\n{\"v\":1,\"type\":\"stop\","
        "\"id\":\"x\"}\n");
    attached->closeWriteChannel();
    const auto result = EngineBench::finish(*attached);
    QCOMPARE(result.status, 0);
    QVERIFY2(contains(result.out, "\"welcome\""), result.out.c_str());
    QVERIFY(contains(result.out, "\"ok\""));
    QVERIFY2(contains(result.out, "\"stopped\""), "it hears the end although its input has ended");
    QCOMPARE(EngineBench::finish(*run.engine).status, 75);
  }

 private:
  std::unique_ptr<LivingRun> living_;  ///< of the slots that only talk
};

LOCKSTEP_TEST(TstSocket)
#include "tst_socket.moc"
