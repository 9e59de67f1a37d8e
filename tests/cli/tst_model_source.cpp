#include <QScopeGuard>
#include <QTest>
#include <fstream>

#include "engine/base/atomic_file.h"
#include "engine/cli/model_source.h"
#include "engine/config/load.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::EngineBench;
namespace fs = std::filesystem;

class TstModelSource : public QObject {
  Q_OBJECT

 private:
  EngineBench bench_;  ///< with a run of checkpoints 4, the best, and 6

  /// w.safetensors, without tensors.
  void writeWeights(const std::string& metadata) const {
    const std::string header = R"({"__metadata__":)" + metadata + "}";
    const std::uint64_t bytes = header.size();
    std::ofstream weights(bench_.folder() / "w.safetensors", std::ios::binary);
    weights.write(reinterpret_cast<const char*>(&bytes), sizeof bytes) << header;
  }

 private Q_SLOTS:
  void initTestCase() {
    bench_.script(
        "scalars 1 6\neval 4 0.5 0.5 best\ncheckpoint 4 best\ncheckpoint 6 last\nfinish 6\n");
    QCOMPARE(bench_.run({"train", "experiment.yaml", "--output", "run"}).status, 0);
  }
  void init() {
    bench_.script("out []\nfinish 0 result {\"images\":3,\"detections\":7}\n", "predict");
    bench_.script("finish 0 result {}\n", "evaluate");
  }

  void runLoadsItsNewestCheckpointByDefault_data() {
    QTest::addColumn<QString>("weights");
    QTest::addColumn<int>("step");
    QTest::newRow("default") << "" << 6;
    QTest::newRow("last") << "last" << 6;
    QTest::newRow("best") << "best" << 4;
    QTest::newRow("step") << "4" << 4;
    QTest::newRow("file") << "run/checkpoints/step-00000004/model.safetensors" << 4;
  }
  void runLoadsItsNewestCheckpointByDefault() {
    QFETCH(QString, weights);
    QFETCH(int, step);
    EngineBench& bench = bench_;
    std::vector<std::string> arguments{"evaluate", "run"};
    if (!weights.isEmpty()) arguments.insert(arguments.end(), {"--weights", weights.toStdString()});
    const auto result = bench.run(arguments);
    QVERIFY2(result.status == 0, result.err.c_str());
    const auto model = bench.lastJob<protocol::EvaluateJob>().model;
    QCOMPARE(model.step, std::int64_t{step});
    QCOMPARE(model.weights,
             (run_folder::Layout(bench.folder() / "run").checkpoint(step) / "model.safetensors")
                 .string());
  }

  void aPackedRunLoadsItsWeights() {
    EngineBench& bench = bench_;
    const auto packed = bench.run({"pack", "run", "--out", "run.lockstep", "--weights", "best"});
    QVERIFY2(packed.status == 0, packed.err.c_str());
    for (const char* weights : {"", "best", "last", "4"}) {
      std::vector<std::string> arguments{"evaluate", "run.lockstep"};
      if (*weights != '\0') arguments.insert(arguments.end(), {"--weights", weights});
      const auto result = bench.run(arguments);
      QVERIFY2(result.status == 0, result.err.c_str());
      QCOMPARE(bench.lastJob<protocol::EvaluateJob>().model.step, 4);
    }
    fs::create_symlink("run.lockstep", bench.folder() / "latest");
    QCOMPARE(bench.run({"evaluate", "latest"}).status, 0);
    fs::rename(bench.folder() / "run.lockstep", bench.folder() / "blob");
    fs::create_symlink("blob", bench.folder() / "run.lockstep");
    QCOMPARE(bench.run({"evaluate", "run.lockstep"}).status, 0);
    const auto other = bench.run({"evaluate", "run.lockstep", "--weights", "6"});
    QCOMPARE(other.status, 2);
    QVERIFY2(other.err.find("has the weights of step 4 alone") != std::string::npos,
             other.err.c_str());
    QCOMPARE(bench.run({"pack", "run", "--out", "bare.lockstep"}).status, 0);
    const auto bare = bench.run({"evaluate", "bare.lockstep"});
    QCOMPARE(bare.status, 2);
    QVERIFY2(bare.err.find("was packed without weights") != std::string::npos, bare.err.c_str());
  }

  void runStaysUsableWhenItsDataHasMoved() {
    EngineBench& bench = bench_;
    const fs::path folder = bench.folder();
    for (const char* split : {"train", "val"})
      fs::rename(folder / split, folder / (std::string("moved ") + split));
    const auto back = qScopeGuard([&] {
      for (const char* split : {"train", "val"})
        fs::rename(folder / (std::string("moved ") + split), folder / split);
    });
    std::ofstream(folder / "a.png") << "a";
    const auto predicted = bench.run({"predict", "run", "--images", "a.png", "--out", "p.json"});
    QVERIFY2(predicted.status == 0, predicted.err.c_str());
    const auto loaded = config::loadExperimentText(
        bench.lastJob<protocol::PredictJob>().model.configYaml, bench.folder() / "config.yaml");
    QVERIFY2(!loaded.hasErrors(), "the worker can read it, too");
    const auto evaluated = bench.run({"evaluate", "run"});
    QCOMPARE(evaluated.status, 2);
    QVERIFY2(evaluated.err.find("dataset.val") != std::string::npos, evaluated.err.c_str());
  }

