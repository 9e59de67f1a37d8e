#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <QTest>
#include <chrono>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/supervisor/inspect_session.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
using tests::SocketClient;
namespace fs = std::filesystem;

namespace {

fs::path socketPrintedBy(QProcess& inspect) {
  if (!inspect.waitForReadyRead(20000)) throw Error("inspect prints nothing");
  const auto line = nlohmann::json::parse(inspect.readLine().toStdString());
  return line.at("socket").get<std::string>();
}

}  // namespace

class TstInspect : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    trained_.script("scalars 1 6\ncheckpoint 4\ncheckpoint 6 last\nfinish 6\n");
    QCOMPARE(trained_.run({"train", "experiment.yaml", "--output", "run"}).status, 0);
  }

  void finishedRunAnswersThroughItsOwnSocket() {
    EngineBench bench;
    copyRun(bench);
    const auto inspect = bench.start({"inspect", "run"});
    SocketClient client(socketPrintedBy(*inspect));
    client.send(protocol::Hello{});
    const auto welcome = client.expect<protocol::Welcome>();
    QCOMPARE(welcome.run, (bench.folder() / "run").string());
    QCOMPARE(welcome.state.text(), std::string("finished"));
    QCOMPARE(client.expect<protocol::Scalars>().step, std::int64_t{1});
    client.send(protocol::PredictRequest{"p", {}, {"a.jpg"}, "4", 0.5});
    const auto reply = client.expect<protocol::Ok>();
    const std::string answer = base::readFile(std::get<protocol::AnswerPath>(reply.answer).path);
    QVERIFY2(contains(answer, "step-00000004/model.safetensors"), answer.c_str());
    client.send(protocol::ExplainRequest{.id = "w", .imageId = 5, .weights = "6"});
    const auto explained = client.expect<protocol::Ok>();
    QCOMPARE(explained.id, std::string("w"));
    QVERIFY(contains(base::readFile(std::get<protocol::AnswerPath>(explained.answer).path),
                     "step-00000006/model.safetensors"));
    client.send(protocol::ExplainRequest{.id = "v", .imageId = 5, .weights = "99"});
    QVERIFY(contains(client.expect<protocol::ErrorReply>().message, "99"));
    client.send(protocol::Command{"e", protocol::CommandName::Evaluate});
    QCOMPARE(client.expect<protocol::Ok>().id, std::string("e"));
    client.send(protocol::Command{"x", protocol::CommandName::Pause});
    QCOMPARE(client.expect<protocol::ErrorReply>().id, std::string("x"));
    client.send(protocol::Command{"s", protocol::CommandName::Stop});
    client.expect<protocol::Ok>();
    QCOMPARE(EngineBench::finish(*inspect).status, 0);
    QVERIFY(!tests::isAlive(bench.workerPid()));
  }

  void predictionsOfAPartAreKeptInTheRun() {
    EngineBench bench;
    copyRun(bench);
    const auto inspect = bench.start({"inspect", "run"});
    SocketClient client(socketPrintedBy(*inspect));
    const auto askFor = [&](const std::string& weights, protocol::Split split) {
      client.send(protocol::PredictRequest{.id = "p", .weights = weights, .split = split});
      const auto progress = client.expect<protocol::RequestProgress>();
      if (progress.id != "p" || progress.done != 1 || progress.of != 3) return std::string();
      return std::get<protocol::AnswerPath>(client.expect<protocol::Ok>().answer).path;
    };
    const fs::path predictions = bench.folder() / "run" / "predictions";
    QCOMPARE(askFor("4", protocol::Split::Val), (predictions / "step-00000004-val.json").string());
    // The worker says of which step its own weights are.
    QCOMPARE(askFor("", protocol::Split::Train),
             (predictions / "step-00000007-train.json").string());
    QVERIFY(contains(base::readFile(predictions / "step-00000004-val.json"),
                     "step-00000004/model.safetensors"));
    QCOMPARE(std::distance(fs::directory_iterator(predictions), fs::directory_iterator()), 2);
    // Other weights are no part of the run.
    base::writeFileAtomically(bench.folder() / "other.safetensors", "");
    QVERIFY(contains(askFor((bench.folder() / "other.safetensors").string(), protocol::Split::Val),
                     ".answers/"));
    inspect->terminate();
    QCOMPARE(EngineBench::finish(*inspect).status, 0);
  }

  void aPredictionIsCancelledByItsClientAlone() {
    EngineBench bench;
    copyRun(bench);
    bench.script("state running 0\nwait predict\nserve\nfinish 0\n", "inspect");
    const auto inspect = bench.start({"inspect", "run"});
    const fs::path socket = socketPrintedBy(*inspect);
    SocketClient client(socket), other(socket);
    client.send(protocol::PredictRequest{.id = "p", .split = protocol::Split::Val});
    other.send(protocol::CancelRequest{"p"});
    QVERIFY(contains(other.expect<protocol::ErrorReply>().message, "no request of yours"));
    client.send(protocol::CancelRequest{"p"});
    const auto cancelled = client.expect<protocol::ErrorReply>();
    QCOMPARE(cancelled.id, std::string("p"));
    QCOMPARE(cancelled.message, std::string("cancelled"));
    QVERIFY(fs::is_empty(bench.folder() / "run" / "predictions"));
    client.send(protocol::CancelRequest{"p"});
    QVERIFY(contains(client.expect<protocol::ErrorReply>().message, "no request of yours"));
    inspect->terminate();
    QCOMPARE(EngineBench::finish(*inspect).status, 0);
  }

  void aPredictionEndsWithItsClient() {
    EngineBench bench;
    copyRun(bench);
    bench.script("state running 0\nwait predict\nwait cancel\nfail 1 it was cancelled\n",
                 "inspect");
    const auto inspect = bench.start({"inspect", "run"});
    {
      SocketClient gone(socketPrintedBy(*inspect));
      gone.send(protocol::PredictRequest{.id = "p", .split = protocol::Split::Val});
      gone.send(protocol::Command{"s", protocol::CommandName::Status});
      gone.expect<protocol::Ok>();
    }
    QVERIFY(contains(EngineBench::finish(*inspect).err, "it was cancelled"));
  }

  void secondInspectionFindsTheFirst() {
    EngineBench bench;
    copyRun(bench);
    const auto inspect = bench.start({"inspect", "run"});
    const fs::path socket = socketPrintedBy(*inspect);
    const auto second = bench.run({"inspect", "run"});
    QCOMPARE(second.status, 0);
    QVERIFY2(contains(second.out, socket.string()), second.out.c_str());
    inspect->terminate();
    QCOMPARE(EngineBench::finish(*inspect).status, 0);
    QVERIFY(!fs::exists(socket));
  }

  void secondInspectionWithOtherWeightsIsRefused() {
    EngineBench bench;
    copyRun(bench);
    const auto inspect = bench.start({"inspect", "run", "--weights", "4"});
    const fs::path socket = socketPrintedBy(*inspect);
    const auto other = bench.run({"inspect", "run", "--weights", "6"});
    QCOMPARE(other.status, 2);
    QVERIFY2(contains(other.err, "--weights 6: run is already inspected with ") &&
                 contains(other.err, "step-00000004/model.safetensors: stop that session"),
             other.err.c_str());
    const auto same = bench.run({"inspect", "run", "--weights", "4"});
    QVERIFY2(same.status == 0 && contains(same.out, socket.string()), same.err.c_str());
    inspect->terminate();
    QCOMPARE(EngineBench::finish(*inspect).status, 0);
  }

  void secondInspectionWaitsUntilTheFirstListens() {
    EngineBench bench;
    copyRun(bench);
    qputenv("XDG_RUNTIME_DIR", (bench.folder() / "x").c_str());
    const fs::path socket = run_folder::socketPath("inspect:" + (bench.folder() / "run").string());
    // One that has the lock and does not listen yet.
    run_folder::ensureSocketFolder();
    const base::FileDescriptor lock(::open(fs::path(socket).replace_extension(".lock").c_str(),
                                           O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    QCOMPARE(::flock(lock.get(), LOCK_EX | LOCK_NB), 0);
    const auto second = bench.start({"inspect", "run"});
    QVERIFY2(!second->waitForFinished(300), "it has nobody to speak of yet");
    const base::FileDescriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, socket.c_str());
    QCOMPARE(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    QCOMPARE(::listen(listener.get(), 1), 0);
    const auto result = EngineBench::finish(*second);
    QVERIFY2(result.status == 0 && contains(result.out, socket.string()), result.err.c_str());
  }

  void secondInspectionReplacesAFirstThatExits() {
    EngineBench bench;
    copyRun(bench);
    qputenv("XDG_RUNTIME_DIR", (bench.folder() / "x").c_str());
    const fs::path socket = run_folder::socketPath("inspect:" + (bench.folder() / "run").string());
    run_folder::ensureSocketFolder();
    // One that has the lock and listens no more.
    base::FileDescriptor lock(::open(fs::path(socket).replace_extension(".lock").c_str(),
                                     O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    QCOMPARE(::flock(lock.get(), LOCK_EX | LOCK_NB), 0);
    const auto second = bench.start({"inspect", "run"});
    QVERIFY2(!second->waitForFinished(300), "it has nobody to speak of yet");
    lock.reset();
    SocketClient client(socketPrintedBy(*second));
    client.send(protocol::PredictRequest{"p", {}, {"a.jpg"}, "4", 0.5});
    QCOMPARE(client.expect<protocol::Ok>().id, std::string("p"));
    second->terminate();
    QCOMPARE(EngineBench::finish(*second).status, 0);
  }

  void aStoppedSessionClosesItsConnections() {
    EngineBench bench;
    copyRun(bench);
    bench.script("state running 0\nawait nothing\n", "inspect");
    const auto inspect = bench.start({"inspect", "run"});
    SocketClient client(socketPrintedBy(*inspect));
    client.send(protocol::PredictRequest{"p", {}, {"a.jpg"}, "4", 0.5});
    client.send(protocol::Command{"s", protocol::CommandName::Status});
    QCOMPARE(client.expect<protocol::Ok>().id, std::string("s"));
    inspect->terminate();
    QVERIFY2(!client.next(), "an error would tell that the image cannot be predicted");
    QCOMPARE(EngineBench::finish(*inspect).status, 0);
  }

  void errorOfTheWeightsIsTheExitStatus() {
    EngineBench bench;
    copyRun(bench);
    bench.script("fail 2 weights do not fit\n", "inspect");
    const auto result = bench.run({"inspect", "run"});
    QCOMPARE(result.status, 2);
    QVERIFY2(contains(result.err, "weights do not fit"), result.err.c_str());
    QVERIFY(result.out.empty());
  }

  void configurationNeedsWeights() {
    EngineBench bench;
    const auto result = bench.run({"inspect", "experiment.yaml"});
    QCOMPARE(result.status, 2);
    QVERIFY2(contains(result.err, "--weights"), result.err.c_str());
  }

  void idleSessionExits() {
    EngineBench bench;
    bench.script("state running 0\nserve\nfinish 0\n", "inspect");
    qputenv("XDG_RUNTIME_DIR", (bench.folder() / "x").c_str());
    supervisor::InspectSetup setup;
    setup.target = bench.config();
    setup.socket = run_folder::socketPath("inspect:" + bench.config().string());
    setup.workerProgram = bench.folder() / "bin/lockstep-worker";
    setup.idleLimit = std::chrono::seconds(1);
    bool ready = false;
    supervisor::InspectSession(setup, [&ready] { ready = true; }).run();
    QVERIFY(ready);
    QVERIFY(!fs::exists(setup.socket));
    QVERIFY(!tests::isAlive(bench.workerPid()));
  }

 private:
  void copyRun(EngineBench& bench) const {
    fs::copy(trained_.folder() / "run", bench.folder() / "run", fs::copy_options::recursive);
    bench.script("state running 0\nserve\nfinish 0\n", "inspect");
  }

  EngineBench trained_;  ///< has a finished run with checkpoints 4 and 6; copies read its data
};

LOCKSTEP_TEST(TstInspect)
#include "tst_inspect.moc"
