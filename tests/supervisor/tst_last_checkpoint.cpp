#include <signal.h>

#include <QTest>
#include <fstream>

#include "engine/base/atomic_file.h"
#include "engine/run_folder/rescued_checkpoint.h"
#include "engine/run_folder/training_state.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;

namespace {

constexpr const char* kMeetsObstacle =
    "state running 0\nscalars 1 6\nawait obstacle\ncheckpoint 6 last\nfinish 6\n";

/// A run whose last checkpoint cannot be put in its place.
class ObstacleBench {
 public:
  explicit ObstacleBench(const char* patience) {
    fs::create_directories(bench.folder() / "tmp");
    bench.setVariable("TMPDIR", (bench.folder() / "tmp").string());
    bench.setVariable("LOCKSTEP_CHECKPOINT_PATIENCE", patience);
    bench.script(kMeetsObstacle);
    engine = bench.start({"train", "experiment.yaml", "--output", "run"});
    if (!QTest::qWaitFor([&] { return fs::exists(run().checkpoints()); }, 20000))
      throw Error("the run does not begin");
    std::ofstream(obstacle()) << "in the way";
    bench.touch("obstacle");
  }

  run_folder::Layout run() const { return run_folder::Layout(bench.folder() / "run"); }
  fs::path obstacle() const { return run().checkpoint(6); }
  bool waitUntilRetrying() const {
    return QTest::qWaitFor(
        [&] {
          return fs::exists(run().engineLog()) &&
                 contains(base::readFile(run().engineLog()), "the last checkpoint cannot be saved");
        },
        20000);
  }

  EngineBench bench;
  std::unique_ptr<QProcess> engine;
};

}  // namespace

class TstLastCheckpoint : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void isSavedAsSoonAsThereIsSpace() {
    ObstacleBench bench("60");
    QVERIFY(bench.waitUntilRetrying());
    fs::remove(bench.obstacle());
    const auto result = EngineBench::finish(*bench.engine);
    QVERIFY2(result.status == 0, result.err.c_str());
    QVERIFY2(contains(result.err, "retrying for 60 s"), result.err.c_str());
    QCOMPARE(run_folder::checkpointSteps(bench.run()), std::vector<std::int64_t>{6});
    QCOMPARE(run_folder::readRunInfo(bench.run()).state.text(), std::string("finished"));
  }

  void isSavedToAFallbackFolderAndRestoredByResume_data() {
    QTest::addColumn<QString>("patience");
    QTest::addColumn<bool>("isCutShort");
    QTest::newRow("patience is over") << QStringLiteral("0") << false;
    QTest::newRow("a signal ends it") << QStringLiteral("60") << true;
  }
  void isSavedToAFallbackFolderAndRestoredByResume() {
    QFETCH(QString, patience);
    QFETCH(bool, isCutShort);
    ObstacleBench bench(patience.toUtf8().constData());
    QVERIFY(bench.waitUntilRetrying());
    if (isCutShort) {
      // Not before the ranks have ended: as long as they run a signal asks them to stop.
      QTRY_VERIFY(!tests::isAlive(bench.bench.workerPid()));
      ::kill(static_cast<pid_t>(bench.engine->processId()), SIGTERM);
    }
    const auto result = EngineBench::finish(*bench.engine);
    QCOMPARE(result.status, 1);
    const auto info = run_folder::readRunInfo(bench.run());
    QCOMPARE(info.state.text(), std::string("failed"));
    QVERIFY(info.error);
    const fs::path elsewhere = info.error->checkpoint;
    QVERIFY2(elsewhere.string().starts_with((bench.bench.folder() / "tmp/lockstep-").string()),
             elsewhere.c_str());
    QCOMPARE(elsewhere.filename().string(), std::string("step-00000006"));
    QVERIFY2(contains(info.error->message, elsewhere.string()), info.error->message.c_str());
    QVERIFY(contains(result.err, elsewhere.string()));
    QVERIFY(!run_folder::checkpointError(elsewhere));

    // No room yet: it stays where it is.
    bench.bench.script("finish 6\n");
    fs::remove(bench.obstacle());
    fs::rename(bench.run().checkpoints(), bench.bench.folder() / "aside");
    std::ofstream(bench.run().checkpoints()) << "in the way";
    const auto refused = bench.bench.run({"train", "run", "--resume"});
    QCOMPARE(refused.status, 2);
    QCOMPARE(refused.err, std::string("run/checkpoints: cannot be created: Not a directory\n"));
    QVERIFY(!run_folder::checkpointError(elsewhere));
    fs::remove(bench.run().checkpoints());
    fs::rename(bench.bench.folder() / "aside", bench.run().checkpoints());

    // Also when the next job has another temporary folder: run.json names it.
    fs::create_directories(bench.bench.folder() / "tmp2");
    bench.bench.setVariable("TMPDIR", (bench.bench.folder() / "tmp2").string());
    const auto resumed = bench.bench.run({"train", "run", "--resume"});
    QVERIFY2(resumed.status == 0, resumed.err.c_str());
    QVERIFY2(
        contains(resumed.err, "the checkpoint of step 6 was restored from " + elsewhere.string()),
        resumed.err.c_str());
    QCOMPARE(bench.bench.lastJob().resumeFrom, bench.run().checkpoint(6).string());
    QVERIFY(!fs::exists(elsewhere));
  }

  void patienceMustBeANumberOfSeconds_data() {
    QTest::addColumn<QString>("patience");
    for (const char* patience : {"soon", "1 s", "-1", "nan", "inf", "1e300", "86401"})
      QTest::newRow(patience) << QString::fromUtf8(patience);
  }
  void patienceMustBeANumberOfSeconds() {
    QFETCH(QString, patience);
    EngineBench bench;
    bench.setVariable("LOCKSTEP_CHECKPOINT_PATIENCE", patience.toStdString());
    const auto result = bench.run({"train", "experiment.yaml"});
    QCOMPARE(result.status, 2);
    const std::string expected = "LOCKSTEP_CHECKPOINT_PATIENCE is '" + patience.toStdString() +
                                 "', which is not a number of seconds from 0 to 86400 (a day)";
    QVERIFY2(contains(result.err, expected), result.err.c_str());
    QCOMPARE(std::ranges::count(result.err, '\n'), 1);
  }
};

LOCKSTEP_TEST(TstLastCheckpoint)
#include "tst_last_checkpoint.moc"
