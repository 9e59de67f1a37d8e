#include <QTest>
#include <fstream>

#include "engine/base/error.h"
#include "engine/events/reader.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;

namespace {

/// A client of `lockstep-engine attach runs/one`.
class Attached {
 public:
  explicit Attached(const EngineBench& bench) : process_(bench.start({"attach", "runs/one"})) {}

  void sendLine(const std::string& line) { process_->write((line + '\n').c_str()); }
  void send(const protocol::ClientMessage& message) { sendLine(protocol::encode(message)); }
  /// The next message of this kind; others are dropped. Throws when it does not come.
  template <typename Message>
  Message expect() {
    for (;;) {
      while (!process_->canReadLine())
        if (!process_->waitForReadyRead(20000)) throw Error("attach sends nothing more");
      const auto message = protocol::decodeEngineMessage(process_->readLine().toStdString());
      if (const auto* wanted = std::get_if<Message>(&message)) return *wanted;
    }
  }
  std::string file(const std::string& path) {
    send(protocol::FileRequest{"f", path});
    return std::get<protocol::FilePart>(expect<protocol::Ok>().answer).data;
  }
  /// Ends its input; what it has sent and not yet been read is in the result.
  tests::EngineResult finish() {
    process_->closeWriteChannel();
    return EngineBench::finish(*process_);
  }
  QProcess& process() { return *process_; }

 private:
  std::unique_ptr<QProcess> process_;
};

fs::path runOf(const EngineBench& bench) { return bench.folder() / "runs/one"; }

void train(EngineBench& bench, const std::string& script = "checkpoint 2 last\nfinish 2\n") {
  bench.script("state running 0\nscalars 1 2\n" + script);
  const auto result = bench.run({"train", "experiment.yaml", "--output", "runs/one"});
  if (!fs::exists(runOf(bench) / "run.json")) throw Error("no run: " + result.err);
  fs::create_directories(runOf(bench) / "predictions");
  std::ofstream(runOf(bench) / "predictions/step-00000002.json") << "[2]";
}

/// seq of the records among the lines.
std::vector<std::int64_t> seqsIn(const std::string& lines) {
  std::vector<std::int64_t> seqs;
  protocol::LineBuffer buffer;
  buffer.append(lines);
  for (std::string line; buffer.next(line) == protocol::LineBuffer::Result::Line;) {
    const auto message = protocol::decodeEngineMessage(line);
    std::visit(
        [&](const auto& content) {
          if constexpr (requires { content.time; }) seqs.push_back(content.seq);
        },
        message);
  }
  return seqs;
}

std::vector<std::int64_t> recordedSeqs(const EngineBench& bench, std::int64_t since) {
  std::vector<std::int64_t> seqs;
  for (const auto& record : tests::recordsOf(bench.onlyRun())) {
    const bool isSent =
        record.kind == events::Record::Kind::Scalars || record.kind == events::Record::Kind::Event;
    if (isSent && record.seq > since) seqs.push_back(record.seq);
  }
  return seqs;
}

}  // namespace

