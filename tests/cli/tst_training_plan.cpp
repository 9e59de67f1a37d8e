#include <QTest>
#include <filesystem>
#include <fstream>

#include "engine/base/atomic_file.h"
#include "engine/base/host.h"
#include "engine/config/load.h"
#include "engine/protocol/worker_messages.h"
#include "engine/run_folder/source_files.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;

namespace {

/// A run that was killed, with a checkpoint of step 4 or without one.
void makeKilledRun(EngineBench& bench, bool withCheckpoint,
                   const std::vector<std::string>& overrides = {}) {
  bench.script(std::string("scalars 1 4\n") + (withCheckpoint ? "checkpoint 4\n" : "") +
               "kill 9\n");
  std::vector<std::string> arguments{"train", "experiment.yaml", "--output", "run"};
  for (const std::string& override : overrides)
    arguments.insert(arguments.end(), {"--set", override});
  QCOMPARE(bench.run(arguments).status, 1);
}

/// A training image that nothing is marked on.
void addEmptyImage(const EngineBench& bench) {
  const fs::path file = bench.folder() / "train.json";
  std::string text = base::readFile(file);
  const std::string images = R"("images":[)";
  text.insert(text.find(images) + images.size(),
              R"({"id":99,"file_name":"empty.png","width":64,"height":64},)");
  std::ofstream(file) << text;
  std::ofstream(bench.folder() / "train/empty.png") << "empty";
}

}  // namespace

class TstTrainingPlan : public QObject {
  Q_OBJECT

 private:
  EngineBench killed_;  ///< with a killed run of step 4; each test has a copy of it, `run`

 private Q_SLOTS:
  void initTestCase() {
    makeKilledRun(killed_, /*withCheckpoint=*/true);
    fs::rename(killed_.folder() / "run", killed_.folder() / "killed");
  }
  void init() {
    for (const char* run : {"run", "other"}) fs::remove_all(killed_.folder() / run);
    fs::copy(killed_.folder() / "killed", killed_.folder() / "run", fs::copy_options::recursive);
  }

  void maxStepsBelowTheCheckpointIsRefused_data() {
    QTest::addColumn<int>("maxSteps");
    QTest::addColumn<int>("status");
    QTest::newRow("fewer") << 3 << 2;
    QTest::newRow("as many") << 4 << 0;
    QTest::newRow("more") << 5 << 0;
  }
  void maxStepsBelowTheCheckpointIsRefused() {
    QFETCH(int, maxSteps);
    QFETCH(int, status);
    EngineBench& bench = killed_;
    const std::string before = base::readFile(bench.folder() / "run/config.yaml");
    bench.script("finish " + std::to_string(maxSteps) + "\n");
    const auto result = bench.run(
        {"train", "run", "--resume", "--set", "solver.max_steps=" + std::to_string(maxSteps)});
    QVERIFY2(result.status == status, result.err.c_str());
    if (status == 0) return;
    QVERIFY2(contains(result.err, "but the checkpoint is at step 4") &&
                 contains(result.err, "solver.max_steps"),
             result.err.c_str());
    QCOMPARE(base::readFile(bench.folder() / "run/config.yaml"), before);
  }

  void aKeyThatCannotChangeOnResumeIsNamedBeforeThoseThatFollowFromIt() {
    const EngineBench& bench = killed_;
    // The run's config.yaml says evaluation.best_metric: segm/AP.
    const auto result = bench.run({"train", "run", "--resume", "--set", "model.masks=false"});
    QCOMPARE(result.status, 2);
    QVERIFY2(contains(result.err, "these keys cannot change on resume") &&
                 contains(result.err, "\n  model.masks: true -> false\n") &&
                 !contains(result.err, "best_metric"),
             result.err.c_str());
    // Another error is what it is.
    QVERIFY(contains(bench.run({"train", "run", "--resume", "--set", "solver.nothing=1"}).err,
                     "solver.nothing"));
  }

