#include <QTest>

#include "engine/cli/data_check.h"
#include "tests/cli/made_splits.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using nlohmann::json;
using tests::contains;
using Data = tests::MadeSplits;

/// Data beside the settings of model, cache and augmentation.
class TstDataCheckSettings : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void annotationsWithoutMasks() {
    Data data;
    data.addSplit("train", 4, 1, "t");
    data.addSplit("val", 2, 11, "v");
    json file = data.read("train");
    file["annotations"][1].erase("segmentation");
    data.write("train", file);
    QVERIFY2(contains(data.lines(),
                      "dataset.train.annotations: warning: 1 of the 4 usable annotations has "
                      "a box but no mask, the first has id 2: they are not trained "
                      "on by the mask head"),
             data.lines().c_str());
    for (json& annotation : file["annotations"]) annotation.erase("segmentation");
    data.write("train", file);
    QVERIFY2(contains(data.lines(),
                      "dataset.train.annotations: 4 of the 4 usable annotations have a box "
                      "but no mask, the first has id 1: train a detector of boxes "
                      "with model.masks: false, or add masks"),
             data.lines().c_str());
    QCOMPARE(data.lines({"model.masks=false"}), std::string());
    QVERIFY2(contains(data.lines({"model.masks=false", "augment.copy_paste=0.5"}),
                      "augment.copy_paste: warning: 0.5 has no effect: objects are cut out by "
                      "their masks, and no training object has one"),
             data.lines({"model.masks=false", "augment.copy_paste=0.5"}).c_str());
  }

  void cachesThatAreTooSmallOrTooLarge() {
    Data data;
    data.addSplit("train", 4, 1, "t");
    data.addSplit("val", 2, 11, "v");
    QCOMPARE(data.lines({"dataset.cache=ram"}), std::string());
    QVERIFY2(contains(data.lines({"dataset.cache=ram", "dataset.cache_limit=1 MiB"}),
                      "dataset.cache_limit: warning: 1 MiB holds 19 % of the decoded "
                      "images"),
             data.lines({"dataset.cache=ram", "dataset.cache_limit=1 MiB"}).c_str());
    QCOMPARE(data.lines({"dataset.cache_limit=1 MiB"}), std::string());
    QVERIFY(contains(data.lines({"dataset.cache=ram", "runtime.workers=65536"}),
                     "dataset.cache: warning: the caches of 65536 ranks need 337.5 GiB, and this "
                     "machine has "));
  }

  void augmentationMayElongateTheLargestBatch() {
    Data data;
    data.addSplit("train", 4, 1, "t");
    const auto largest = [&](const std::vector<std::string>& overrides) {
      const config::BatchEstimate batch = cli::checkData(data.load(overrides), {}).largestBatch;
      return std::pair(batch.widthPx, batch.heightPx);
    };
    data.addSplit("val", 2, 11, "v");
    QVERIFY(largest({}) == std::pair(96, 64));
    // 64 px of the shorter side are 85 px of the longer one, 128 px of one that is cropped.
    QVERIFY(largest({"augment.quarter_turns=0.5"}) == std::pair(96, 96));
    QVERIFY(largest({"augment.crop=0.5"}) == std::pair(128, 96));
    QVERIFY(largest({"augment.crop=0.1", "augment.quarter_turns=0.5"}) == std::pair(128, 128));
  }
};

LOCKSTEP_TEST(TstDataCheckSettings)
#include "tst_data_check_settings.moc"
