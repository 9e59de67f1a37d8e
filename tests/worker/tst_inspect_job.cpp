#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/coco/files/dataset.h"
#include "engine/data/image_file.h"
#include "tests/support/resource_limits.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/worker/job_bench.h"

using namespace lockstep;
namespace fs = std::filesystem;

class TstInspectJob : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    experiment_ = tests::makeSmallModel(path(""));
  }

  void aRequestThatRunsOutOfMemoryIsAnsweredAndTheNextOneServed() {
    constexpr int kSidePx = 6000;
    constexpr std::size_t kImageBytes = std::size_t{3} * kSidePx * kSidePx;
    data::RgbImage large(kSidePx, kSidePx);
    std::fill_n(large.pixels.get(), kImageBytes, std::uint8_t{0});
    data::writeImage(large, path("large.png"));

    tests::JobBench bench;
    std::optional<tests::LittleMemory> memory;
    std::vector<protocol::Answer> answers;
    bench.onMessage = [&](const protocol::WorkerMessage& message) {
      if (std::holds_alternative<protocol::State>(message)) {
        // Enough to decode the image, not to copy it, although memory of the loading may be freed
        // yet.
        memory.emplace(kImageBytes * 5 / 4);
        bench.mailbox.post(predict("a", path("large.png")));
      } else if (const auto* answer = std::get_if<protocol::Answer>(&message)) {
        memory.reset();
        answers.push_back(*answer);
        if (answers.size() == 1) {
          bench.mailbox.post(predict("b", experiment_.dataset.val.images + "/scene_000005.jpg"));
        } else {
          bench.mailbox.post({"", protocol::Stop()});
        }
      }
    };
    const protocol::InspectJob job{tests::modelOf(experiment_, path("weights.safetensors"))};
    QVERIFY(bench.run(job).stopped);
    QCOMPARE(answers.size(), std::size_t(2));
    QCOMPARE(answers[0].id, std::string("a"));
    QVERIFY2(answers[0].error.starts_with("out of memory; lower augment.min_size"),
             answers[0].error.c_str());
    QCOMPARE(answers[1].error, std::string());
    QVERIFY(!fs::exists(path("a.json")) && fs::exists(path("b.json")));
  }

  void replacedWeightsAreReloaded() {
    fs::copy_file(path("weights.safetensors"), path("replaced.safetensors"));
    const std::string image = experiment_.dataset.val.images + "/scene_000005.jpg";
    std::vector<protocol::Answer> answers;
    tests::JobBench bench;
    bench.onMessage = [&](const protocol::WorkerMessage& message) {
      if (std::holds_alternative<protocol::State>(message))
        return bench.mailbox.post(predict("before", image));
      const auto* answer = std::get_if<protocol::Answer>(&message);
      if (!answer) return;
      answers.push_back(*answer);
      if (answers.size() == 2) return bench.mailbox.post({"", protocol::Stop()});
      base::writeFileAtomically(path("replaced.safetensors"), "no weights");
      fs::last_write_time(path("replaced.safetensors"),
                          fs::file_time_type::clock::now() + std::chrono::hours(1));
      bench.mailbox.post(predict("after", image));
    };
    const protocol::InspectJob job{tests::modelOf(experiment_, path("replaced.safetensors"))};
    bench.run(job);
    QCOMPARE(answers.size(), std::size_t(2));
    QCOMPARE(answers[0].error, std::string());
    QVERIFY2(answers[1].error.find("replaced.safetensors") != std::string::npos,
             answers[1].error.c_str());
  }

  void heldOutImagesFollowTheModelsClasses() {
    nlohmann::json file =
        nlohmann::json::parse(base::readFile(experiment_.dataset.val.annotations));
    std::erase_if(file["annotations"].get_ref<nlohmann::json::array_t&>(),
                  [](const auto& a) { return a["category_id"] == 2; });
    std::erase_if(file["categories"].get_ref<nlohmann::json::array_t&>(),
                  [](const auto& c) { return c["id"] == 2; });
    base::writeFileAtomically(path("fewer.json"), file.dump());
    config::Experiment experiment = experiment_;
    experiment.dataset.val.annotations = path("fewer.json");
    experiment.model.boxHead.scoreThreshold = 0;
    const protocol::Control byId{
        "i", protocol::Predict{{.imageIds = {5}, .scoreThreshold = 0}, path("i.json")}};
    const protocol::Control byPath =
        predict("p", experiment.dataset.val.images + "/scene_000005.jpg", 0);

    tests::JobBench bench;
    bench.mailbox.post(byId);
    bench.mailbox.post(byPath);
    bench.mailbox.post({"", protocol::Stop()});
    const protocol::InspectJob job{tests::modelOf(experiment, path("weights.safetensors"))};
    bench.run(job);
    // A file knows no validation set: its categories are the model's.
    const auto categoriesIn = [&](const char* name) {
      const auto json = nlohmann::json::parse(base::readFile(path(name)));
      std::vector<int> ids;
      for (const auto& detection : json.at("detections"))
        ids.push_back(detection.at("category_id"));
      return ids;
    };
    const std::vector<int> ids = categoriesIn("i.json");
    QCOMPARE(ids, categoriesIn("p.json"));
    QVERIFY(std::ranges::find(ids, 2) != ids.end() && std::ranges::find(ids, 4) != ids.end());
  }

  /// The part as if each of its images was asked for.
  void aWholePartIsPredicted_data() {
    QTest::addColumn<QString>("split");
    QTest::newRow("held out") << "val";
    QTest::newRow("training") << "train";
  }
  void aWholePartIsPredicted() {
    QFETCH(QString, split);
    const auto part = *base::parseEnum<protocol::Split>(split.toStdString());
    const config::DatasetSplit& files =
        part == protocol::Split::Val ? experiment_.dataset.val : experiment_.dataset.train;
    config::Experiment experiment = experiment_;
    experiment.model.boxHead.scoreThreshold = 0;
    experiment.evaluation.maxImages = 1;  // of figures, not of this
    protocol::PredictRequest ofFiles{.scoreThreshold = 0};
    std::vector<std::int64_t> ids;
    const coco::Dataset dataset = coco::Dataset::load(files.annotations);
    for (const coco::Image& image : dataset.images()) {
      ofFiles.paths.push_back(files.images + "/" + image.fileName);
      ids.push_back(image.id.value);
    }
    std::vector<protocol::Answer> answers;
    std::vector<protocol::Progress> progress;
    tests::JobBench bench;
    bench.onMessage = [&](const protocol::WorkerMessage& message) {
      if (const auto* answer = std::get_if<protocol::Answer>(&message)) answers.push_back(*answer);
      if (const auto* told = std::get_if<protocol::Progress>(&message)) progress.push_back(*told);
    };
    bench.mailbox.post(
        {"part", protocol::Predict{{.scoreThreshold = 0, .split = part}, path("part.json")}});
    bench.mailbox.post({"files", protocol::Predict{ofFiles, path("files.json")}});
    bench.mailbox.post({"", protocol::Stop()});
    bench.run(protocol::InspectJob{tests::modelOf(experiment, path("weights.safetensors"))});
    QCOMPARE(answers.size(), std::size_t(2));
    QCOMPARE(answers[0].error, std::string());
    auto partJson = nlohmann::json::parse(base::readFile(path("part.json")));
    auto filesJson = nlohmann::json::parse(base::readFile(path("files.json")));
    QCOMPARE(partJson.at("image_ids").get<std::vector<std::int64_t>>(), ids);
    QVERIFY(!partJson.at("detections").empty());
    for (auto& detection : filesJson["detections"])
      detection["image_id"] = ids.at(detection["image_id"].get<std::size_t>() - 1);
    QVERIFY(partJson.at("detections") == filesJson.at("detections"));
    const auto last = std::ranges::find_if(progress, [&](const protocol::Progress& told) {
      return told.id == "part" && told.done == told.total;
    });
    QVERIFY(last != progress.end());
    QCOMPARE(last->total, static_cast<std::int64_t>(ids.size()));
  }

  void anExplanationHasThePredictionsOfTheImage_data() {
    QTest::addColumn<QString>("image");
    QTest::newRow("held out") << "val/5";
    QTest::newRow("training") << "train/1";
    QTest::newRow("file") << "scene_000005.jpg";
  }
  void anExplanationHasThePredictionsOfTheImage() {
    QFETCH(QString, image);
    config::Experiment experiment = experiment_;
    experiment.model.boxHead.scoreThreshold = 0;
    protocol::ExplainRequest request;
    protocol::PredictRequest same{.scoreThreshold = 0};
    if (image.contains(QLatin1Char('/'))) {
      const bool isHeldOut = image.startsWith(QStringLiteral("val"));
      request.split = isHeldOut ? protocol::Split::Val : protocol::Split::Train;
      request.imageId = image.section(QLatin1Char('/'), 1).toInt();
      const auto& files = isHeldOut ? experiment.dataset.val : experiment.dataset.train;
      const coco::Dataset dataset = coco::Dataset::load(files.annotations);
      same.paths = {files.images + "/" +
                    dataset.images()[dataset.imageIndex({*request.imageId})].fileName};
    } else {
      request.path = experiment.dataset.val.images + "/" + image.toStdString();
      same.paths = {request.path};
    }
    std::vector<protocol::Answer> answers;
    tests::JobBench bench;
    bench.onMessage = [&](const protocol::WorkerMessage& message) {
      if (const auto* answer = std::get_if<protocol::Answer>(&message)) answers.push_back(*answer);
    };
    bench.mailbox.post({"x", protocol::Explain{request, path("x.json")}});
    bench.mailbox.post({"p", protocol::Predict{same, path("p.json")}});
    bench.mailbox.post({"", protocol::Stop()});
    bench.run(protocol::InspectJob{tests::modelOf(experiment, path("weights.safetensors"))});
    QCOMPARE(answers.size(), std::size_t(2));
    for (const protocol::Answer& answer : answers)
      QCOMPARE(QString::fromStdString(answer.error), QString());
    auto explained = nlohmann::json::parse(base::readFile(path("x.json")));
    QCOMPARE(explained.at("truths").empty(), request.imageId == std::nullopt);
    QVERIFY(!explained.at("detections").empty());
    for (auto& detection : explained["detections"]) {
      QVERIFY(detection.contains("proposal") && detection.contains("mask"));
      for (const char* more : {"proposal", "classes", "mask"}) detection.erase(more);
      detection["image_id"] = 1;
    }
    const auto predicted = nlohmann::json::parse(base::readFile(path("p.json")));
    QVERIFY(explained.at("detections") == predicted.at("detections"));
  }

  void anExplanationIsCancelledOrFailsInOneLine() {
    std::vector<protocol::Answer> answers;
    tests::JobBench bench;
    bench.onMessage = [&](const protocol::WorkerMessage& message) {
      if (const auto* answer = std::get_if<protocol::Answer>(&message)) answers.push_back(*answer);
    };
    bench.mailbox.cancel("waiting");
    bench.mailbox.post({"waiting", protocol::Explain{{.imageId = 5}, path("not.json")}});
    bench.mailbox.post({"unknown", protocol::Explain{{.imageId = 99}, path("not.json")}});
    bench.mailbox.post({"missing", protocol::Explain{{.path = path("no.png")}, path("not.json")}});
    bench.mailbox.post({"", protocol::Stop()});
    bench.run(protocol::InspectJob{tests::modelOf(experiment_, path("weights.safetensors"))});
    QCOMPARE(answers.size(), std::size_t(3));
    QCOMPARE(answers[0].error, std::string("cancelled"));
    for (const auto& [answer, part] :
         {std::pair(answers[1], "99"), std::pair(answers[2], "no.png")})
      QVERIFY2(answer.error.find(part) != std::string::npos &&
                   answer.error.find('\n') == std::string::npos,
               answer.error.c_str());
    QVERIFY(!fs::exists(path("not.json")));
  }

  /// Between the stages of its one image.
  void anExplanationEndsWithinItsPass_data() {
    QTest::addColumn<bool>("byStop");
    QTest::newRow("cancelled") << false;
    QTest::newRow("stopped") << true;
  }
  void anExplanationEndsWithinItsPass() {
    QFETCH(bool, byStop);
    std::vector<protocol::Answer> answers;
    bool isEnded = false;
    tests::JobBench bench;
    bench.onMessage = [&](const protocol::WorkerMessage& message) {
      if (const auto* told = std::get_if<protocol::Progress>(&message);
          told && !std::exchange(isEnded, true)) {
        QCOMPARE(told->done, std::int64_t{0});
        byStop ? bench.mailbox.post({"", protocol::Stop()}) : bench.mailbox.cancel("x");
      }
      const auto* answer = std::get_if<protocol::Answer>(&message);
      if (!answer) return;
      answers.push_back(*answer);
      if (!byStop) bench.mailbox.post({"", protocol::Stop()});
    };
    bench.mailbox.post({"x", protocol::Explain{{.imageId = 5}, path("ended.json")}});
    QVERIFY(
        bench.run(protocol::InspectJob{tests::modelOf(experiment_, path("weights.safetensors"))})
            .stopped);
    QCOMPARE(answers.size(), std::size_t(1));
    QCOMPARE(answers[0].error,
             std::string(byStop ? "ended: the run is being stopped" : "cancelled"));
    QVERIFY(!fs::exists(path("ended.json")));
  }

  /// They are named, and the others are predicted once.
  void unreadableFilesDoNotFailTheOthers() {
    const std::string image = experiment_.dataset.val.images + "/scene_000005.jpg";
    base::writeFileAtomically(path("first.png"), "no image");
    base::writeFileAtomically(path("last.png"), "no image");
    const protocol::PredictRequest some{.paths = {path("first.png"), image, path("last.png")},
                                        .scoreThreshold = 0};
    std::vector<protocol::Answer> answers;
    std::int64_t told = 0;
    tests::JobBench bench;
    bench.onMessage = [&](const protocol::WorkerMessage& message) {
      if (const auto* progress = std::get_if<protocol::Progress>(&message);
          progress && progress->id == "some")
        told = std::max(told, progress->done);
      if (const auto* answer = std::get_if<protocol::Answer>(&message)) answers.push_back(*answer);
    };
    config::Experiment experiment = experiment_;
    experiment.model.boxHead.scoreThreshold = 0;
    bench.mailbox.post({"some", protocol::Predict{some, path("some.json")}});
    bench.mailbox.post(predict("alone", image, 0));
    bench.mailbox.post({"", protocol::Stop()});
    bench.run(protocol::InspectJob{tests::modelOf(experiment, path("weights.safetensors"))});
    QCOMPARE(answers.size(), std::size_t(2));
    QCOMPARE(answers[0].error, std::string());
    QCOMPARE(told, std::int64_t{3});
    auto json = nlohmann::json::parse(base::readFile(path("some.json")));
    const auto alone = nlohmann::json::parse(base::readFile(path("alone.json")));
    QCOMPARE(json.at("image_ids").get<std::vector<int>>(), std::vector<int>{2});
    const auto unreadable = json.at("unreadable").get<std::vector<std::string>>();
    QCOMPARE(unreadable.size(), std::size_t(2));
    QVERIFY(unreadable[0].starts_with(path("first.png") + ": ") &&
            unreadable[1].starts_with(path("last.png") + ": "));
    QVERIFY(!json.at("detections").empty() && !alone.contains("unreadable"));
    for (auto& detection : json["detections"]) detection["image_id"] = 1;
    QVERIFY(json.at("detections") == alone.at("detections"));
  }

  /// Also where training fails on such an image.
  void unreadableImagesOfAPartDoNotFailTheOthers() {
    const QTemporaryDir folder;
    const fs::path images = fs::path(folder.path().toStdString()) / "val";
    fs::copy(experiment_.dataset.val.images, images);
    const fs::path missing = images / "scene_000005.jpg";
    fs::remove(missing);
    config::Experiment experiment = experiment_;
    experiment.dataset.val.images = images.string();
    experiment.dataset.badImages = config::BadImages::Fail;
    std::vector<protocol::Answer> answers;
    const auto ask = [&](const char* out) {
      tests::JobBench bench;
      bench.onMessage = [&](const protocol::WorkerMessage& message) {
        if (const auto* answer = std::get_if<protocol::Answer>(&message))
          answers.push_back(*answer);
      };
      bench.mailbox.post({"part", protocol::Predict{{.split = protocol::Split::Val}, path(out)}});
      bench.mailbox.post({"", protocol::Stop()});
      bench.run(protocol::InspectJob{tests::modelOf(experiment, path("weights.safetensors"))});
    };
    ask("part.json");
    QCOMPARE(answers.at(0).error, std::string());
    const auto json = nlohmann::json::parse(base::readFile(path("part.json")));
    const auto all = coco::Dataset::load(experiment_.dataset.val.annotations).images();
    QCOMPARE(json.at("image_ids").size() + 1, all.size());
    const auto unreadable = json.at("unreadable").get<std::vector<std::string>>();
    QCOMPARE(unreadable.size(), std::size_t{1});
    QVERIFY2(unreadable[0].starts_with(missing.string() + ": "), unreadable[0].c_str());
    for (const fs::directory_entry& image : fs::directory_iterator(images)) fs::remove(image);
    ask("none.json");
    QVERIFY(!answers.at(1).error.empty() && !fs::exists(path("none.json")));
  }

  void aCancelledPredictionEndsAndTheNextIsServed() {
    std::vector<protocol::Answer> answers;
    tests::JobBench bench;
    bench.onMessage = [&](const protocol::WorkerMessage& message) {
      if (const auto* told = std::get_if<protocol::Progress>(&message); told && told->id == "part")
        bench.mailbox.cancel("part");
      if (const auto* answer = std::get_if<protocol::Answer>(&message)) answers.push_back(*answer);
    };
    const protocol::Predict part{{.split = protocol::Split::Train}, path("cancelled.json")};
    bench.mailbox.cancel("waiting");
    for (const char* id : {"waiting", "part"}) bench.mailbox.post({id, part});
    bench.mailbox.post(predict("next", experiment_.dataset.val.images + "/scene_000005.jpg"));
    bench.mailbox.post({"", protocol::Stop()});
    bench.run(protocol::InspectJob{tests::modelOf(experiment_, path("weights.safetensors"))});
    QCOMPARE(answers.size(), std::size_t(3));
    QCOMPARE(answers[0].error, std::string("cancelled"));
    QCOMPARE(answers[1].error, std::string("cancelled"));
    QCOMPARE(answers[2].error, std::string());
    QVERIFY(!fs::exists(path("cancelled.json")));
  }

  void whatCannotBeWrittenIsSaidBeforeTheWork() {
    std::vector<protocol::Answer> answers;
    int told = 0;
    tests::JobBench bench;
    bench.onMessage = [&](const protocol::WorkerMessage& message) {
      told += std::holds_alternative<protocol::Progress>(message);
      if (const auto* answer = std::get_if<protocol::Answer>(&message)) answers.push_back(*answer);
    };
    bench.mailbox.post(
        {"part", protocol::Predict{{.split = protocol::Split::Val}, path("no folder/val.json")}});
    bench.mailbox.post({"", protocol::Stop()});
    bench.run(protocol::InspectJob{tests::modelOf(experiment_, path("weights.safetensors"))});
    QCOMPARE(answers.size(), std::size_t(1));
    QVERIFY2(answers[0].error.find("no folder") != std::string::npos, answers[0].error.c_str());
    QCOMPARE(told, 0);
  }

  /// Whatever becomes of such images in figures: that nothing was found would be no answer.
  void anUnreadableHeldOutImageIsAnError_data() {
    QTest::addColumn<QString>("badImages");
    QTest::newRow("fail") << "fail";
    QTest::newRow("skip") << "skip";
  }
  void anUnreadableHeldOutImageIsAnError() {
    QFETCH(QString, badImages);
    const QTemporaryDir folder;
    const fs::path images = fs::path(folder.path().toStdString()) / "val";
    fs::copy(experiment_.dataset.val.images, images);
    base::writeFileAtomically(images / "scene_000005.jpg", "no image");
    config::Experiment experiment = experiment_;
    experiment.dataset.val.images = images.string();
    experiment.dataset.badImages = *base::parseEnum<config::BadImages>(badImages.toStdString());
    const protocol::Control bad{"bad", protocol::Predict{{.imageIds = {6, 5}}, path("bad.json")}};
    const protocol::Control good{"good", protocol::Predict{{.imageIds = {6}}, path("good.json")}};

    std::vector<protocol::Answer> answers;
    {
      tests::JobBench bench;
      bench.onMessage = [&](const protocol::WorkerMessage& message) {
        if (const auto* answer = std::get_if<protocol::Answer>(&message))
          answers.push_back(*answer);
      };
      bench.mailbox.post(bad);
      bench.mailbox.post(good);
      bench.mailbox.post({"", protocol::Stop()});
      const protocol::InspectJob job{tests::modelOf(experiment, path("weights.safetensors"))};
      bench.run(job);
    }
    QCOMPARE(answers.size(), std::size_t(2));
    QVERIFY2(answers[0].error.starts_with((images / "scene_000005.jpg").string() +
                                          ": is not a supported image"),
             answers[0].error.c_str());
    QVERIFY(!fs::exists(path("bad.json")));
    QCOMPARE(answers[1].error, std::string());
    fs::remove(path("good.json"));
  }

 private:
  std::string path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }
  protocol::Control predict(const std::string& id, const std::string& file,
                            double scoreThreshold = 0.05) const {
    return {id, protocol::Predict{{.paths = {file}, .scoreThreshold = scoreThreshold},
                                  path(id + ".json")}};
  }

  QTemporaryDir folder_;
  config::Experiment experiment_;
};

LOCKSTEP_TEST(TstInspectJob)
#include "tst_inspect_job.moc"