  void settingsOfGpusAreIgnoredOnACpuWithAWarning_data() {
    QTest::addColumn<QString>("device");
    QTest::addColumn<QString>("setting");
    QTest::addColumn<QString>("line");
    const auto row = [](const char* device, const char* setting, const char* line) {
      QTest::addRow("%s, device: %s", setting, device)
          << QString::fromUtf8(device) << QString::fromUtf8(setting) << QString::fromUtf8(line);
    };
    row("cpu", "runtime.devices=[0]",
        "--set: runtime.devices: warning: [0] is ignored: the device is the CPU\n");
    row("cpu", "runtime.cuda_graphs=true",
        "--set: runtime.cuda_graphs: warning: true is ignored: the device is the CPU\n");
    row("auto", "runtime.cuda_graphs=true",
        "[engine] warning: runtime.cuda_graphs: true is ignored: the device is the CPU\n");
    row("auto", "runtime.precision=tf32",
        "[engine] warning: runtime.precision: tf32 is fp32 here: the device is the CPU\n");
  }
  void settingsOfGpusAreIgnoredOnACpuWithAWarning() {
    QFETCH(QString, device);
    QFETCH(QString, setting);
    QFETCH(QString, line);
    EngineBench bench;
    bench.setVariable("CUDA_VISIBLE_DEVICES", "");
    bench.script("finish 6\n");
    const auto result =
        bench.run({"train", "experiment.yaml", "--output", "run", "--set",
                   "runtime.device=" + device.toStdString(), "--set", setting.toStdString()});
    QVERIFY2(result.status == 0, result.err.c_str());
    QCOMPARE(QString::fromStdString(result.err).count(line), 1);
    QCOMPARE(QString::fromStdString(result.err).count(QStringLiteral("warning")), 1);
  }

  void otherRanksThanThoseOfTheCheckpointAreAWarning() {
    EngineBench& bench = killed_;
    bench.script("listening 1\nfinish 6\n");
    const char* const part =
        "warning: the checkpoint of step 4 was trained by 1 rank of 1 thread on the CPU and is "
        "continued by 2 ranks of 1 thread on the CPU";
    const auto other = bench.run({"train", "run", "--resume", "--workers", "2"});
    QVERIFY2(other.status == 0, other.err.c_str());
    QCOMPARE(QString::fromStdString(other.err).count(QString::fromUtf8(part)), 1);
    QVERIFY(contains(base::readFile(bench.folder() / "run/engine.log"), part));
    init();
    const auto same = bench.run({"train", "run", "--resume"});
    QVERIFY2(same.status == 0 && !contains(same.err, "was trained by"), same.err.c_str());
  }

  void autoPrecisionIsResolvedAndLogged() {
    EngineBench bench;
    bench.script("finish 6\n");
    const auto result = bench.run({"train", "experiment.yaml", "--output", "run", "--set",
                                   "runtime.precision=auto", "--set", "runtime.device=cpu"});
    QVERIFY2(result.status == 0, result.err.c_str());
    const bool isHalved = !base::bfloat16Instructions().empty();
    const std::string precision = isHalved ? "bf16" : "fp32";
    const std::string config = base::readFile(bench.folder() / "run/config.yaml");
    QVERIFY2(contains(config, "precision: " + precision), config.c_str());
    QCOMPARE(bench.lastJob(0).configYaml, config);
    const std::string line = "precision: " + precision + " (this processor has ";
    QVERIFY2(contains(result.err, line), result.err.c_str());
    QVERIFY(contains(base::readFile(bench.folder() / "run/engine.log"), line));
  }

  void runJsonHasTheStepsPerEpoch_data() {
    QTest::addColumn<bool>("skipsEmpty");
    QTest::addColumn<double>("steps");
    // 4 images with an object and one without, 2 images a step.
    QTest::newRow("images that are used") << true << 2.0;
    QTest::newRow("all images") << false << 2.5;
  }
  void runJsonHasTheStepsPerEpoch() {
    QFETCH(bool, skipsEmpty);
    QFETCH(double, steps);
    EngineBench bench;
    addEmptyImage(bench);
    bench.script("finish 6\n");
    const auto result =
        bench.run({"train", "experiment.yaml", "--output", "run", "--set",
                   std::string("dataset.skip_empty=") + (skipsEmpty ? "true" : "false")});
    QVERIFY2(result.status == 0, result.err.c_str());
    const auto info = run_folder::readRunInfo(run_folder::Layout(bench.folder() / "run"));
    QCOMPARE(info.stepsPerEpoch.value_or(0), steps);
  }

