#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include "engine/base/atomic_file.h"
#include "engine/supervisor/checkpoint_keeper.h"
#include "engine/supervisor/run_log.h"
#include "engine/supervisor/run_recorder.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

/// A run folder in which a file stands where the checkpoint of step 6 belongs.
class KeeperBench {
 public:
  explicit KeeperBench(std::chrono::seconds patience) : keeper(recorder, log, patience) {
    fs::create_directories(temporary());
    qputenv("TMPDIR", QByteArray::fromStdString(temporary().string()));
    std::ofstream(obstacle()) << "in the way";
  }

  ~KeeperBench() { qputenv("TMPDIR", variableBefore); }

  fs::path temporary() const { return fs::path(folder.path().toStdString()) / "tmp"; }
  fs::path obstacle() const { return layout.checkpoint(6); }
  std::vector<std::int64_t> steps() const { return run_folder::checkpointSteps(layout); }

  /// As the worker leaves it.
  protocol::CheckpointReady ready(std::int64_t step, bool last) const {
    const fs::path partial = layout.partialCheckpoint(step);
    fs::create_directories(partial);
    for (const char* name : run_folder::kCheckpointFiles) std::ofstream(partial / name) << "whole";
    return {step, partial.string(), false, last, "", ""};
  }

  QByteArray variableBefore = qgetenv("TMPDIR");
  QTemporaryDir folder;
  run_folder::Layout layout = run_folder::prepareRunFolder(folder.path().toStdString() + "/run");
  supervisor::RunLog log{layout.engineLog()};
  supervisor::RunRecorder recorder{layout, {}, {}, std::nullopt, {}};
  supervisor::CheckpointKeeper keeper;
};

}  // namespace

class TstCheckpointKeeper : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void checkpointsAreMovedIntoPlace() {
    KeeperBench bench(60s);
    bench.keeper.keep(bench.ready(2, false));
    bench.keeper.keep(bench.ready(4, true));
    QCOMPARE(bench.steps(), (std::vector<std::int64_t>{2, 4}));
    QVERIFY(!bench.keeper.isRetrying() && !bench.keeper.lost());
    QVERIFY(tests::contains(base::readFile(bench.layout.engineLog()),
                            "[train] checkpoint step=2\n[train] checkpoint step=4\n"));
  }

  void onlyTheLastCheckpointIsRetried() {
    KeeperBench bench(60s);
    bench.keeper.keep(bench.ready(6, false));
    QVERIFY(!bench.keeper.isRetrying() && !bench.keeper.lost());
    QVERIFY(!fs::exists(bench.layout.partialCheckpoint(6)));
    bench.keeper.keep(bench.ready(6, true));
    QVERIFY(bench.keeper.isRetrying());
    bench.keeper.retry();
    QVERIFY(bench.keeper.isRetrying());
    fs::remove(bench.obstacle());
    bench.keeper.retry();
    QVERIFY(!bench.keeper.isRetrying() && !bench.keeper.lost());
    QCOMPARE(bench.steps(), std::vector<std::int64_t>{6});
  }

  void afterTheTimeoutItIsSavedElsewhere() {
    KeeperBench bench(60s);
    bench.keeper.keep(bench.ready(6, true));
    bench.keeper.stopRetrying();
    QVERIFY2(bench.keeper.isRetrying(), "there is one more try");
    bench.keeper.retry();
    QVERIFY(!bench.keeper.isRetrying());
    QVERIFY(bench.keeper.lost());
    QVERIFY2(bench.keeper.lost()->fallbackFolder.starts_with(bench.temporary().string()),
             bench.keeper.lost()->fallbackFolder.c_str());
    QVERIFY(fs::exists(fs::path(bench.keeper.lost()->fallbackFolder) / "model.safetensors"));
    bench.keeper.reset();
    QVERIFY(!bench.keeper.lost());
  }

  void failureToSaveElsewhereIsReported() {
    KeeperBench bench(0s);
    fs::remove(bench.temporary());
    std::ofstream(bench.temporary()) << "in the way";
    bench.keeper.keep(bench.ready(6, true));
    bench.keeper.retry();
    QVERIFY(bench.keeper.lost() && bench.keeper.lost()->fallbackFolder.empty());
    QVERIFY2(tests::contains(bench.keeper.lost()->reason, "; nor could it be saved elsewhere: "),
             bench.keeper.lost()->reason.c_str());
  }

  void aCheckpointThatTheWorkerCouldNotWriteIsLost() {
    KeeperBench bench(60s);
    bench.keeper.keep({6, "", false, true, "disk full", "/elsewhere"});
    QVERIFY(!bench.keeper.isRetrying());
    QVERIFY(bench.keeper.lost());
    QCOMPARE(bench.keeper.lost()->reason, std::string("disk full"));
    QCOMPARE(bench.keeper.lost()->fallbackFolder, std::string("/elsewhere"));
  }
};

LOCKSTEP_TEST(TstCheckpointKeeper)
#include "tst_checkpoint_keeper.moc"
