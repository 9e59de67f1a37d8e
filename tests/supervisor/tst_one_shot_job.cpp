#include <signal.h>

#include <QTest>
#include <algorithm>
#include <fstream>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/supervisor/one_shot_job.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;

class TstOneShotJob : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void resultComesBack() {
    EngineBench bench;
    bench.script("progress 1 2\nfinish 0 result {\"libtorch\":\"9\"}\n", "info");
    const protocol::InfoResult info =
        supervisor::runOneShotJob(bench.folder() / "bin/lockstep-worker", protocol::InfoJob());
    QCOMPARE(info.libtorch, std::string("9"));
  }

  void errorHasTheWorkersReasonAndStatus_data() {
    QTest::addColumn<QString>("script");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("message");
    QTest::newRow("user error") << "fail 2 no such split\n" << 2 << "no such split";
    QTest::newRow("content") << "fail 1 a.jpg is truncated\n" << 1 << "a.jpg is truncated";
    QTest::newRow("killed") << "stderr last words\nkill 9\n" << 1 << "SIGKILL";
    QTest::newRow("no result") << "exit 0\n" << 1 << "without a result";
  }
  void errorHasTheWorkersReasonAndStatus() {
    QFETCH(QString, script);
    QFETCH(int, status);
    QFETCH(QString, message);
    EngineBench bench;
    bench.script(script.toStdString(), "info");
    const auto result = bench.run({"info"});
    QCOMPARE(result.status, status);
    QVERIFY2(contains(result.err, message.toStdString()), result.err.c_str());
    if (contains(script.toStdString(), "last words")) QVERIFY(contains(result.err, "last words"));
  }

  void signalEndsTheJobAndItsWorker() {
    EngineBench bench;
    bench.script("progress 1 1\nhang\n", "info");
    const auto engine = bench.start({"info"});
    QTRY_VERIFY_WITH_TIMEOUT(bench.workerPid() > 0, 10000);
    QVERIFY(QTest::qWaitFor(
        [&] { return contains(engine->readAllStandardError().toStdString(), "working 1/1"); },
        10000));
    engine->terminate();
    QCOMPARE(EngineBench::finish(*engine).status, 130);
    QVERIFY(!tests::isAlive(bench.workerPid()));
  }

  void workerThatCreatesAFolderIsAskedToStopFirst() {
    EngineBench bench;
    bench.script("progress 1 2\nwait stop\nprogress 2 2\nfail 130 stopped\n", "shapes");
    const auto engine =
        bench.start({"dataset", "shapes", "--out", "made", "--train", "1", "--val", "1"});
    QTRY_VERIFY_WITH_TIMEOUT(bench.received().size() >= 2, 10000);  // it has its job
    engine->terminate();
    const auto result = EngineBench::finish(*engine);
    QCOMPARE(result.status, 130);
    QVERIFY2(contains(result.err, "terminated by SIGTERM"), result.err.c_str());
    const auto lines = bench.received();
    QVERIFY2(contains(lines.back(), "\"stop\""), "the worker was asked");
    QVERIFY(!fs::exists(bench.folder() / "made"));
  }

  void secondSignalDoesNotWait() {
    EngineBench bench;
    bench.script("progress 1 2\nwait stop\nhang\n", "shapes");
    const auto engine =
        bench.start({"dataset", "shapes", "--out", "made", "--train", "1", "--val", "1"});
    QTRY_VERIFY_WITH_TIMEOUT(bench.received().size() >= 2, 10000);
    engine->terminate();
    QTRY_VERIFY_WITH_TIMEOUT(contains(bench.received().back(), "\"stop\""), 10000);
    engine->terminate();
    QCOMPARE(EngineBench::finish(*engine).status, 130);
  }

  void missingWorkerProgramIsReported() {
    EngineBench bench;
    std::ofstream(bench.folder() / "text") << "no program";
    const auto start = [&] {
      supervisor::runOneShotJob(bench.folder() / "text", protocol::InfoJob());
    };
    QVERIFY_THROWS_EXCEPTION(Error, start());
  }

  void evaluationIsATableAndAFile() {
    EngineBench bench;
    std::ofstream(bench.folder() / "w.safetensors") << "w";
    bench.script(
        "out {}\nfinish 0 result "
        "{\"images\":2,\"losses\":[{\"name\":\"loss_total\",\"value\":1.5}],"
        "\"bbox\":[{\"name\":\"AP\",\"value\":0.25}],"
        "\"segm\":[{\"name\":\"AP\",\"value\":-1}]}\n",
        "evaluate");
    const auto result = bench.run({"evaluate", "experiment.yaml", "--weights", "w.safetensors",
                                   "--out", "e.json", "--per-image"});
    QVERIFY2(result.status == 0, result.err.c_str());
    QVERIFY2(contains(result.out, "loss_total                1.5\n"), result.out.c_str());
    QVERIFY2(contains(result.out, "AP                     0.2500          -\n"),
             result.out.c_str());
    QVERIFY(fs::exists(bench.folder() / "e.json"));
    const auto lines = bench.received();
    QVERIFY(std::any_of(lines.begin(), lines.end(),
                        [](const std::string& line) { return contains(line, "w.safetensors"); }));
  }
};

LOCKSTEP_TEST(TstOneShotJob)
#include "tst_one_shot_job.moc"
