#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <thread>

#include "engine/base/error.h"
#include "engine/eval/evaluator.h"
#include "engine/scenes/made_scenes.h"
#include "tests/dist/ranks.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
namespace fs = std::filesystem;

class TstDetectFiles : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    const fs::path shapes = folder_.filePath(QStringLiteral("shapes")).toStdString();
    scenes::writeMadeScenes({shapes, 4, 1, 7});
    for (const auto& entry : fs::directory_iterator(shapes / "train"))
      files_.push_back({{static_cast<std::int64_t>(files_.size()) + 1}, entry.path()});
    augment_.minSize = {64};
    augment_.maxSize = 96;
    model_ = makeModel();
    model_->train();
  }

  void filesInParallelGiveTheResultsOfEachAlone() {
    std::vector<coco::Detection> alone;
    for (const eval::NumberedFile& file : files_)
      std::ranges::move(eval::detectFiles(*model_, {file}, options(1)).detections,
                        std::back_inserter(alone));
    QVERIFY(!alone.empty());
    for (const int threads : {1, 3}) {
      const auto together = eval::detectFiles(*model_, files_, options(threads)).detections;
      QVERIFY(coco::detectionsToJson(together) == coco::detectionsToJson(alone));
    }
    QVERIFY(model_->is_training());
  }

  void fewFilesHaveTheSameResultsOnManyThreads_data() {
    QTest::addColumn<int>("count");
    QTest::addRow("one file") << 1;
    QTest::addRow("two files") << 2;
  }
  void fewFilesHaveTheSameResultsOnManyThreads() {
    QFETCH(int, count);
    const std::vector<eval::NumberedFile> few(files_.begin(), files_.begin() + count);
    const std::string expected =
        coco::detectionsToJson(eval::detectFiles(*model_, few, options(1)).detections);
    for (int i = 0; i < 3; ++i)  // what comes often is on all threads
      QCOMPARE(coco::detectionsToJson(eval::detectFiles(*model_, few, options(4)).detections),
               expected);
  }

  void theConfiguredNumberOfThreadsIsUsed() {
    std::vector<std::thread::id> takers;
    const auto note = [&](std::int64_t, std::int64_t) {
      takers.push_back(std::this_thread::get_id());
    };
    eval::detectFiles(*model_, files_, options(1), note);
    QCOMPARE(std::ranges::count(takers, std::this_thread::get_id()), std::ptrdiff_t{4});
    takers.clear();
    eval::detectFiles(*model_, files_, options(3), note);
    QCOMPARE(takers.size(), std::size_t{4});
    QCOMPARE(std::ranges::count(takers, std::this_thread::get_id()), std::ptrdiff_t{0});
  }

  void filesShardedOverRanksGiveTheResultsOfOneRank() {
    const std::string alone =
        coco::detectionsToJson(eval::detectFiles(*model_, files_, options(1)).detections);
    for (const int ranks : {2, 3, 5}) {  // of four files
      tests::onRanks(ranks, [&](dist::World& world) {
        const auto model = makeModel();
        eval::FileDetectionOptions shared = options(1);
        shared.world = &world;
        const auto detections = eval::detectFiles(*model, files_, shared).detections;
        if (world.rank() != 0 && !detections.empty()) throw Error("a rank kept its share");
        if (world.rank() == 0 && coco::detectionsToJson(detections) != alone)
          throw Error("other detections than one rank has");
      });
    }
  }

  void unreadableFilesAreListedAndSkipped() {
    auto files = files_;
    files.insert(files.begin() + 1, {{8}, "/nowhere/x.png"});
    files.push_back({{9}, "/nowhere/y.png"});
    const std::string others =
        coco::detectionsToJson(eval::detectFiles(*model_, files_, options(1)).detections);
    const auto check = [&](const eval::Detected& made) {
      if (coco::detectionsToJson(made.detections) != others) throw Error("other detections");
      if (made.badImages.size() != 2 || made.badImages[0].id.value != 8 ||
          made.badImages[1].id.value != 9 || made.badImages[0].file != "/nowhere/x.png" ||
          made.badImages[1].file != "/nowhere/y.png" || made.badImages[0].reason.empty()) {
        throw Error("wrong bad images");
      }
    };
    for (const int threads : {1, 3}) check(eval::detectFiles(*model_, files, options(threads)));
    tests::onRanks(3, [&](dist::World& world) {
      const auto model = makeModel();
      eval::FileDetectionOptions shared = options(1);
      shared.world = &world;
      const eval::Detected made = eval::detectFiles(*model, files, shared);
      if (world.rank() == 0) check(made);
    });
  }

 private:
  static std::shared_ptr<model::MaskRcnn> makeModel() {
    config::ModelConfig config;
    config.backbone = "resnet18";
    config.fpnChannels = 32;
    config.rpn.preNmsTopNTest = config.rpn.postNmsTopNTest = 50;
    config.boxHead.fcDim = 32;
    config.boxHead.scoreThreshold = 0;  // an untrained model has low scores
    config.maskHead.convs = 1;
    config.maskHead.channels = 16;
    return std::make_shared<model::MaskRcnn>(config, 4, 1);
  }

  eval::FileDetectionOptions options(int threads) const {
    return {.augment = augment_, .categories = categories_, .threads = threads};
  }

  QTemporaryDir folder_;
  std::vector<eval::NumberedFile> files_;
  config::AugmentConfig augment_;
  std::vector<CategoryId> categories_{{3}, {5}, {8}};
  std::shared_ptr<model::MaskRcnn> model_;
};

LOCKSTEP_TEST(TstDetectFiles)
#include "tst_detect_files.moc"
