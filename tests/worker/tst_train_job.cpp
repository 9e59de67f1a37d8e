#include <QTemporaryDir>
#include <QTest>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/config/load.h"
#include "engine/data/image_file.h"
#include "engine/run_folder/run_folder.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/worker/job_bench.h"

using namespace lockstep;
namespace fs = std::filesystem;

class TstTrainJob : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    experiment_ = tests::makeSmallModel(path(""));
    experiment_.model.norm = config::Norm::Group;
    experiment_.model.freezeStages = 0;
  }

  void aRunResumesWithoutItsInitialWeights() {
    config::Experiment experiment = experiment_;
    experiment.model.weights = path("weights.safetensors");
    const run_folder::Layout run = run_folder::createRunFolderAt(path("run"));
    protocol::TrainJob job{.configYaml = config::writeExperiment(experiment),
                           .runFolder = run.folder().string()};
    QCOMPARE(tests::JobBench().run(job).step, std::int64_t(1));
    fs::rename(run.partialCheckpoint(1), run.checkpoint(1));  // as the supervisor does

    fs::remove(experiment.model.weights);
    QVERIFY_EXCEPTION_THROWN(tests::JobBench().run(job), Error);
    experiment.solver.maxSteps = {2};
    job.configYaml = config::writeExperiment(experiment);
    job.resumeFrom = run.checkpoint(1).string();
    QCOMPARE(tests::JobBench().run(job).step, std::int64_t(2));
    QVERIFY(fs::exists(run.partialCheckpoint(2) / "model.safetensors"));
  }

  void predictionsAreDrawn_data() {
    QTest::addColumn<int>("images");
    QTest::newRow("two") << 2;
    QTest::newRow("none") << 0;
  }
  void predictionsAreDrawn() {
    QFETCH(int, images);
    config::Experiment experiment = experiment_;
    experiment.monitor.summaryImages = images;
    const auto run = run_folder::createRunFolderAt(path(QTest::currentDataTag()));
    std::vector<protocol::PicturesReady> told;
    bool hasPredictions = false;
    tests::JobBench bench;
    bench.onMessage = [&](const protocol::WorkerMessage& message) {
      hasPredictions |= std::holds_alternative<protocol::PredictionsReady>(message);
      if (const auto* ready = std::get_if<protocol::PicturesReady>(&message))
        told.push_back(*ready);
    };
    bench.run(protocol::TrainJob{.configYaml = config::writeExperiment(experiment),
                                 .runFolder = run.folder().string()});
    QVERIFY(hasPredictions);
    QCOMPARE(told.size(), std::size_t(images > 0));
    QCOMPARE(fs::exists(run.partialPictures(1)), images > 0);
    if (images == 0) return;
    QCOMPARE(told[0].pictures.size(), std::size_t{2});
    for (const protocol::PredictionPicture& picture : told[0].pictures) {
      const data::RgbImage drawn = data::readImage(fs::path(told[0].partial) / picture.file);
      QCOMPARE(drawn.width, picture.width);
      QCOMPARE(drawn.height, picture.height);
      QVERIFY(drawn.width <= 640 && drawn.height <= 640);
    }
  }

 private:
  std::string path(const char* name) const {
    return folder_.filePath(QString::fromUtf8(name)).toStdString();
  }

  QTemporaryDir folder_;
  config::Experiment experiment_;
};

LOCKSTEP_TEST(TstTrainJob)
#include "tst_train_job.moc"