  void splitOptionSelectsTheSplit() {
    EngineBench& bench = bench_;
    for (const std::string command : {"evaluate", "predict"}) {
      std::vector<std::string> arguments{command, "run", "--split", "train"};
      if (command == "predict") arguments.insert(arguments.end(), {"--out", "p.json"});
      const auto result = bench.run(arguments);
      QVERIFY2(result.status == 0, result.err.c_str());
      QCOMPARE(command == "predict" ? bench.lastJob<protocol::PredictJob>().split
                                    : bench.lastJob<protocol::EvaluateJob>().split,
               protocol::Split::Train);
      fs::rename(bench.folder() / "train", bench.folder() / "moved");
      const auto refused = bench.run(arguments);
      fs::rename(bench.folder() / "moved", bench.folder() / "train");
      QCOMPARE(refused.status, 2);
      QVERIFY2(refused.err.find("dataset.train is not set, or its files are missing") !=
                   std::string::npos,
               refused.err.c_str());
    }
    QCOMPARE(bench.run({"evaluate", "run", "--split", "test"}).status, 2);
  }

  void overridesReachTheJob_data() {
    QTest::addColumn<QString>("target");
    QTest::newRow("run") << "run";
    QTest::newRow("experiment") << "experiment.yaml";
  }
  void overridesReachTheJob() {
    QFETCH(QString, target);
    EngineBench& bench = bench_;
    const auto result = bench.run(
        {"evaluate", target.toStdString(), "--weights",
         "run/checkpoints/step-00000004/model.safetensors", "--set", "evaluation.max_images=1",
         "--set", "model.box_head.detections_per_image=7", "--set", "runtime.cpu_threads=3"});
    QVERIFY2(result.status == 0, result.err.c_str());
    const auto loaded = config::loadExperimentText(
        bench.lastJob<protocol::EvaluateJob>().model.configYaml, bench.folder() / "config.yaml");
    QCOMPARE(loaded.experiment.evaluation.maxImages, 1);
    QCOMPARE(loaded.experiment.model.boxHead.detectionsPerImage, 7);
    QCOMPARE(loaded.experiment.runtime.cpuThreads, 3);
  }

  void invalidOverridesAreRefused_data() {
    QTest::addColumn<QString>("override");
    QTest::addColumn<QString>("message");
    // What has moved since the training is only missing; what is named now has to be there.
    QTest::newRow("no such data") << "dataset.val.annotations=none.json"
                                  << "none.json: no such file";
    QTest::newRow("weights, spaces") << " model.weights\t = w.safetensors"
                                     << "pass other weights with --weights";
  }
  void invalidOverridesAreRefused() {
    QFETCH(QString, override);
    QFETCH(QString, message);
    EngineBench& bench = bench_;
    const auto result = bench.run({"evaluate", "run", "--set", override.toStdString()});
    QCOMPARE(result.status, 2);
    QVERIFY2(result.err.find(message.toStdString()) != std::string::npos, result.err.c_str());
  }

  void aHeldOutSplitThatIsTheTrainingSplitIsKept() {
    EngineBench& bench = bench_;
    const auto result = bench.run({"evaluate", "run", "--set", "dataset.val.images=train", "--set",
                                   "dataset.val.annotations=train.json"});
    QVERIFY2(result.status == 0, result.err.c_str());
    const auto loaded = config::loadExperimentText(
        bench.lastJob<protocol::EvaluateJob>().model.configYaml, bench.folder() / "config.yaml");
    QCOMPARE(loaded.experiment.dataset.val.annotations,
             loaded.experiment.dataset.train.annotations);
  }

  void imagesOfFoldersAreSortedByName() {
    EngineBench& bench = bench_;
    fs::create_directories(bench.folder() / "pictures");
    for (const char* name : {"b.JPG", "a.png", "notes.txt"})
      std::ofstream(bench.folder() / "pictures" / name) << "x";
    std::ofstream(bench.folder() / "z.jpg") << "x";
    const auto result =
        bench.run({"predict", "run", "--images", "z.jpg", "pictures", "--out", "p.json", "--score",
                   "0.5", "--overlays", "o", "--overlay-score", "0.75"});
    QCOMPARE(result.status, 0);
    QVERIFY2(result.err.find("/p.json: 7 detections in 3 images\n") != std::string::npos,
             result.err.c_str());
    const auto job = bench.lastJob<protocol::PredictJob>();
    const std::string folder = bench.folder().string();
    QCOMPARE(job.paths, (std::vector<std::string>{folder + "/z.jpg", folder + "/pictures/a.png",
                                                  folder + "/pictures/b.JPG"}));
    QCOMPARE(job.scoreThreshold, 0.5);
    QCOMPARE(job.out, folder + "/p.json");
    QCOMPARE(job.overlays, folder + "/o");
    QCOMPARE(job.overlayScore, 0.75);
    QVERIFY(fs::is_directory(bench.folder() / "o"));
  }

