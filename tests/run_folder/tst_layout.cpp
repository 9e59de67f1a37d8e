#include <QTemporaryDir>
#include <QTest>

#include "engine/events/record.h"
#include "engine/events/record_frame.h"
#include "tests/run_folder/run_samples.h"
#include "tests/support/test_main.h"

namespace events = lockstep::events;
using namespace lockstep::run_folder;
using namespace lockstep::tests;

class TstLayout : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void namesAreThoseOfTheContract();
  void onlyCompleteCheckpointsCount();
  void evaluationsAndPredictionsAreListedAscending();
  void runFoldersAreDistinguishedFromOtherFolders();
};

void TstLayout::namesAreThoseOfTheContract() {
  const Layout layout("/runs/a");
  QCOMPARE(layout.config(), fs::path("/runs/a/config.yaml"));
  QCOMPARE(layout.runJson(), fs::path("/runs/a/run.json"));
  QCOMPARE(layout.lock(), fs::path("/runs/a/run.lock"));
  QCOMPARE(layout.engineLog(), fs::path("/runs/a/engine.log"));
  QCOMPARE(layout.rankLog(3), fs::path("/runs/a/rank-3.log"));
  QCOMPARE(layout.checkpoint(500), fs::path("/runs/a/checkpoints/step-00000500"));
  QCOMPARE(layout.partialCheckpoint(500), fs::path("/runs/a/checkpoints/.step-00000500.partial"));
  QCOMPARE(layout.evaluation(500), fs::path("/runs/a/evaluations/step-00000500.json"));
  QCOMPARE(layout.partialEvaluation(500),
           fs::path("/runs/a/evaluations/.step-00000500.json.partial"));
  QCOMPARE(layout.predictions(500), fs::path("/runs/a/predictions/step-00000500.json"));
  QCOMPARE(layout.partialPredictions(500),
           fs::path("/runs/a/predictions/.step-00000500.json.partial"));
  QCOMPARE(layout.partialPictures(500), fs::path("/runs/a/predictions/.step-00000500.pictures"));
  QCOMPARE(stepName(123456789), std::string("step-123456789"));
}

void TstLayout::onlyCompleteCheckpointsCount() {
  QTemporaryDir folder;
  const Layout layout(folder.path().toStdString());
  QVERIFY(checkpointSteps(layout).empty());
  for (const std::int64_t step : {400, 100, 123456789}) makeCheckpoint(layout, step);
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "state.json"}) {
    makeCheckpoint(layout, 200);
    fs::remove(layout.checkpoint(200) / name);
    QCOMPARE(checkpointSteps(layout), (std::vector<std::int64_t>{100, 400, 123456789}));
  }
  for (const char* name : {".step-00000300.partial", "step-300", "step-0000000300",
                           "step-00000300x", "step--0000300", "step-", "notes"}) {
    for (const char* file : {"model.safetensors", "optimizer.safetensors", "state.json"}) {
      writeText(layout.checkpoints() / name / file, "");
    }
  }
  writeText(layout.checkpoints() / "step-00000600", "a file");
  QCOMPARE(checkpointSteps(layout), (std::vector<std::int64_t>{100, 400, 123456789}));
}

void TstLayout::evaluationsAndPredictionsAreListedAscending() {
  QTemporaryDir folder;
  const Layout layout(folder.path().toStdString());
  QVERIFY(evaluationSteps(layout).empty());
  for (const std::int64_t step : {30, 10, 20}) {
    writeText(layout.evaluation(step), "{}");
    writeText(layout.predictions(step * 2), "{}");
    writeText(layout.partialEvaluation(step + 1), "{}");
  }
  writeText(layout.evaluation(1).parent_path() / "step-00000009.txt", "");
  QCOMPARE(evaluationSteps(layout), (std::vector<std::int64_t>{10, 20, 30}));
}

void TstLayout::runFoldersAreDistinguishedFromOtherFolders() {
  QTemporaryDir parent;
  const fs::path root = parent.path().toStdString();
  writeText(root / "a/run.json", "{");
  writeText(root / "b/config.yaml", "");
  writeText(root / "c/config.yaml", "");
  writeText(root / "c/events.out.tfevents.1", "");
  writeText(root / "d/events.out.tfevents.1", "");
  // As detectron2 and Lightning leave them: the first record names its own writer, or none.
  writeText(root / "e/config.yaml", "");
  writeText(root / "e/events.out.tfevents.1", events::frameOf("\x1a\x0d"
                                                              "brain.Event:2"
                                                              "\x52\x0d\x0a\x0b"
                                                              "tensorboard"));
  writeText(root / "f/config.yaml", "");
  events::Record version;
  version.kind = events::Record::Kind::FileVersion;
  writeText(root / "f/events.out.tfevents.1", events::encodeRecord(version));
  QVERIFY(isRunFolder(root / "a"));
  QVERIFY(!isRunFolder(root / "e"));
  QVERIFY(isRunFolder(root / "f"));
  QVERIFY(!isRunFolder(root / "b"));
  QVERIFY(isRunFolder(root / "c"));
  QVERIFY(!isRunFolder(root / "d"));
  QVERIFY(!isRunFolder(root / "no"));
  QVERIFY(!isRunFolder(root / "a/run.json"));
}

LOCKSTEP_TEST(TstLayout)
#include "tst_layout.moc"
