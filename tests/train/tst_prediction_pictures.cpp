#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "tests/dist/ranks.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/train/small_training.h"

using namespace lockstep;
using tests::onRanks;
using tests::Session;
namespace fs = std::filesystem;

namespace {

std::vector<std::int64_t> idsOf(const protocol::PicturesReady& ready) {
  std::vector<std::int64_t> ids;
  for (const protocol::PredictionPicture& picture : ready.pictures) ids.push_back(picture.imageId);
  return ids;
}

std::vector<std::string> warningsOf(const Session& session) {
  std::vector<std::string> warnings;
  for (const protocol::Log& log : session.observer.logs)
    if (log.level == base::LogLevel::Warning) warnings.push_back(log.text);
  return warnings;
}

}  // namespace

/// Pictures of predictions on validation images (monitor.summary_images).
class TstPredictionPictures : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    tests::writeShapes(path("shapes"));
  }
  void cleanup() { tests::removeRuns(path("")); }

  void theFirstHeldOutImagesAreDrawn_data() {
    QTest::addColumn<int>("predictionImages");
    QTest::addColumn<int>("apEvery");
    QTest::newRow("fewer than the watched ones") << 3 << 0;
    QTest::newRow("more than the watched ones") << 1 << 0;
    QTest::newRow("none is watched") << 0 << 0;
    QTest::newRow("of an evaluation with AP") << 1 << 2;
  }
  void theFirstHeldOutImagesAreDrawn() {
    QFETCH(int, predictionImages);
    QFETCH(int, apEvery);
    config::Experiment experiment = experimentWith(2);
    experiment.monitor.predictionImages = predictionImages;
    experiment.evaluation.apEvery = {double(apEvery)};
    Session session(experiment, path(QTest::currentDataTag()));
    session.trainer.run();
    const auto& pictures = session.observer.pictures;
    QCOMPARE(pictures.size(), std::size_t{2});
    const auto heldOut = coco::Dataset::load(experiment.dataset.val.annotations);
    for (std::size_t i = 0; i < 2; ++i) {
      QCOMPARE(pictures[i].step, static_cast<std::int64_t>(2 * (i + 1)));
      QCOMPARE(idsOf(pictures[i]), (std::vector<std::int64_t>{heldOut.images()[0].id.value,
                                                              heldOut.images()[1].id.value}));
      QCOMPARE(pictures[i].pictures[1].width, heldOut.images()[1].width);
      QCOMPARE(session.drawn[2 * i + 1].file.filename(), fs::path(heldOut.images()[1].fileName));
    }
    for (const train::PredictedImage& image : session.drawn) {
      QVERIFY(fs::exists(image.file));
      QVERIFY(std::ranges::is_sorted(image.detections, std::greater(), &coco::Detection::score));
    }
    QVERIFY2(fs::is_directory(session.layout.predictions(2).parent_path()) &&
                 !fs::exists(session.layout.partialPictures(2)),
             "nothing is left of them");
    const std::string json = base::readFile(session.layout.predictions(4));
    QCOMPARE(json.find("\"image_ids\": []") != std::string::npos, predictionImages == 0);
  }

  void trainingDoesNotChange_data() {
    QTest::addColumn<int>("ranks");
    QTest::newRow("1 rank") << 1;
    QTest::newRow("2 ranks") << 2;
  }
  /// The same bits in weights, scalars, evaluations and predictions, on every rank.
  void trainingDoesNotChange() {
    QFETCH(int, ranks);
    std::array<std::map<std::string, std::string>, 2> files;
    for (const int images : {0, 2}) {
      config::Experiment experiment = experimentWith(images);
      experiment.monitor.predictionImages = 1;
      experiment.evaluation.lossEvery = {2};
      experiment.runtime.cpuThreads = 1;  // ranks in threads of one process share those of OpenMP
      const std::string name = std::to_string(images) + " on " + std::to_string(ranks) + " rank ";
      onRanks(ranks, [&](dist::World& world) {
        Session session(experiment, path(name + std::to_string(world.rank())), world);
        session.trainer.run();
        const bool draws = images > 0 && world.rank() == 0;
        if (session.drawn.size() != (draws ? 4U : 0U) ||
            session.observer.pictures.size() != (draws ? 2U : 0U))
          throw Error("it drew other images");
        if (world.rank() == 0 && session.observer.predictions != std::vector<std::int64_t>{2, 4})
          throw Error("it predicted at other steps");
      });
      const run_folder::Layout layout(path(name + "0"));
      auto& contents = files[images == 0 ? 0 : 1];
      for (const fs::path& file :
           {layout.checkpoint(4) / "model.safetensors",
            layout.checkpoint(4) / "optimizer.safetensors", layout.evaluation(2),
            layout.evaluation(4), layout.predictions(2), layout.predictions(4)})
        contents[file.filename().string() + " of " + file.parent_path().filename().string()] =
            base::readFile(file);
    }
    for (const auto& [file, content] : files[0])
      QVERIFY2(content == files[1].at(file), file.c_str());
  }

  void aFailureIsOneWarningAndAResumeDrawsWhatFollows() {
    config::Experiment experiment = experimentWith(2);
    experiment.checkpoint.every = {2};
    Session session(experiment, path("failure"));
    session.beforeDrawing = [] { throw Error("no font"); };
    QCOMPARE(session.trainer.run().step, std::int64_t{4});
    QVERIFY(session.observer.pictures.empty());
    const auto warnings = warningsOf(session);
    QCOMPARE(warnings, (std::vector<std::string>{
                           "pictures of the predictions of step 2 could not be drawn: no font; "
                           "training continues"}));
    QVERIFY(!fs::exists(session.layout.partialPictures(2)));
    QCOMPARE(session.observer.predictions, (std::vector<std::int64_t>{2, 4}));

    Session resumed(experiment, path("failure"));
    resumed.trainer.resume(resumed.layout.checkpoint(2));
    resumed.trainer.run();
    QCOMPARE(resumed.observer.pictures.size(), std::size_t{1});
    QCOMPARE(resumed.observer.pictures[0].step, std::int64_t{4});
  }

 private:
  std::string path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }
  /// Four steps, predictions after the second and the last.
  config::Experiment experimentWith(int summaryImages) const {
    config::Experiment experiment = tests::smallExperiment(path("shapes"), 4);
    experiment.model.boxHead.scoreThreshold = 0;
    experiment.evaluation.lossEvery = {0};
    experiment.evaluation.apEvery = {0};
    experiment.evaluation.bestMetric = "loss_total";
    experiment.monitor.predictionsEvery = {2};
    experiment.monitor.summaryImages = summaryImages;
    return experiment;
  }

  QTemporaryDir folder_;
};

LOCKSTEP_TEST(TstPredictionPictures)
#include "tst_prediction_pictures.moc"