  void unreadableImagesAreCountedAndStatusOne() {
    EngineBench& bench = bench_;
    bench.script(R"(finish 0 result {"images":2,"detections":3,"unread":1})"
                 "\n",
                 "predict");
    std::ofstream(bench.folder() / "a.png") << "x";
    const auto result = bench.run({"predict", "run", "--images", "a.png", "--out", "p.json"});
    QCOMPARE(result.status, 1);
    QVERIFY2(result.err.ends_with("p.json: 3 detections in 2 images; 1 image could not be read\n"),
             result.err.c_str());
  }

  void longImageListsArePassedInAFile() {
    EngineBench& bench = bench_;
    bench.script("out-paths\nfinish 0\n", "predict");
    fs::create_directories(bench.folder() / "many");
    std::string expected;
    for (int i = 1000; i < 6200; ++i) {  // 1.3 MB of paths
      const fs::path file =
          bench.folder() / "many" / (std::to_string(i) + std::string(220, 'n') + ".png");
      std::ofstream(file) << "";
      expected += file.string() + '\0';
    }
    const auto result = bench.run({"predict", "run", "--images", "many", "--out", "p.json"});
    QVERIFY2(result.status == 0, result.err.c_str());
    QVERIFY(lockstep::base::readFile(bench.folder() / "p.json") == expected);
    const auto job = bench.lastJob<protocol::PredictJob>();
    QVERIFY(job.paths.empty());
    QVERIFY2(!fs::exists(job.pathsFile), "the list goes with the command");
  }

  void pycocotoolsFigureIsComputedOnRequest() {
    QCOMPARE(bench_.run({"evaluate", "run"}).status, 0);
    QVERIFY(!bench_.lastJob<protocol::EvaluateJob>().pycocotoolsExact);
    QCOMPARE(bench_.run({"evaluate", "run", "--pycocotools-exact"}).status, 0);
    QVERIFY(bench_.lastJob<protocol::EvaluateJob>().pycocotoolsExact);
  }

  void weightsCarryTheirStep_data() {
    QTest::addColumn<QByteArray>("metadata");
    QTest::addColumn<int>("step");
    QTest::newRow("of a training") << QByteArray(R"({"step": "400"})") << 400;
    QTest::newRow("of another program") << QByteArray(R"({"format": "pt"})") << 0;
    QTest::newRow("no number") << QByteArray(R"({"step": "last"})") << 0;
  }
  void weightsCarryTheirStep() {
    QFETCH(QByteArray, metadata);
    QFETCH(int, step);
    writeWeights(metadata.toStdString());
    for (const char* target : {"experiment.yaml", "run"}) {
      const auto result = bench_.run({"evaluate", target, "--weights", "w.safetensors"});
      QVERIFY2(result.status == 0, result.err.c_str());
      QCOMPARE(bench_.lastJob<protocol::EvaluateJob>().model.step, std::int64_t{step});
    }
  }

  void normComesFromTheWeights_data() {
    QTest::addColumn<QByteArray>("model");
    QTest::addColumn<QByteArray>("metadata");
    QTest::addColumn<QString>("norm");
    QTest::addColumn<double>("epsilon");
    const QByteArray group = R"({"norm":"group","norm_epsilon":"0.001"})";
    QTest::newRow("auto takes the file's") << QByteArray("{}") << group << "group" << 0.001;
    QTest::newRow("auto without metadata is auto with weights")
        << QByteArray("{}") << QByteArray("{}") << "frozen_batch" << 1e-5;
    QTest::newRow("what the experiment says stays")
        << QByteArray("{norm: frozen_batch, norm_epsilon: 0.0}") << group << "frozen_batch" << 0.0;
  }
  void normComesFromTheWeights() {
    QFETCH(QByteArray, model);
    QFETCH(QByteArray, metadata);
    QFETCH(QString, norm);
    QFETCH(double, epsilon);
    const EngineBench& bench = bench_;
    const fs::path experiment = bench.folder() / "norm.yaml";
    fs::copy_file(bench.config(), experiment, fs::copy_options::overwrite_existing);
    std::ofstream(experiment, std::ios::app) << "model: " << model.constData() << "\n";
    writeWeights(metadata.toStdString());
    const auto result = bench.run({"evaluate", "norm.yaml", "--weights", "w.safetensors"});
    QVERIFY2(result.status == 0, result.err.c_str());
    const auto loaded = config::loadExperimentText(
        bench.lastJob<protocol::EvaluateJob>().model.configYaml, bench.folder() / "config.yaml");
    QCOMPARE(loaded.experiment.model.resolvedNorm(),
             *base::parseEnum<config::Norm>(norm.toStdString()));
    QCOMPARE(loaded.experiment.model.normEpsilon, epsilon);
  }
};

LOCKSTEP_TEST(TstModelSource)
#include "tst_model_source.moc"
