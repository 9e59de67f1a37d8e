// Runs whose ranks fail with errors of CUDA, of GPU memory and of NCCL: the real path in the worker
// from the exception to the report, under a real supervisor.
#include <QTest>
#include <filesystem>

#include "engine/run_folder/run_folder.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;

namespace {

struct FaultBench {
  explicit FaultBench(const std::string& faults) {
    namespace fs = std::filesystem;
    const fs::path worker = bench.folder() / "bin/lockstep-worker";
    fs::remove(worker);
    fs::copy_file(tests::program("faulty_worker").toStdString(), worker);
    bench.setVariable("LOCKSTEP_TEST_FAULT", faults);
  }
  EngineBench bench;
};

}  // namespace

class TstRankFaults : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anErrorIsOneLineAndTheRunResumes_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QString>("cause");
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("options");
    const char* const resume = "--resume";
    const char* const gpu = "a GPU failed at or before step 12: unspecified launch failure; ";
    QTest::newRow("launch failure") << "gpu"
                                    << "gpu" << gpu << resume;
    QTest::newRow("out of a destructor") << "destructor"
                                         << "gpu" << gpu << resume;
    QTest::newRow("out of a thread") << "thread"
                                     << "gpu" << gpu << resume;
    QTest::newRow("memory")
        << "memory"
        << "out of memory"
        << "out of memory on the GPU: it takes at least 8.5 GiB (6.5 GiB are held, 2.0 GiB more "
           "requested), and the GPU has 8.0 GiB; lower solver.batch_size"
        << "--from 10 --set KEY=VALUE";
    QTest::newRow("peer") << "peer"
                          << "lost peer"
                          << "the connection to the other ranks broke: remote process exited"
                          << resume;
    QTest::newRow("peer, by NCCL's watchdog")
        << "peer in a thread"
        << "lost peer"
        << "the connection to the other ranks broke: remote process exited" << resume;
  }
  void anErrorIsOneLineAndTheRunResumes() {
    QFETCH(QString, fault);
    QFETCH(QString, cause);
    QFETCH(QString, words);
    QFETCH(QString, options);
    FaultBench faulty(fault.toStdString());
    EngineBench& bench = faulty.bench;
    const auto result = bench.run({"train", "experiment.yaml", "--set", "solver.max_steps=14"});
    QVERIFY2(result.status == 1, result.err.c_str());
    const auto run = bench.onlyRun();
    const bool isOther = options != QStringLiteral("--resume");
    const std::string remedy = "; `lockstep-engine train " + run.folder().string() + " " +
                               options.toStdString() + "` " +
                               (isOther ? "starts a new run" : "resumes") + " from step 10";
    QVERIFY2(contains(result.err, "[engine] " + words.toStdString()), result.err.c_str());
    QVERIFY2(contains(result.err, remedy), result.err.c_str());
    const auto info = run_folder::readRunInfo(run);
    QCOMPARE(info.state.text(), std::string("failed"));
    QVERIFY(info.error);
    QCOMPARE(info.error->cause.text(), cause.toStdString());
    QCOMPARE(info.error->step, std::int64_t{12});
    QCOMPARE(info.error->phase.text(), std::string("backward"));
    QVERIFY2(info.error->message.starts_with(words.toStdString()), info.error->message.c_str());
    QVERIFY(info.error->message.ends_with(remedy));
    QVERIFY(!contains(info.error->message, "\n"));

    std::vector<std::string> line{"train", run.folder().string(), "--resume"};
    if (isOther) {
      line = {"train", run.folder().string(), "--from",   "10",
              "--set", "solver.batch_size=1", "--output", "other"};
    }
    const auto resumed = bench.run(line);
    QVERIFY2(resumed.status == 0, resumed.err.c_str());
    const auto last = isOther ? run_folder::Layout(bench.folder() / "other") : run;
    QCOMPARE(run_folder::readRunInfo(last).state.text(), std::string("finished"));
  }

  void theRankThatFailedFirstIsNamed_data() {
    QTest::addColumn<QString>("faults");
    QTest::addColumn<int>("rank");
    QTest::addColumn<QString>("cause");
    QTest::newRow("a GPU, and a lost peer") << "peer|gpu" << 1 << "gpu";
    QTest::newRow("memory, and NCCL's watchdog")
        << "peer in a thread|memory" << 1 << "out of memory";
    QTest::newRow("out of a destructor") << "peer|destructor" << 1 << "gpu";
    QTest::newRow("rank 0") << "gpu|peer" << 0 << "gpu";
  }
  void theRankThatFailedFirstIsNamed() {
    QFETCH(QString, faults);
    QFETCH(int, rank);
    QFETCH(QString, cause);
    FaultBench bench(faults.toStdString());
    const auto result = bench.bench.run({"train", "experiment.yaml", "--workers", "2"});
    QVERIFY2(result.status == 1, result.err.c_str());
    const auto info = run_folder::readRunInfo(bench.bench.onlyRun());
    QVERIFY(info.error);
    QCOMPARE(info.error->rank, rank);
    QCOMPARE(info.error->cause.text(), cause.toStdString());
    QVERIFY2(contains(info.error->message, "rank " + std::to_string(rank)),
             info.error->message.c_str());
  }
};

LOCKSTEP_TEST(TstRankFaults)
#include "tst_rank_faults.moc"