class TstAttach : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { train(trained_); }

  void aFinishedRunSendsItsRecords() {
    EngineBench bench;
    copyRun(bench);
    Attached client(bench);
    client.send(protocol::Hello{});
    const auto welcome = client.expect<protocol::Welcome>();
    QCOMPARE(welcome.state.text(), std::string("finished"));
    QCOMPARE(welcome.run, fs::canonical(runOf(bench)).string());
    QCOMPARE(welcome.seq, recordedSeqs(bench, -1).back());
    const auto rest = client.finish();
    QCOMPARE(rest.status, 0);
    QCOMPARE(seqsIn(rest.out), recordedSeqs(bench, -1));
  }

  void recordsThatTheClientHasAreNotSentAgain() {
    EngineBench bench;
    copyRun(bench);
    const auto all = recordedSeqs(bench, -1);
    Attached client(bench);
    client.send(protocol::Hello{all[2], 1});
    client.expect<protocol::Welcome>();
    QCOMPARE(seqsIn(client.finish().out), recordedSeqs(bench, all[2]));
  }

  void aClientWithRecordsOfAnotherLogIsReset() {
    EngineBench bench;
    copyRun(bench);
    Attached client(bench);
    client.send(protocol::Hello{100000, 1});
    QCOMPARE(client.expect<protocol::Reset>().seq, tests::recordsOf(bench.onlyRun()).back().seq);
    QVERIFY(seqsIn(client.finish().out).empty());
  }

  void aRunThatFailedIsServedToo() {
    EngineBench bench;
    train(bench, "fail out of disk\n");
    Attached client(bench);
    client.send(protocol::Hello{});
    QCOMPARE(client.expect<protocol::Welcome>().state.text(), std::string("failed"));
    for (auto state = client.expect<protocol::State>(); state.state.text() != "failed";)
      state = client.expect<protocol::State>();
  }

  /// Its process was killed before it had an event log.
  void aRunWithoutAnEventLogHasNoRecords() {
    EngineBench bench;
    copyRun(bench);
    fs::remove(events::findEventFile(runOf(bench)));
    Attached client(bench);
    client.send(protocol::Hello{});
    QCOMPARE(client.expect<protocol::Welcome>().seq, std::int64_t{-1});
    QCOMPARE(client.file("predictions/step-00000002.json"), std::string("[2]"));
  }

  void anEndedRunAnswersItsStatusAndRefusesTheRest() {
    EngineBench bench;
    copyRun(bench);
    Attached client(bench);
    client.send(protocol::Command{"s", protocol::CommandName::Status});
    const auto ok = client.expect<protocol::Ok>();
    QCOMPARE(std::get<protocol::RunStatus>(ok.answer).state.text(), std::string("finished"));
    QCOMPARE(std::get<protocol::RunStatus>(ok.answer).step, std::int64_t{2});
    QCOMPARE(std::get<protocol::RunStatus>(ok.answer).name, std::string("bench"));
    QCOMPARE(std::get<protocol::RunStatus>(ok.answer).checkpoints, std::vector<std::int64_t>{2});
    QVERIFY(std::get<protocol::RunStatus>(ok.answer).stepsPerEpoch.value_or(0) > 0);
    for (const protocol::ClientMessage& request :
         {protocol::ClientMessage(protocol::Command{"r", protocol::CommandName::Stop}),
          protocol::ClientMessage(protocol::PredictRequest{"r", {1}}),
          protocol::ClientMessage(protocol::QueueRequest{"r", 1})}) {
      client.send(request);
      const auto refused = client.expect<protocol::ErrorReply>();
      QCOMPARE(refused.id, std::string("r"));
      QCOMPARE(refused.message, std::string("the run has ended"));
    }
    client.sendLine("garbage");
    QVERIFY(client.expect<protocol::ErrorReply>().id.empty());
    client.sendLine(std::string(protocol::kMaxLineBytes + 1, 'x'));
    QVERIFY(contains(client.expect<protocol::ErrorReply>().message, "longer than 1 MiB"));
    client.sendLine(R"({"v":1,"type":"file","id":"o","path":"config.yaml","offset":-1})");
    QVERIFY(contains(client.expect<protocol::ErrorReply>().message, "offset must be at least 0"));
    QCOMPARE(client.finish().status, 0);
  }

  void filesOfAnEndedRunAreSent() {
    EngineBench bench;
    copyRun(bench);
    Attached client(bench);
    QCOMPARE(client.file("predictions/step-00000002.json"), std::string("[2]"));
    QVERIFY(contains(client.file("config.yaml"), "name: bench"));
    const std::string images = (trained_.folder() / "val").string();
    QCOMPARE(client.file(images + "/val2.png"), std::string("val2"));
    client.send(protocol::FileRequest{"n", "run.json"});
    QVERIFY(contains(client.expect<protocol::ErrorReply>().message, "is not sent"));
  }

  /// Those of a live run come from `attach` itself, everything else from the supervisor.
  void filesOfALiveRunAreSentBetweenItsRecords() {
    EngineBench bench;
    bench.script("state running 0\nserve\ncheckpoint 7 last\nfinish 7 stopped\n");
    const auto engine = bench.start({"train", "experiment.yaml", "--output", "runs/one"});
    QVERIFY(bench.waitForState("running"));
    Attached client(bench);
    client.send(protocol::Hello{});
    QCOMPARE(client.expect<protocol::Welcome>().state.text(), std::string("running"));
    QVERIFY(contains(client.file("config.yaml"), "name: bench"));
    client.sendLine(R"({"v":1,"type":"file","id":"o"})");
    QCOMPARE(client.expect<protocol::ErrorReply>().message, std::string("file: path is missing"));
    client.sendLine(std::string(protocol::kMaxLineBytes + 1, 'x'));
    QVERIFY(contains(client.expect<protocol::ErrorReply>().message, "longer than 1 MiB"));
    client.send(protocol::Command{"x", protocol::CommandName::Stop});
    QCOMPARE(client.expect<protocol::Ok>().id, std::string("x"));
    for (auto state = client.expect<protocol::State>(); state.state.text() != "stopped";)
      state = client.expect<protocol::State>();
    QVERIFY2(client.process().waitForFinished(), "attach ends with the run's process");
    QCOMPARE(client.process().exitCode(), 0);
    QCOMPARE(EngineBench::finish(*engine).status, 75);
  }

  void theSupervisorsSocketSendsFilesToo() {
    EngineBench bench;
    bench.script("state running 0\nhang\n");
    const auto engine = bench.start({"train", "experiment.yaml", "--output", "runs/one"});
    QVERIFY(bench.waitForState("running"));
    tests::SocketClient client(run_folder::readRunInfo(bench.onlyRun()).socket);
    client.send(protocol::FileRequest{"f", "config.yaml"});
    const auto part = std::get<protocol::FilePart>(client.expect<protocol::Ok>().answer);
    QVERIFY(contains(part.data, "name: bench"));
    client.send(protocol::FileRequest{"g", "engine.log"});
    QVERIFY(contains(client.expect<protocol::ErrorReply>().message, "is not sent"));
    engine->kill();
    engine->waitForFinished();
  }

  /// So that a client connects again, to its socket.
  void attachEndsWhenTheRunIsStartedAgain() {
    EngineBench bench;
    copyRun(bench);
    Attached client(bench);
    client.send(protocol::Hello{});
    client.expect<protocol::Welcome>();
    const auto lock = run_folder::RunLock::tryAcquire(bench.onlyRun());
    QVERIFY(lock.has_value());
    QVERIFY(client.process().waitForFinished());
    QCOMPARE(client.process().exitCode(), 0);
  }

  void aRunOfAnotherProgramSendsWhatWasNotReplaced() {
    EngineBench bench;
    const fs::path file = runOf(bench) / "metrics.json";
    fs::create_directories(runOf(bench));
    const auto append = [&](int step, const char* values) {
      std::ofstream(file, std::ios::app) << "{\"iteration\": " << step << ", " << values << "}\n";
    };
    append(10, R"("total_loss": 10, "lr": 1)");
    append(20, R"("total_loss": 20, "lr": 1)");
    append(30, R"("total_loss": 30, "lr": 1)");
    append(20, R"("total_loss": 2, "lr": 2)");  // resumed from step 10
    Attached client(bench);
    client.send(protocol::Hello{});
    const auto welcome = client.expect<protocol::Welcome>();
    QCOMPARE(welcome.program, std::string("detectron2"));
    QCOMPARE(welcome.state.text(), std::string("detectron2"));
    const auto first = client.expect<protocol::Scalars>(),
               second = client.expect<protocol::Scalars>();
    QCOMPARE(first.step, std::int64_t{10});
    QCOMPARE(second.step, std::int64_t{20});
    QCOMPARE(second.values.size(), std::size_t{2});
    for (const auto& [tag, value] : second.values) QCOMPARE(value, 2.F);
    QCOMPARE(second.seq, welcome.seq);
    append(40, R"("total_loss": 4)");
    QCOMPARE(client.expect<protocol::Scalars>().step, std::int64_t{40});
    append(20, R"("total_loss": 3)");
    QCOMPARE(client.expect<protocol::Reset>().seq, std::int64_t{-1});
    QCOMPARE(client.expect<protocol::Scalars>().step, std::int64_t{10});
    QCOMPARE(client.expect<protocol::Scalars>().values.front().second, 3.F);
    std::ofstream(file, std::ios::app) << "{oh}\n";
    append(30, R"("total_loss": 3)");
    QCOMPARE(client.expect<protocol::Scalars>().step, std::int64_t{30});
    client.send(protocol::Command{"s", protocol::CommandName::Status});
    const auto status = std::get<protocol::RunStatus>(client.expect<protocol::Ok>().answer);
    QVERIFY2(contains(status.leftOut, "1 of its records could not be read"),
             status.leftOut.c_str());
    client.send(protocol::FileRequest{"f", "metrics.json"});
    QVERIFY(contains(client.expect<protocol::ErrorReply>().message, "only its curves are read"));
    client.send(protocol::Hello{welcome.seq, 1});
    client.expect<protocol::Welcome>();
    QCOMPARE(client.expect<protocol::Reset>().seq, std::int64_t{-1});
    QCOMPARE(client.expect<protocol::Scalars>().step, std::int64_t{10});
    QCOMPARE(client.finish().status, 0);
  }

  void attachToNoRunIsRefused() {
    EngineBench bench;
    const auto result = bench.run({"attach", "runs/none"});
    QCOMPARE(result.status, 2);
    QVERIFY(contains(result.err, "runs/none: no such run folder"));
  }

 private:
  void copyRun(const EngineBench& bench) const {
    fs::create_directories(runOf(bench));
    fs::copy(runOf(trained_), runOf(bench), fs::copy_options::recursive);
  }

  EngineBench trained_;  ///< has a finished run; copies read its data
};

LOCKSTEP_TEST(TstAttach)
#include "tst_attach.moc"
