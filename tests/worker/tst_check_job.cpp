#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <optional>

#include "engine/base/atomic_file.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/coco/files/dataset.h"
#include "engine/data/image_file.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/worker/job_bench.h"

using namespace lockstep;
using nlohmann::json;
using tests::contains;
namespace fs = std::filesystem;

class TstCheckJob : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    folder_.emplace();
    experiment_ = tests::makeSmallModel(path(""));
    experiment_.model.norm = config::Norm::Group;  // with weights, `auto` would mean others
  }

  void whatIsSoundHasNoFaults() {
    experiment_.model.weights = path("weights.safetensors");
    const json said = check(100);
    QVERIFY2(!said.contains("weights"), said.dump().c_str());
    const auto all = coco::Dataset::load(experiment_.dataset.train.annotations).images().size();
    QCOMPARE(said["train"]["looked_at"].get<std::size_t>(), all);
    QCOMPARE(said["train"]["all"].get<std::size_t>(), all);
    for (const char* part : {"train", "val"}) {
      QCOMPARE(said[part]["faults"]["count"].get<int>(), 0);
      QCOMPARE(said[part]["dark"]["count"].get<int>(), 0);
    }
    QVERIFY(!check(0).contains("train"));  // weights alone
  }

  void someImagesAreTheFirstTheLastAndThoseBetween() {
    const coco::Dataset all = heldOut();
    for (const coco::Image& image : all.images()) base::writeFileAtomically(fileOf(image), "");
    const json faults = check(2)["val"]["faults"];
    QCOMPARE(faults["count"].get<int>(), 2);
    const std::vector<std::int64_t> ends{heldOut().images().front().id.value,
                                         heldOut().images().back().id.value};
    QCOMPARE(idsOf(faults), ends);
  }

  void imagesThatCannotBeUsedAreCounted_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QString>("words");
    QTest::newRow("empty") << QStringLiteral("empty") << QStringLiteral("is an empty file");
    QTest::newRow("cut off") << QStringLiteral("cut") << QStringLiteral("is cut off");
    QTest::newRow("no image") << QStringLiteral("words") << QStringLiteral("is no image");
    QTest::newRow("other size") << QStringLiteral("size") << QStringLiteral("its annotation says");
  }
  void imagesThatCannotBeUsedAreCounted() {
    QFETCH(QString, fault);
    QFETCH(QString, words);
    const coco::Image image = heldOut().images()[1];
    const fs::path file = fileOf(image);
    const std::string whole = base::readFile(file);
    if (fault == QStringLiteral("empty")) base::writeFileAtomically(file, "");
    if (fault == QStringLiteral("cut"))
      base::writeFileAtomically(file, whole.substr(0, whole.size() / 2));
    if (fault == QStringLiteral("words")) base::writeFileAtomically(file, "hello");
    if (fault == QStringLiteral("size")) data::writeImage(data::RgbImage(8, 9), file);
    const json faults = check(100)["val"]["faults"];
    QCOMPARE(faults["count"].get<int>(), 1);
    QCOMPARE(idsOf(faults), std::vector<std::int64_t>{image.id.value});
    QVERIFY2(
        contains(faults["first"], words.toStdString()) && contains(faults["first"], image.fileName),
        faults.dump().c_str());
  }

  void imagesThatComeOutDarkAreCounted() {
    const coco::Image image = heldOut().images()[0];
    cv::Mat pixels(image.height, image.width, CV_16UC1, cv::Scalar(4095));
    std::vector<std::uint8_t> bytes;
    QVERIFY(cv::imencode(".png", pixels, bytes));
    base::writeFileAtomically(fileOf(image),
                              {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    const json said = check(100)["val"];
    QCOMPARE(said["faults"]["count"].get<int>(), 0);
    QCOMPARE(said["dark"]["count"].get<int>(), 1);
    QVERIFY(contains(said["dark"]["first"], "values reach 4095 of 65535"));
  }

  void weightsThatTrainingCannotStartFromAreTold() {
    const checkpoint::SafetensorsFile sound =
        checkpoint::readSafetensors(path("weights.safetensors"));
    experiment_.model.weights = path("start");
    base::writeFileAtomically(path("start"), "hello there");
    const json none = check(0)["weights"];
    QVERIFY(contains(none["fault"], "is no safetensors file"));
    QCOMPARE(none["status"].get<int>(), 1);
    checkpoint::NamedTensors tensors = sound.tensors;
    for (auto& [name, tensor] : tensors) {
      if (name == "rpn.head.cls_logits.bias") tensor = torch::full_like(tensor, NAN);
    }
    checkpoint::writeSafetensors(path("start"), tensors);
    QVERIFY(contains(check(0)["weights"]["fault"], "tensor rpn.head.cls_logits.bias holds "));
    tensors = sound.tensors;
    tensors.emplace_back("roi_heads.box_head.0.0.weight", torch::ones({4, 4, 3, 3}));
    checkpoint::writeSafetensors(path("start"), tensors);
    const json other = check(0)["weights"];
    QVERIFY(contains(other["fault"], "maskrcnn_resnet50_fpn_v2"));
    QCOMPARE(other["status"].get<int>(), 2);
  }

 private:
  std::string path(const std::string& name) const {
    return folder_->filePath(QString::fromStdString(name)).toStdString();
  }
  coco::Dataset heldOut() const { return coco::Dataset::load(experiment_.dataset.val.annotations); }
  fs::path fileOf(const coco::Image& image) const {
    return fs::path(experiment_.dataset.val.images) / image.fileName;
  }
  static std::vector<std::int64_t> idsOf(const json& faults) { return faults.at("ids"); }
  json check(int images) const {
    protocol::Job job = tests::jobOn(experiment_, "check");
    job.trainImages = job.valImages = images;
    tests::JobBench bench;
    return json::parse(bench.run(worker::runCheck, job).result);
  }

  std::optional<QTemporaryDir> folder_;
  config::Experiment experiment_;
};

LOCKSTEP_TEST(TstCheckJob)
#include "tst_check_job.moc"
