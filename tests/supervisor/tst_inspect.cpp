#include <QTest>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/supervisor/inspect_session.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::EngineBench;
using tests::SocketClient;
namespace fs = std::filesystem;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A finished run with checkpoints 4 and 6.
void makeRun(EngineBench& bench) {
  bench.script("scalars 1 6\ncheckpoint 4\ncheckpoint 6 last\nfinish 6\n");
  if (bench.run({"train", "experiment.yaml", "--output", "run"}).status != 0) throw Error("no run");
  bench.script("state running 0\nserve\nfinish 0\n", "inspect");
}

fs::path socketPrintedBy(QProcess& inspect) {
  if (!inspect.waitForReadyRead(20000)) throw Error("inspect prints nothing");
  const auto line = nlohmann::json::parse(inspect.readLine().toStdString());
  return line.at("socket").get<std::string>();
}

}  // namespace

class TstInspect : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void finishedRunAnswersThroughItsOwnSocket() {
    EngineBench bench;
    makeRun(bench);
    const auto inspect = bench.start({"inspect", "run"});
    SocketClient client(socketPrintedBy(*inspect));
    client.send(protocol::Hello{});
    const auto welcome = client.expect<protocol::Welcome>();
    QCOMPARE(welcome.run, (bench.folder() / "run").string());
    QCOMPARE(welcome.state, std::string("finished"));
    QCOMPARE(client.expect<protocol::Scalars>().step, std::int64_t{1});
    client.send(protocol::PredictRequest{"p", {}, {"a.jpg"}, "4", 0.5});
    const auto reply = client.expect<protocol::Ok>();
    const std::string answer =
        base::readFile(nlohmann::json::parse(reply.extra).at("path").get<std::string>());
    QVERIFY2(contains(answer, "step-00000004/model.safetensors"), answer.c_str());
    client.send(protocol::Command{"e", "evaluate"});
    QCOMPARE(client.expect<protocol::Ok>().id, std::string("e"));
    client.send(protocol::Command{"x", "pause"});
    QCOMPARE(client.expect<protocol::ErrorReply>().id, std::string("x"));
    client.send(protocol::Command{"s", "stop"});
    client.expect<protocol::Ok>();
    QCOMPARE(EngineBench::finish(*inspect).status, 0);
    QVERIFY(!tests::isAlive(bench.workerPid()));
  }

  void secondInspectionFindsTheFirst() {
    EngineBench bench;
    makeRun(bench);
    const auto inspect = bench.start({"inspect", "run"});
    const fs::path socket = socketPrintedBy(*inspect);
    const auto second = bench.run({"inspect", "run"});
    QCOMPARE(second.status, 0);
    QVERIFY2(contains(second.out, socket.string()), second.out.c_str());
    inspect->terminate();
    QCOMPARE(EngineBench::finish(*inspect).status, 0);
    QVERIFY(!fs::exists(socket));
  }

  void faultOfTheWeightsIsTheExitStatus() {
    EngineBench bench;
    makeRun(bench);
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

  void idleSessionEndsItself() {
    EngineBench bench;
    bench.script("state running 0\nserve\nfinish 0\n", "inspect");
    qputenv("XDG_RUNTIME_DIR", (bench.folder() / "x").c_str());
    supervisor::InspectSetup setup;
    setup.target = bench.config();
    setup.socket = run_folder::socketPath("inspect:" + bench.config().string());
    setup.job.kind = "inspect";
    setup.workerProgram = bench.folder() / "bin/lockstep-worker";
    setup.idleLimit = std::chrono::seconds(1);
    bool ready = false;
    supervisor::InspectSession(setup, [&ready] { ready = true; }).run();
    QVERIFY(ready);
    QVERIFY(!fs::exists(setup.socket));
    QVERIFY(!tests::isAlive(bench.workerPid()));
  }
};

LOCKSTEP_TEST(TstInspect)
#include "tst_inspect.moc"
