#include <QTest>

#include "engine/config/load.h"
#include "tests/config/experiment_files.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;

class TstConfigsFolder : public QObject {
  Q_OBJECT

 private:
  static config::LoadedExperiment load(const char* name) {
    return config::loadExperiment(tests::sourceFolder() / "configs" / name);
  }

 private Q_SLOTS:
  void everyFileLoadsWithoutAnIssue() {
    int count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(tests::sourceFolder() / "configs")) {
      if (entry.path().extension() != ".yaml") continue;
      ++count;
      const auto loaded = config::loadExperiment(entry.path());
      QCOMPARE(tests::issueLines(loaded), std::string());
      QCOMPARE(loaded.experiment.name, entry.path().stem().string());
      const std::string text = config::writeExperiment(loaded.experiment);
      const auto again = config::loadExperimentText(text, "/elsewhere/config.yaml");
      QCOMPARE(tests::issueLines(again), std::string());
      QVERIFY(config::difference(loaded.experiment, again.experiment).empty());
    }
    QVERIFY(count >= 3);
  }

  void theBaseFileHasTheDefaults() {
    QVERIFY(config::difference(load("mask_rcnn_r50_fpn.yaml").experiment, {}).empty());
  }

  void theSmallFileIsTheBenchmarkedOne() {
    const config::Experiment small = load("cpu_small.yaml").experiment;
    QCOMPARE(small.model.backbone, std::string("resnet18"));
    QCOMPARE(small.model.resolvedNorm(), config::Norm::Group);
    QCOMPARE(small.model.resolvedFreezeStages(), 0);
    QCOMPARE(small.augment.minSize, std::vector<int>{256});
    QCOMPARE(small.augment.maxSize, 512);
    QCOMPARE(small.model.fpnChannels, 64);
    QCOMPARE(small.model.rpn.preNmsTopNTrain, 1000);
    QCOMPARE(small.model.rpn.preNmsTopNTest, 500);
    QCOMPARE(small.model.rpn.postNmsTopNTrain, 500);
    QCOMPARE(small.model.rpn.postNmsTopNTest, 300);
    QCOMPARE(small.model.boxHead.batchSizePerImage, 64);
    QCOMPARE(small.model.boxHead.fcDim, 256);
    QCOMPARE(small.model.maskHead.convs, 2);
    QCOMPARE(small.model.maskHead.channels, 64);
    QCOMPARE(small.solver.schedule, config::Schedule::Cosine);
    QCOMPARE(small.solver.baseLr, 0.02);
    QCOMPARE(small.solver.warmupFactor, 0.02);
    QCOMPARE(small.solver.warmupSteps, (config::Duration{50}));
    QCOMPARE(small.solver.maxSteps, (config::Duration{400}));
    QCOMPARE(small.solver.batchSize, 2);
    QCOMPARE(small.solver.clipGradNorm, 10.0);
  }

  void theCocoFileIsTwelveEpochs() {
    config::Experiment coco = load("coco_r50_1x.yaml").experiment;
    config::resolveDurations(coco, 117266);  // train2017 without its images without annotations
    QCOMPARE(coco.solver.maxSteps, (config::Duration{87950}));
    QCOMPARE(coco.solver.milestones.at(0), (config::Duration{58633}));
  }
};

LOCKSTEP_TEST(TstConfigsFolder)

#include "tst_configs_folder.moc"
