#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <filesystem>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "engine/base/atomic_file.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/coco/files/dataset.h"
#include "engine/config/load.h"
#include "engine/data/image_file.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/worker/job_bench.h"

using namespace lockstep;
using tests::contains;
namespace fs = std::filesystem;

class TstCheckJob : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    sound_ = tests::makeSmallModel(path(""));
    sound_.model.norm = config::Norm::Group;  // with weights, `auto` would mean another norm
    fs::rename(path("shapes"), path("sound"));
  }
  void init() {
    experiment_ = sound_;
    fs::remove_all(path("shapes"));
    fs::copy(path("sound"), path("shapes"), fs::copy_options::recursive);
  }

  void validInputsHaveNoErrors() {
    experiment_.model.weights = path("weights.safetensors");
    const protocol::CheckResult found = check(100);
    QVERIFY2(!found.weights, found.weights ? found.weights->text.c_str() : "");
    const auto all = static_cast<std::int64_t>(
        coco::Dataset::load(experiment_.dataset.train.annotations).images().size());
    QCOMPARE(found.train.checked, all);
    QCOMPARE(found.train.all, all);
    for (const protocol::ImagesCheck& part : {found.train, found.val}) {
      QCOMPARE(part.unusable.count, std::int64_t{0});
      QCOMPARE(part.dark.count, std::int64_t{0});
    }
    QCOMPARE(check(0).train.all, std::int64_t{0});  // only the weights
  }

  void aSubsetIsSpreadOverTheDataset() {
    const coco::Dataset all = heldOut();
    for (const coco::Image& image : all.images()) base::writeFileAtomically(fileOf(image), "");
    const protocol::ImageIssues issues = check(2).val.unusable;
    QCOMPARE(issues.count, std::int64_t{2});
    const std::vector<std::int64_t> ends{heldOut().images().front().id.value,
                                         heldOut().images().back().id.value};
    QCOMPARE(issues.firstIds, ends);
  }

  void unusableImagesAreCounted_data() {
    QTest::addColumn<QString>("issue");
    QTest::addColumn<QString>("words");
    QTest::newRow("empty") << QStringLiteral("empty") << QStringLiteral("is an empty file");
    QTest::newRow("cut off") << QStringLiteral("cut") << QStringLiteral("is truncated");
    QTest::newRow("no image") << QStringLiteral("words")
                              << QStringLiteral("is not a supported image");
    QTest::newRow("other size") << QStringLiteral("size") << QStringLiteral("the annotations say");
  }
  void unusableImagesAreCounted() {
    QFETCH(QString, issue);
    QFETCH(QString, words);
    const coco::Image image = heldOut().images()[1];
    const fs::path file = fileOf(image);
    const std::string whole = base::readFile(file);
    if (issue == QStringLiteral("empty")) base::writeFileAtomically(file, "");
    if (issue == QStringLiteral("cut"))
      base::writeFileAtomically(file, whole.substr(0, whole.size() / 2));
    if (issue == QStringLiteral("words")) base::writeFileAtomically(file, "hello");
    if (issue == QStringLiteral("size")) data::writeImage(data::RgbImage(8, 9), file);
    const protocol::ImageIssues issues = check(100).val.unusable;
    QCOMPARE(issues.count, std::int64_t{1});
    QCOMPARE(issues.firstIds, std::vector<std::int64_t>{image.id.value});
    QVERIFY2(contains(issues.first, words.toStdString()) && contains(issues.first, image.fileName),
             issues.first.c_str());
  }

  void darkImagesAreCounted() {
    const coco::Image image = heldOut().images()[0];
    cv::Mat pixels(image.height, image.width, CV_16UC1, cv::Scalar(4095));
    std::vector<std::uint8_t> bytes;
    QVERIFY(cv::imencode(".png", pixels, bytes));
    base::writeFileAtomically(fileOf(image),
                              {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    const protocol::ImagesCheck found = check(100).val;
    QCOMPARE(found.unusable.count, std::int64_t{0});
    QCOMPARE(found.dark.count, std::int64_t{1});
    QVERIFY(contains(found.dark.first, "values go up to only 4095 of 65535"));
  }

  void invalidInitialWeightsAreReported() {
    const checkpoint::SafetensorsFile sound =
        checkpoint::readSafetensors(path("weights.safetensors"));
    experiment_.model.weights = path("start");
    base::writeFileAtomically(path("start"), "hello there");
    const auto none = check(0).weights;
    QVERIFY(none && contains(none->text, "is not a safetensors file"));
    QCOMPARE(none->exitStatus, 1);
    checkpoint::NamedTensors tensors = sound.tensors;
    for (auto& [name, tensor] : tensors) {
      if (name == "rpn.head.cls_logits.bias") tensor = torch::full_like(tensor, NAN);
    }
    checkpoint::writeSafetensors(path("start"), tensors);
    QVERIFY(contains(check(0).weights.value().text, "tensor rpn.head.cls_logits.bias has "));
    tensors = sound.tensors;
    tensors.emplace_back("roi_heads.box_head.0.0.weight", torch::ones({4, 4, 3, 3}));
    checkpoint::writeSafetensors(path("start"), tensors);
    const auto other = check(0).weights;
    QVERIFY(other && contains(other->text, "maskrcnn_resnet50_fpn_v2"));
    QCOMPARE(other->exitStatus, 2);
  }

 private:
  std::string path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }
  coco::Dataset heldOut() const { return coco::Dataset::load(experiment_.dataset.val.annotations); }
  fs::path fileOf(const coco::Image& image) const {
    return fs::path(experiment_.dataset.val.images) / image.fileName;
  }
  protocol::CheckResult check(int images) const {
    return tests::JobBench().resultOf(protocol::CheckJob{
        .configYaml = config::writeExperiment(experiment_), .imagesPerSplit = images});
  }

  QTemporaryDir folder_;
  config::Experiment sound_, experiment_;
};

LOCKSTEP_TEST(TstCheckJob)
#include "tst_check_job.moc"