  void aRunResumesWithoutItsInitialWeights() {
    EngineBench bench;
    const fs::path weights = bench.folder() / "start.safetensors";
    std::ofstream(weights) << "weights";
    makeKilledRun(bench, /*withCheckpoint=*/true, {"model.weights=" + weights.string()});
    fs::remove(weights);
    bench.script("scalars 5 6\ncheckpoint 6 last\nfinish 6\n");
    const auto result = bench.run({"train", "run", "--resume"});
    QVERIFY2(result.status == 0, result.err.c_str());
    QVERIFY2(!contains(result.err, "start.safetensors"), result.err.c_str());
    const protocol::TrainJob job = bench.lastJob();
    QCOMPARE(job.resumeFrom, run_folder::Layout(bench.folder() / "run").checkpoint(4).string());
    const auto experiment = config::loadExperimentText(job.configYaml, "a.yaml").experiment;
    QCOMPARE(experiment.model.weights, weights.string());
    QCOMPARE(experiment.model.resolvedNorm(), config::Norm::FrozenBatch);
  }

  void aRunWithoutACheckpointNeedsItsInitialWeights() {
    EngineBench bench;
    const fs::path weights = bench.folder() / "start.safetensors";
    std::ofstream(weights) << "weights";
    makeKilledRun(bench, /*withCheckpoint=*/false, {"model.weights=" + weights.string()});
    fs::remove(weights);
    const auto result = bench.run({"train", "run", "--resume"});
    QCOMPARE(result.status, 2);
    QVERIFY2(contains(result.err, "model.weights") && contains(result.err, "no such file"),
             result.err.c_str());
  }

  void aRunKeepsThePersonsFilesAndWhatWasSet() {
    EngineBench bench;
    makeKilledRun(bench, /*withCheckpoint=*/true, {"solver.max_steps=6"});
    const run_folder::Layout run(bench.folder() / "run");
    QCOMPARE(base::readFile(run.source() / "experiment.yaml"), base::readFile(bench.config()));
    QCOMPARE(run_folder::readSource(run).value().overrides,
             std::vector<std::string>{"solver.max_steps=6"});
    bench.script("finish 5\n");
    const auto result = bench.run({"train", "run", "--resume", "--set", "solver.max_steps=5"});
    QVERIFY2(result.status == 0, result.err.c_str());
    const auto source = run_folder::readSource(run).value();
    QCOMPARE(source.overrides, std::vector<std::string>{"solver.max_steps=5"});
    QCOMPARE(source.texts, std::vector<std::string>{base::readFile(bench.config())});
  }

  void aRunOfARunHasWhatThatWasMadeFrom_data() {
    QTest::addColumn<bool>("forks");
    QTest::newRow("fork") << true;
    QTest::newRow("its config.yaml again") << false;
  }
  void aRunOfARunHasWhatThatWasMadeFrom() {
    QFETCH(bool, forks);
    EngineBench& bench = killed_;
    bench.script("finish 6\n");
    std::vector<std::string> arguments{"train",    forks ? "run" : "run/config.yaml",
                                       "--output", "other",
                                       "--set",    "solver.max_steps=6"};
    if (forks) arguments.insert(arguments.end(), {"--from", "4"});
    const auto result = bench.run(arguments);
    QVERIFY2(result.status == 0, result.err.c_str());
    const run_folder::Layout other(bench.folder() / "other");
    QCOMPARE(base::readFile(other.source() / "experiment.yaml"), base::readFile(bench.config()));
    QCOMPARE(run_folder::readSource(other).value().overrides,
             std::vector<std::string>{"solver.max_steps=6"});
    const auto info = run_folder::readRunInfo(other);
    QCOMPARE(info.forkedFrom.has_value(), forks);
    if (!forks) return;
    QCOMPARE(info.forkedFrom->step, std::int64_t{4});
    QCOMPARE(fs::path(info.forkedFrom->run), fs::canonical(bench.folder() / "run"));
  }

  void anInvalidConfigurationIsLocatedInsteadOfListingEveryKey() {
    const EngineBench& bench = killed_;
    std::ofstream(bench.folder() / "run/config.yaml") << "name: a\nsolver: {max_steps: 6\n";
    const auto result = bench.run({"train", "experiment.yaml", "--output", "run", "--resume"});
    QCOMPARE(result.status, 2);
    QVERIFY2(contains(result.err, "run/config.yaml:") && !contains(result.err, "->"),
             result.err.c_str());
  }
};

LOCKSTEP_TEST(TstTrainingPlan)
#include "tst_training_plan.moc"
