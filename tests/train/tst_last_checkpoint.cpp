// The last checkpoint, when the disk does not take it.
#include <sys/stat.h>

#include <QTemporaryDir>
#include <QTest>
#include <cstdlib>
#include <fstream>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/run_folder/rescued_checkpoint.h"
#include "engine/run_folder/training_state.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/train/small_training.h"

using namespace lockstep;
namespace fs = std::filesystem;

class TstLastCheckpoint : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  fs::path path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }

  /// A run of two steps whose folder takes no checkpoint.
  struct Bench {
    Bench(const fs::path& shapes, const fs::path& run, double patience)
        : layout(run_folder::createRunFolderAt(run)),
          observer(run),
          world(dist::makeSingleRankWorld()),
          trainer(experiment(shapes), layout,
                  {*world, mailbox, phase,
                   [this](const protocol::WorkerMessage& message) { observer.take(message); }, 0, 1,
                   patience}) {
      run_folder::writeRunInfo(layout, {});
      fs::remove(layout.checkpoints());
      std::ofstream(layout.checkpoints()) << "in the way";
    }
    static config::Experiment experiment(const fs::path& shapes) {
      config::Experiment made = tests::smallExperiment(shapes, 2);
      made.evaluation.maxImages = 1;
      made.evaluation.apEvery = {0};
      made.monitor.predictionsEvery = {0};
      return made;
    }
    void clearTheWay() const {
      fs::remove(layout.checkpoints());
      fs::create_directory(layout.checkpoints());
    }

    run_folder::Layout layout;
    train::Mailbox mailbox;
    train::PhaseReport phase;
    tests::MessageRecorder observer;
    std::unique_ptr<dist::World> world;
    train::Trainer trainer;
  };

 private Q_SLOTS:
  void initTestCase() { tests::writeShapes(path("shapes")); }
  void init() {
    fs::create_directory(path("tmp"));
    qputenv("TMPDIR", path("tmp").c_str());
  }
  void cleanup() {
    qunsetenv("TMPDIR");
    tests::removeRuns(path(""));
  }

  void isRetriedForAWhile() {
    Bench bench(path("shapes"), path("run"), 0.05);
    int warnings = 0;
    bench.observer.afterLog = [&](const protocol::Log& log) {
      if (log.text.find("the last checkpoint cannot be written: ") == std::string::npos) return;
      ++warnings;
      bench.clearTheWay();
    };
    bench.trainer.run();
    QCOMPARE(warnings, 1);
    QCOMPARE(bench.observer.checkpoints.size(), std::size_t{1});
    QVERIFY2(bench.observer.checkpoints[0].error.empty(),
             bench.observer.checkpoints[0].error.c_str());
    QCOMPARE(run_folder::checkpointSteps(bench.layout), std::vector<std::int64_t>{2});
    QVERIFY(!fs::exists(run_folder::rescueFolder(bench.layout.folder())));
  }

  void isThenSavedToAPrivateFallbackFolder() {
    Bench bench(path("shapes"), path("run"), 0);
    bench.trainer.run();
    QCOMPARE(bench.observer.checkpoints.size(), std::size_t{1});
    const protocol::CheckpointReady& ready = bench.observer.checkpoints[0];
    QVERIFY(!ready.error.empty() && ready.last);
    const fs::path folder = run_folder::rescueFolder(bench.layout.folder());
    QVERIFY(folder.string().starts_with(path("tmp").string() + "/lockstep-"));
    QCOMPARE(ready.elsewhere, (folder / "step-00000002").string());
    QVERIFY(!run_folder::checkpointError(ready.elsewhere));
    bench.trainer.run();  // what is left undone
    QCOMPARE(bench.observer.checkpoints.size(), std::size_t{1});
    for (const fs::path& part : {folder, folder.parent_path()}) {
      struct stat status {};
      QCOMPARE(::stat(part.c_str(), &status), 0);
      QCOMPARE(status.st_mode & 0777, 0700u);
    }
    bench.clearTheWay();
    const auto found = run_folder::findRescuedCheckpoint(bench.layout);
    QVERIFY(found && found->step == 2);
    run_folder::restoreRescuedCheckpoint(bench.layout, *found);
    QCOMPARE(run_folder::findResumePoint(bench.layout).step, std::int64_t{2});
    QVERIFY(!fs::exists(folder));
    QVERIFY(!run_folder::findRescuedCheckpoint(bench.layout));
  }

  void isLostIfItCannotBeSavedAnywhere() {
    fs::remove(path("tmp"));
    std::ofstream(path("tmp")) << "in the way";
    Bench bench(path("shapes"), path("run"), 0);
    bench.trainer.run();
    const protocol::CheckpointReady& ready = bench.observer.checkpoints.at(0);
    QVERIFY(ready.elsewhere.empty());
    QVERIFY2(ready.error.find("nor could it be written elsewhere: ") != std::string::npos,
             ready.error.c_str());
  }

  void otherCheckpointsAreNotRetried() {
    Bench bench(path("shapes"), path("run"), 1000);
    bench.mailbox.post(tests::control("checkpoint", "1"));
    bench.observer.afterAnswer = [&] { bench.clearTheWay(); };
    bench.trainer.run();
    QCOMPARE(bench.observer.checkpoints.size(), std::size_t{2});
    QVERIFY(!bench.observer.checkpoints[0].error.empty());
    QVERIFY(bench.observer.checkpoints[0].elsewhere.empty());
    QVERIFY(bench.observer.checkpoints[1].error.empty());
  }
};

LOCKSTEP_TEST(TstLastCheckpoint)
#include "tst_last_checkpoint.moc"
