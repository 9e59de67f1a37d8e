#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/data/image_file.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/worker/job_bench.h"

using namespace lockstep;
namespace fs = std::filesystem;

class TstPredictJob : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    experiment_ = tests::makeSmallModel(path(""));
    experiment_.model.boxHead.scoreThreshold = 0;  // an untrained model is sure of nothing
  }

  void theImagesOfTheSplitArePredicted_data() {
    QTest::addColumn<int>("maxImages");
    QTest::addColumn<QList<int>>("images");
    QTest::newRow("all") << 0 << QList<int>{5, 6, 7};
    QTest::newRow("as many as an evaluation takes") << 2 << QList<int>{5, 6};
    QTest::newRow("more than there are") << 9 << QList<int>{5, 6, 7};
  }
  void theImagesOfTheSplitArePredicted() {
    QFETCH(int, maxImages);
    QFETCH(QList<int>, images);
    config::Experiment experiment = experiment_;
    experiment.evaluation.maxImages = maxImages;
    tests::JobBench bench;
    const auto result = bench.resultOf(job(experiment, "split.json"));
    std::set<std::int64_t> ids;
    for (const auto& detection : readJson("split.json"))
      ids.insert(detection.at("image_id").get<std::int64_t>());
    QCOMPARE(ids, (std::set<std::int64_t>{images.begin(), images.end()}));
    QCOMPARE(result.images, std::int64_t{images.size()});
  }

  void filesAreNumberedInOrderForAnyThreadCount() {
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(path("shapes/val")))
      files.push_back(entry.path().string());
    std::ranges::sort(files, std::greater<>());
    files.push_back(files[0]);  // the same twice
    std::string results[2];
    for (const int threads : {1, 3}) {
      config::Experiment experiment = experiment_;
      experiment.runtime.cpuThreads = threads;
      protocol::PredictJob predict = job(experiment, "files.json");
      predict.paths = files;
      tests::JobBench bench;
      std::vector<std::int64_t> done;
      bench.onMessage = [&](const protocol::WorkerMessage& message) {
        if (const auto* progress = std::get_if<protocol::Progress>(&message))
          done.push_back(progress->done);
      };
      bench.run(predict);
      QVERIFY(std::ranges::is_sorted(done) && done.back() == 4);
      results[threads == 3] = base::readFile(path("files.json"));
    }
    QVERIFY(results[0] == results[1]);
    std::vector<std::int64_t> ids;
    for (const auto& result : nlohmann::json::parse(results[0])) {
      const std::int64_t id = result.at("image_id");
      QCOMPARE(result.at("file_name").get<std::string>(), files.at(id - 1));
      if (ids.empty() || ids.back() != id) ids.push_back(id);
    }
    QCOMPARE(ids, (std::vector<std::int64_t>{1, 2, 3, 4}));
  }

  void overlaysShowDetectionsAboveTheirThreshold() {
    const std::string image = experiment_.dataset.val.images + "/scene_000005.jpg";
    const data::RgbImage plain = data::readImage(image);
    for (const double score : {0.0, 2.0}) {
      protocol::PredictJob predict = job(experiment_, "drawn.json");
      predict.paths = {image};
      predict.overlays = path("");
      predict.overlayScore = score;
      tests::JobBench bench;
      bench.run(predict);
      QVERIFY(!readJson("drawn.json").empty());
      const data::RgbImage drawn = data::readImage(path("scene_000005-1.png"));
      const std::size_t bytes = std::size_t{3} * plain.width * plain.height;
      const bool isPlain =
          std::equal(plain.pixels.get(), plain.pixels.get() + bytes, drawn.pixels.get());
      QCOMPARE(isPlain, score > 1);
    }
  }

  void filesThatAreNotImagesAreSkippedAndCounted() {
    const std::vector<std::string> whole = sceneFiles();
    base::writeFileAtomically(path("empty.png"), "");
    fs::create_directories(path("drawn"));
    protocol::PredictJob predict = job(experiment_, "some.json");
    predict.paths = {path("empty.png"), whole[0], path("gone.png"), whole[1]};
    predict.overlays = path("drawn");
    tests::JobBench bench;
    const auto summary = bench.resultOf(predict);
    QCOMPARE(summary.images, std::int64_t{2});
    QCOMPARE(summary.unreadable, std::int64_t{2});
    std::map<std::int64_t, std::string> names;
    for (const auto& result : readJson("some.json"))
      names[result.at("image_id")] = result.at("file_name");
    QCOMPARE(names, (std::map<std::int64_t, std::string>{{2, whole[0]}, {4, whole[1]}}));
    QCOMPARE(std::distance(fs::directory_iterator(path("drawn")), {}), std::ptrdiff_t{2});
  }

  void badImagesOfTheSplitAreSkippedIfConfigured() {
    config::Experiment experiment = experiment_;
    const fs::path images = path("one_bad");
    fs::copy(experiment.dataset.val.images, images);
    base::writeFileAtomically(images / "scene_000006.jpg", "no image");
    experiment.dataset.val.images = images.string();
    fs::create_directories(path("drawn_split"));
    protocol::PredictJob predict = job(experiment, "fails.json");
    predict.overlays = path("drawn_split");
    const std::string bad = (images / "scene_000006.jpg").string() + ": is not a supported image";
    try {
      tests::JobBench().run(predict);
      QFAIL("a bad image was left out unasked");
    } catch (const Error& error) {
      QVERIFY2(std::string(error.what()).starts_with(bad), error.what());
    }
    QVERIFY(!fs::exists(path("fails.json")));

    experiment.dataset.badImages = config::BadImages::Skip;
    predict = job(experiment, "skips.json");
    predict.overlays = path("drawn_split");
    const auto summary = tests::JobBench().resultOf(predict);
    QCOMPARE(summary.images, std::int64_t{2});
    QCOMPARE(summary.unreadable, std::int64_t{1});
    std::set<std::int64_t> ids;
    for (const auto& result : readJson("skips.json"))
      ids.insert(result.at("image_id").get<std::int64_t>());
    QCOMPARE(ids, (std::set<std::int64_t>{5, 7}));
    QCOMPARE(std::distance(fs::directory_iterator(path("drawn_split")), {}), std::ptrdiff_t{2});
  }

  void longListsOfFilesAreReadFromAFile() {
    const std::vector<std::string> scenes = sceneFiles();
    base::writeFileAtomically(path("list"), scenes[1] + '\0' + scenes[0] + '\0');
    protocol::PredictJob predict = job(experiment_, "listed.json");
    predict.pathsFile = path("list");
    QCOMPARE(tests::JobBench().resultOf(predict).images, std::int64_t{2});
    std::map<std::int64_t, std::string> names;
    for (const auto& result : readJson("listed.json"))
      names[result.at("image_id")] = result.at("file_name");
    QCOMPARE(names, (std::map<std::int64_t, std::string>{{1, scenes[1]}, {2, scenes[0]}}));
  }

  void nothingIsWrittenIfNoFileIsAnImage() {
    base::writeFileAtomically(path("empty.png"), "");
    for (const int count : {1, 2}) {
      protocol::PredictJob predict = job(experiment_, "none.json");
      predict.paths.assign(static_cast<std::size_t>(count), path("empty.png"));
      tests::JobBench bench;
      try {
        bench.run(predict);
        QFAIL("an empty file was predicted on");
      } catch (const Error& error) {
        const std::string text = error.what();
        QVERIFY2(text.find(count == 1 ? "empty.png: is an empty file" : "none of the 2 images") !=
                     std::string::npos,
                 error.what());
      }
      QVERIFY(!fs::exists(path("none.json")));
    }
  }

  void overlaysNeverOverwriteAnImage() {
    fs::create_directories(path("mixed"));
    const std::vector<std::string> scenes = sceneFiles();
    for (const auto& [from, to] : {std::pair{scenes[0], "a.jpg"}, std::pair{scenes[1], "a-1.png"}})
      fs::copy_file(from, path(std::string("mixed/") + to));
    const std::string before = base::readFile(path("mixed/a-1.png"));
    protocol::PredictJob predict = job(experiment_, "mixed.json");
    predict.paths = {path("mixed/a.jpg"), path("mixed/a-1.png")};
    predict.overlays = path("mixed");
    tests::JobBench bench;
    try {
      bench.run(predict);
      QFAIL("an image was drawn over");
    } catch (const Error& error) {
      QCOMPARE(error.status(), ExitStatus::UserError);
      QVERIFY2(std::string(error.what()).find("a-1.png is an input image") != std::string::npos,
               error.what());
    }
    QVERIFY(base::readFile(path("mixed/a-1.png")) == before);
  }

  void overlaysOverwriteOnlyOverlays() {
    fs::create_directories(path("kept"));
    const fs::path scene = sceneFiles()[0];
    const std::string overlay = path("kept/" + scene.stem().string() + "-1.png");
    protocol::PredictJob predict = job(experiment_, "kept.json");
    predict.paths = {scene.string()};
    predict.overlays = path("kept");
    data::writeImage(data::readImage(scene), overlay);  // a picture of somebody's
    const std::string before = base::readFile(overlay);
    tests::JobBench bench;
    try {
      bench.run(predict);
      QFAIL("a picture was drawn over");
    } catch (const Error& error) {
      QCOMPARE(error.status(), ExitStatus::UserError);
      QVERIFY2(std::string(error.what()).find("-1.png already exists") != std::string::npos,
               error.what());
    }
    QVERIFY(base::readFile(overlay) == before && !fs::exists(path("kept.json")));
    fs::remove(overlay);
    for (const double score : {2.0, 0.0}) {
      predict.overlayScore = score;
      tests::JobBench().run(predict);
    }
    const data::RgbImage plain = data::readImage(scene), drawn = data::readImage(overlay);
    const std::size_t bytes = std::size_t{3} * plain.width * plain.height;
    QVERIFY2(!std::equal(plain.pixels.get(), plain.pixels.get() + bytes, drawn.pixels.get()),
             "the second call's");
  }

  void overlaysDoNotFollowSymlinks() {
    fs::create_directories(path("linked"));
    base::writeFileAtomically(path("notes.yaml"), "name: a\n");
    const fs::path scene = sceneFiles()[0];
    fs::create_symlink("../notes.yaml", path("linked/" + scene.stem().string() + "-1.png"));
    protocol::PredictJob predict = job(experiment_, "linked.json");
    predict.paths = {scene.string()};
    predict.overlays = path("linked");
    tests::JobBench bench;
    try {
      bench.run(predict);
      QFAIL("something was drawn over");
    } catch (const Error& error) {
      QCOMPARE(error.status(), ExitStatus::UserError);
      QVERIFY2(std::string(error.what()).find("-1.png is a symlink") != std::string::npos,
               error.what());
    }
    QCOMPARE(base::readFile(path("notes.yaml")), std::string("name: a\n"));
  }

 private:
  std::vector<std::string> sceneFiles() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(path("shapes/val")))
      files.push_back(entry.path().string());
    std::ranges::sort(files);
    return files;
  }
  std::string path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }
  nlohmann::json readJson(const std::string& name) const {
    return nlohmann::json::parse(base::readFile(path(name)));
  }
  protocol::PredictJob job(const config::Experiment& experiment, const std::string& out) const {
    return {.model = tests::modelOf(experiment, path("weights.safetensors")),
            .scoreThreshold = 0,
            .out = path(out)};
  }

  QTemporaryDir folder_;
  config::Experiment experiment_;
};

LOCKSTEP_TEST(TstPredictJob)
#include "tst_predict_job.moc"
