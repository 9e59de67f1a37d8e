#include <QTest>
#include <fstream>

#include "engine/cli/model_source.h"
#include "engine/config/load.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::EngineBench;
namespace fs = std::filesystem;

namespace {

/// The last job of this kind that a worker got.
protocol::Job lastJob(const EngineBench& bench) {
  protocol::Job job;
  for (const std::string& line : bench.received()) {
    if (line.starts_with("pid ")) continue;
    const auto message = protocol::decodeSupervisorMessage(line);
    if (const auto* found = std::get_if<protocol::Job>(&message)) job = *found;
  }
  return job;
}

void makeRun(EngineBench& bench) {
  bench.script(
      "scalars 1 6\neval 4 0.5 0.5 best\ncheckpoint 4 best\ncheckpoint 6 last\nfinish 6\n");
  QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "run"}).status, 0);
  bench.script("out []\nfinish 0 result {}\n", "predict");
  bench.script("finish 0 result {}\n", "evaluate");
}

}  // namespace

class TstModelSource : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void runMeansItsNewestCheckpointUnlessToldOtherwise_data() {
    QTest::addColumn<QString>("weights");
    QTest::addColumn<int>("step");
    QTest::newRow("nothing said") << "" << 6;
    QTest::newRow("last") << "last" << 6;
    QTest::newRow("best") << "best" << 4;
    QTest::newRow("step") << "4" << 4;
    QTest::newRow("file") << "run/checkpoints/step-00000004/model.safetensors" << 4;
  }
  void runMeansItsNewestCheckpointUnlessToldOtherwise() {
    QFETCH(QString, weights);
    QFETCH(int, step);
    EngineBench bench;
    makeRun(bench);
    std::vector<std::string> arguments{"evaluate", "run"};
    if (!weights.isEmpty()) arguments.insert(arguments.end(), {"--weights", weights.toStdString()});
    const auto result = bench.run(arguments);
    QVERIFY2(result.status == 0, result.err.c_str());
    const auto job = lastJob(bench);
    QCOMPARE(job.step, std::int64_t{step});
    QCOMPARE(job.weightsName, run_folder::stepName(step));
    QCOMPARE(job.weights,
             (run_folder::Layout(bench.folder() / "run").checkpoint(step) / "model.safetensors")
                 .string());
  }

  void runStaysUsableWhenItsDataHasMoved() {
    EngineBench bench;
    makeRun(bench);
    fs::remove_all(bench.folder() / "train");
    fs::remove_all(bench.folder() / "val");
    std::ofstream(bench.folder() / "a.png") << "a";
    const auto predicted = bench.run({"predict", "run", "--images", "a.png", "--out", "p.json"});
    QVERIFY2(predicted.status == 0, predicted.err.c_str());
    const auto loaded =
        config::loadExperimentText(lastJob(bench).configYaml, bench.folder() / "config.yaml");
    QVERIFY2(!loaded.hasErrors(), "the worker can read it, too");
    const auto evaluated = bench.run({"evaluate", "run"});
    QCOMPARE(evaluated.status, 2);
    QVERIFY2(evaluated.err.find("dataset.val") != std::string::npos, evaluated.err.c_str());
  }

  void foldersOfImagesAreTakenByName() {
    EngineBench bench;
    makeRun(bench);
    fs::create_directories(bench.folder() / "pictures");
    for (const char* name : {"b.JPG", "a.png", "notes.txt"})
      std::ofstream(bench.folder() / "pictures" / name) << "x";
    std::ofstream(bench.folder() / "z.jpg") << "x";
    QCOMPARE(bench
                 .run({"predict", "run", "--images", "z.jpg", "pictures", "--out", "p.json",
                       "--score", "0.5", "--overlays", "o"})
                 .status,
             0);
    const auto job = lastJob(bench);
    const std::string folder = bench.folder().string();
    QCOMPARE(job.paths, (std::vector<std::string>{folder + "/z.jpg", folder + "/pictures/a.png",
                                                  folder + "/pictures/b.JPG"}));
    QCOMPARE(job.scoreThreshold, 0.5);
    QCOMPARE(job.out, folder + "/p.json");
    QCOMPARE(job.overlays, folder + "/o");
    QVERIFY(fs::is_directory(bench.folder() / "o"));
  }
};

LOCKSTEP_TEST(TstModelSource)
#include "tst_model_source.moc"
