#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/cli/data_check.h"
#include "engine/config/load.h"
#include "engine/dataset_check/annotation_issues.h"
#include "tests/cli/made_splits.h"
#include "tests/support/contains.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
namespace fs = std::filesystem;
using nlohmann::json;
using tests::contains;
using Data = tests::MadeSplits;

namespace {

/// The issues of 6 training and 2 validation images after a change of the training annotations.
std::string linesAfter(const std::function<void(json&)>& change) {
  Data data;
  data.addSplit("train", 6, 1, "t");
  data.addSplit("val", 2, 1, "v");
  json train = data.read("train");
  change(train);
  data.write("train", train);
  return data.lines();
}

}  // namespace

class TstDataCheck : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void goodDataIsCounted() {
    Data data;
    data.addSplit("train", 5, 1, "t");
    data.addSplit("val", 3, 1, "v");
    json train = data.read("train");
    train["annotations"][0]["iscrowd"] = 1;
    train["annotations"][0]["segmentation"] = {{"size", {480, 640}}, {"counts", {0, 307200}}};
    data.write("train", train);
    QCOMPARE(data.lines(), std::string());
    const cli::DataCheck check = cli::checkData(data.load(), {});
    QCOMPARE(check.trainImages, std::int64_t{4});
    QCOMPARE(check.trainAnnotations, std::size_t{5});
    QCOMPARE(check.valImages, std::size_t{3});
    QCOMPARE(check.classes, std::size_t{1});
    QCOMPARE(check.largestBatch.images, 2);
    QCOMPARE(check.largestBatch.widthPx, 96);  // 640 x 480 to 85 x 64, padded to 32
    QCOMPARE(check.largestBatch.heightPx, 64);
    QCOMPARE(cli::checkTrainingData(data.load({"dataset.skip_empty=false"}), {}).trainImages,
             std::int64_t{5});
  }

  void theTrainingSplitIsRequired() {
    Data data;
    data.addSplit("train", 2, 1, "t");
    data.addSplit("val", 2, 1, "v");
    const std::vector<std::string> without{"dataset.train.images=null",
                                           "dataset.train.annotations=null"};
    QCOMPARE(
        data.lines(without),
        std::string("--set: dataset.train.images: is not given: name the folder of the images\n"
                    "--set: dataset.train.annotations: is not given: name a COCO instances file"));
    try {
      cli::checkTrainingData(data.load(without), {});
      QFAIL("did not throw");
    } catch (const Error& error) {
      QVERIFY(error.status() == ExitStatus::UserError);
    }
  }

  void theHeldOutSplitIsOptional() {
    Data data;
    data.addSplit("train", 2, 1, "t");
    data.addSplit("val", 2, 1, "v");
    const std::vector<std::string> without{"dataset.val.images=null",
                                           "dataset.val.annotations=null"};
    QCOMPARE(data.lines(without),
             std::string("--set: dataset.val.annotations: warning: is not given: there will be no "
                         "validation loss, AP, predictions or best checkpoint"));
    QCOMPARE(cli::checkTrainingData(data.load(without), {}).trainImages, std::int64_t{2});
    QCOMPARE(cli::checkData(data.load(without), {}).valImages, std::size_t{0});
  }

  void annotationsWithoutClassesAreAnError() {
    Data data;
    data.addSplit("train", 2, 1, "t");
    data.addSplit("val", 2, 1, "v");
    for (const char* name : {"train", "val"}) {
      json file = data.read(name);
      file["categories"] = json::array();
      file["annotations"] = json::array();
      data.write(name, file);
    }
    QCOMPARE(data.lines(),
             std::string("a.yaml:2:39: dataset.train.annotations: train.json has no classes: its "
                         "\"categories\" are empty\n"
                         "a.yaml:2:39: dataset.train.annotations: train.json: none of the 2 "
                         "images has a usable annotation (iscrowd 0, width and height over 1 "
                         "px)"));
  }

  void aSplitWithoutImagesIsAnError() {
    Data data;
    data.addSplit("train", 0, 0, "t");
    data.addSplit("val", 0, 0, "v");
    for (const char* split : {"train", "val"}) fs::create_directories(data.path(split));
    QCOMPARE(data.lines(), std::string("a.yaml:2:39: dataset.train.annotations: has no images\n"
                                       "a.yaml:3:35: dataset.val.annotations: has no images"));
  }

  void classesOfTheHeldOutSplitMustMatch() {
    Data data;
    data.addSplit("train", 2, 1, "t");
    data.addSplit("val", 2, 1, "v");
    json val = data.read("val");
    val["categories"].push_back({{"id", 7}, {"name", "worm"}});
    data.write("val", val);
    QCOMPARE(data.lines(), std::string("a.yaml:3:35: dataset.val.annotations: category 7 'worm' is "
                                       "missing in the training split"));
    json train = data.read("train");
    for (const auto& [id, name] : {std::pair{7, "worm"}, std::pair{2, "leaf"}})
      train["categories"].push_back({{"id", id}, {"name", name}});
    data.write("train", train);
    QCOMPARE(data.lines(), std::string());  // it may name fewer of them
    QCOMPARE(cli::checkData(data.load(), {}).classes, std::size_t{3});
    val["categories"] = json::array({{{"id", 3}, {"name", "worm"}}});
    data.write("val", val);
    QCOMPARE(data.lines(), std::string("a.yaml:3:35: dataset.val.annotations: warning: category 3 "
                                       "'worm' is 'cell' in the training split"));
    val["categories"][0]["name"] = "";
    data.write("val", val);
    QVERIFY2(
        data.lines().find("category 3 '' is 'cell' in the training split") != std::string::npos,
        data.lines().c_str());
  }

  void missingImagesAreNamed() {
    Data data;
    data.addSplit("train", 5, 1, "t");
    data.addSplit("val", 2, 1, "v");
    fs::remove(data.path("train/t2.jpg"));
    fs::remove(data.path("train/t4.jpg"));
    QCOMPARE(data.lines(),
             std::string("a.yaml:2:19: dataset.train.images: train: 2 of the 5 images in the "
                         "annotations are missing, such as t2.jpg; restore them, or skip them with "
                         "dataset.bad_images: skip"));
  }

  void emptyImagesAreNamed() {
    Data data;
    data.addSplit("train", 5, 1, "t");
    data.addSplit("val", 2, 1, "v");
    base::writeFileAtomically(data.path("val/v2.jpg"), "");
    QCOMPARE(
        data.lines(),
        std::string(
            "a.yaml:3:17: dataset.val.images: val: 1 of the 2 images in the annotations is empty, "
            "such as v2.jpg; restore them, or skip them with dataset.bad_images: skip"));
  }

  void suspiciousBoxesAreCountedAndNamed() {
    using Boxes = std::map<int, std::array<double, 4>>;
    const std::string place = "a.yaml:2:39: dataset.train.annotations: warning: ";
    const auto after = [](const Boxes& boxes) {  // instead of 10, 10, 10, 10, as the masks are
      return linesAfter([&](json& train) {
        for (const auto& [id, box] : boxes) train["annotations"][id - 1]["bbox"] = box;
      });
    };
    QCOMPARE(after({{1, {8.5, 11, 11, 10}}}), std::string());  // a rounding
    QCOMPARE(after({{2, {10, 10, 20, 20}}}),
             place +
                 "1 of 6 objects has a box that matches its mask when read as [x0, y0, x1, y1], "
                 "but COCO's are [x, y, width, height]: convert them (annotation 2)");
    QCOMPARE(after({{3, {635, 10, 10, 10}}}),
             place +
                 "1 of 6 objects has a box that extends beyond its image: correct or remove them "
                 "(annotation 3)");
    QCOMPARE(after({{3, {100, 10, 10, 10}}, {5, {10, 300, 10, 10}}}),
             place +
                 "2 of 6 objects have boxes that do not match their masks: correct one of the two "
                 "(annotations 3, 5)");
    for (const std::array<double, 4>& box :
         {std::array<double, 4>{1e30, 10, 10, 10}, {10, 10, 10, 1e30}}) {
      QCOMPARE(after({{4, box}}),
               place +
                   "1 of 6 objects has coordinates far outside its image: correct or remove them "
                   "(annotation 4)");
    }
  }

  void cornerBoxesAreAnErrorWhereMostExtendBeyondTheirImage() {
    const std::string lines = linesAfter([](json& train) {
      for (json& object : train["annotations"]) {
        object["bbox"] = {400, 300, 500, 400};
        object["segmentation"] = {{400, 300, 500, 300, 500, 400, 400, 400}};
      }
    });
    QCOMPARE(lines,
             std::string("a.yaml:2:39: dataset.train.annotations: 6 of 6 objects have boxes that "
                         "match their masks when read as [x0, y0, x1, y1], but COCO's are [x, y, "
                         "width, height]: convert them (annotations 1, 2, 3, 4, 5 …)"));
  }

  void missingAndDuplicateClassNamesAreWarnings() {
    const std::string lines = linesAfter([](json& train) {
      for (const auto& [id, name] : {std::pair{4, ""}, std::pair{5, " cell\n"}, std::pair{6, "  "}})
        train["categories"].push_back({{"id", id}, {"name", name}});
    });
    const std::string place = "a.yaml:2:39: dataset.train.annotations: warning: ";
    QCOMPARE(lines,
             place + "category 4 has no name\n" + place + "category 6 has no name\n" + place +
                 "categories 3, 5 are all named cell: the model treats them as different classes");
  }

  void annotationsOfRealDataHaveNoIssues() {
    for (const char* name :
         {"coco-tiny/annotations/instances_train2017.json",
          "coco-tiny/annotations/instances_val2017.json",
          "droplets/annotations/instances_train.json", "droplets/annotations/instances_val.json"}) {
      const fs::path set =
          tests::realData(std::string(name).substr(0, std::string(name).find('/')));
      if (set.empty()) QSKIP("LOCKSTEP_TEST_DATA has no such data");
      const auto issues =
          dataset_check::annotationIssues(coco::Dataset::load(set.parent_path() / name));
      QVERIFY2(issues.empty(), issues.empty() ? "" : issues[0].text.c_str());
    }
  }

  void heldOutImagesThatAreTrainingImagesAreAWarning() {
    Data data;
    data.addSplit("train", 4, 1, "i");
    data.addSplit("val", 2, 3, "i");
    fs::remove_all(data.path("val"));
    fs::create_directory_symlink("train", data.path("val"));
    QCOMPARE(
        data.lines(),
        std::string("a.yaml:3:17: dataset.val.images: warning: the validation images are training "
                    "images: validation metrics will be too optimistic"));
    data.addSplit("val", 2, 4, "i");
    QCOMPARE(
        data.lines(),
        std::string(
            "a.yaml:3:17: dataset.val.images: warning: 1 of the 2 validation images is a training "
            "image too: validation metrics will be too optimistic"));
  }

  void oneFileForBothSplitsIsOneWarning() {
    Data data;
    data.addSplit("train", 4, 1, "i");
    const std::vector<std::string> both{
        "dataset.val.images=" + data.path("train").string(),
        "dataset.val.annotations=" + data.path("train.json").string()};
    const auto loaded = data.load(both);
    QVERIFY(!loaded.hasErrors());
    QCOMPARE(loaded.issues.size(), std::size_t{1});
    QCOMPARE(cli::checkData(loaded, {}).issues.size(), std::size_t{0});
  }

  void objectsPastTheLimitOfApAndNewIdsAreWarnings() {
    Data data;
    data.addSplit("train", 2, 1, "t");
    data.addSplit("val", 2, 5, "v");
    json val = data.read("val");
    for (int i = 0; i < 120; ++i) {
      json more = val["annotations"][0];
      more.erase("id");
      val["annotations"].push_back(more);
    }
    data.write("val", val);
    const std::string ids =
        "a.yaml:3:35: dataset.val.annotations: warning: 120 annotations without an id got new ids";
    const std::string lines = data.lines();
    QVERIFY2(lines.ends_with("model.box_head.detections_per_image: warning: 100 is below the "
                             "objects of 1 image, which are never all detected: v5.jpg has 121"),
             lines.c_str());
    QCOMPARE(lines.substr(0, lines.rfind('\n')),
             ids +
                 "\na.yaml:3:35: dataset.val.annotations: warning: AP counts only the 100 "
                 "highest-scoring detections per class and image (evaluation.max_dets), as COCO's "
                 "does: 1 image has more objects of a class, 21 of which cannot be matched");
    for (json& annotation : val["annotations"]) annotation["image_id"] = 6;
    data.write("val", val);
    QCOMPARE(data.lines({"evaluation.max_images=1"}), ids);
  }

  void annotationIdZeroOfTheHeldOutImagesIsAWarning() {
    Data data;
    data.addSplit("train", 2, 1, "t");
    data.addSplit("val", 2, 5, "v");
    json val = data.read("val");
    val["annotations"][0]["id"] = 0;
    data.write("val", val);
    const std::string lines = data.lines();
    QVERIFY2(lines.starts_with("a.yaml:3:35: dataset.val.annotations: warning: an annotation has "
                               "id 0: pycocotools counts it as missed"),
             lines.c_str());
  }

  void hugeBatchesAreAWarning() {
    Data data;
    data.addSplit("train", 2, 1, "t");
    data.addSplit("val", 2, 1, "v");
    const std::string lines = data.lines({"solver.batch_size=10000", "augment.min_size=[4000]",
                                          "augment.max_size=16000", "model.backbone=resnet101"});
    QVERIFY2(lines.starts_with("--set: solver.batch_size: warning: the largest batch, 10000 images "
                               "of 5344 x 4000 px, needs about "),
             lines.c_str());
    QVERIFY(cli::checkTrainingData(data.load({"solver.batch_size=10000", "augment.min_size=[4000]",
                                              "augment.max_size=16000"}),
                                   {})
                .trainImages == 2);
    const std::string advice = ", or set runtime.precision to bf16";
    QVERIFY(lines.ends_with(advice));
    const std::string halved = data.lines({"solver.batch_size=10000", "augment.min_size=[4000]",
                                           "augment.max_size=16000", "runtime.precision=bf16"});
    QVERIFY2(contains(halved, "needs about ") && !contains(halved, advice), halved.c_str());
  }

  void fileNamesWithTheFoldersNameAreRecognized() {
    Data data;
    data.addSplit("train", 2, 1, "t");
    data.addSplit("val", 2, 1, "v");
    json train = data.read("train");
    for (json& image : train["images"])
      image["file_name"] = "train/" + image["file_name"].get<std::string>();
    data.write("train", train);
    const auto issues = cli::checkData(data.load(), {}).issues;
    QCOMPARE(issues.size(), std::size_t{1});
    QCOMPARE(issues[0].key, std::string("dataset.train.images"));
    QCOMPARE(issues[0].text,
             data.path("train").string() +
                 ": none of the 2 images in the annotations is in this folder, such "
                 "as train/t1.jpg; file_name is relative to dataset.train.images: "
                 "did you mean " +
                 data.path("train").parent_path().string() + "?");
  }

  void theGpuWithTheLeastFreeMemoryCounts() {
    Data data;
    data.addSplit("train", 2, 1, "t");
    data.addSplit("val", 2, 1, "v");
    const supervisor::GpuDevice roomy{0, "A", "", 80LL << 30, 79LL << 30, 80};
    const supervisor::GpuDevice full{1, "B", "", 80LL << 30, 1LL << 28, 80};
    QVERIFY(cli::checkData(data.load(), {roomy}).issues.empty());
    const auto issues = cli::checkData(data.load(), {roomy, full}).issues;
    QCOMPARE(issues.size(), std::size_t{1});
    QVERIFY2(contains(issues[0].text, " and GPU 1 (B) has 0.2 GiB free of 80.0 GiB: "),
             issues[0].text.c_str());
  }

  void invalidAnnotationsFail() {
    Data data;
    data.addSplit("train", 2, 1, "t");
    data.addSplit("val", 2, 1, "v");
    base::writeFileAtomically(data.path("val.json"), "{\"images\": [");
    try {
      cli::checkData(data.load(), {});
      QFAIL("did not throw");
    } catch (const Error& error) {
      QVERIFY(error.status() == ExitStatus::Failed);
      QVERIFY(contains(error.what(), "val.json"));
    }
  }

  void memoryEstimateIsPlausible() {
    // torchvision's Mask R-CNN R50-FPN of 800 x 1333 px keeps about 3 GB an image when it trains in
    // fp32.
    config::Experiment experiment;
    experiment.solver.batchSize = 2;
    const std::vector<coco::Image> images(3, coco::Image{{1}, "", 640, 384});
    const config::BatchEstimate estimate = config::estimateLargestBatch(experiment, images);
    QCOMPARE(estimate.widthPx, 1344);
    QCOMPARE(estimate.heightPx, 800);
    QVERIFY(estimate.bytes() > 2 * 2e9 && estimate.bytes() < 2 * 5e9);
    QCOMPARE(estimate.imagesIn(estimate.bytes()), 2);
    QCOMPARE(estimate.imagesIn(estimate.bytes() - 1), 1);
    QCOMPARE(estimate.imagesIn(0), 0);
    experiment.solver.accumulate = 2;
    QCOMPARE(config::estimateLargestBatch(experiment, images).images, 1);
  }

  /// system/memory_gib of three trainings of configs/cpu_small.yaml's model on made scenes of up to
  /// 480 x 360 px, in fp32 on a CPU.
  void memoryOnACpuIsThatOfTheProcess_data() {
    QTest::addColumn<int>("minSize");
    QTest::addColumn<int>("batch");
    QTest::addColumn<double>("measuredGib");
    QTest::newRow("two small images") << 256 << 2 << 0.846;
    QTest::newRow("six small images") << 256 << 6 << 1.143;
    QTest::newRow("two large images") << 512 << 2 << 1.459;
  }
  void memoryOnACpuIsThatOfTheProcess() {
    QFETCH(int, minSize);
    QFETCH(int, batch);
    QFETCH(double, measuredGib);
    config::Experiment experiment;
    experiment.augment.minSize = {minSize};
    experiment.augment.maxSize = 2 * minSize;
    experiment.model.backbone = "resnet18";
    experiment.model.fpnChannels = 64;
    experiment.model.rpn.postNmsTopNTrain = 500;
    experiment.model.boxHead.fcDim = 256;
    experiment.model.boxHead.batchSizePerImage = 64;
    experiment.model.maskHead.convs = 2;
    experiment.model.maskHead.channels = 64;
    experiment.solver.batchSize = batch;
    experiment.runtime.device = config::Device::Cpu;
    const std::vector<coco::Image> images{{{1}, "", 480, 360}, {{2}, "", 360, 480}};
    const config::BatchEstimate estimate = config::estimateLargestBatch(experiment, images);
    const double ratio = estimate.bytes() / 0x1p30 / measuredGib;
    QVERIFY2(ratio > 1 / 1.5 && ratio < 1.5, qPrintable(QString::number(ratio)));
    QCOMPARE(estimate.imagesIn(estimate.bytes() + 1), batch);
  }

  void wideAndTallImagesDoNotShareABatch() {
    config::Experiment experiment;
    const std::vector<coco::Image> images{{{1}, "", 1333, 800}, {{2}, "", 800, 1333}};
    QCOMPARE(config::estimateLargestBatch(experiment, images).heightPx, 800);
    experiment.dataset.groupByAspect = false;
    const config::BatchEstimate estimate = config::estimateLargestBatch(experiment, images);
    QCOMPARE(estimate.widthPx, 1344);
    QCOMPARE(estimate.heightPx, 1344);
  }

  void canonicalSizesAreEstimated() {
    config::Experiment experiment;
    const std::vector<coco::Image> images{{{1}, "", 640, 480}, {{2}, "", 480, 640}};
    QCOMPARE(config::estimateLargestBatch(experiment, images).widthPx, 1088);
    experiment.augment.padTo = config::PadTo::Canonical;
    const config::BatchEstimate estimate = config::estimateLargestBatch(experiment, images);
    QCOMPARE(estimate.widthPx, 1344);
    QCOMPARE(estimate.heightPx, 800);
  }
};

LOCKSTEP_TEST(TstDataCheck)

#include "tst_data_check.moc"
