#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/data/made_scenes.h"
#include "engine/train/trainer.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
namespace fs = std::filesystem;

namespace {

/// Does what the supervisor does with partial files, and remembers what was announced.
class RecordingObserver : public train::TrainingObserver {
 public:
  explicit RecordingObserver(fs::path run) : layout(std::move(run)) {}
  void onSteps(const protocol::ScalarBatch& batch) override {
    for (const auto& step : batch.records) steps.push_back(step);
    if (afterSteps) afterSteps();
  }
  void onState(const protocol::WorkerState& state) override { states.push_back(state.state); }
  void onEvaluation(const protocol::EvaluationReady& ready) override {
    fs::rename(ready.partial, layout.evaluation(ready.step));
    evaluations.push_back(ready);
  }
  void onPredictions(const protocol::PredictionsReady& ready) override {
    fs::rename(ready.partial, layout.predictions(ready.step));
    predictions.push_back(ready.step);
  }
  void onCheckpoint(const protocol::CheckpointReady& ready) override {
    checkpoints.push_back(ready);
    if (ready.error.empty()) fs::rename(ready.partial, layout.checkpoint(ready.step));
  }
  void onAnswer(const protocol::Answer& answer) override { answers.push_back(answer); }
  void onLog(const protocol::WorkerLog& log) override { logs.push_back(log.text); }

  float value(std::size_t record, const std::string& tag) const {
    for (const auto& [name, number] : steps.at(record).values) {
      if (name == tag) return number;
    }
    return -1;
  }

  run_folder::Layout layout;
  std::function<void()> afterSteps;
  std::vector<protocol::StepScalars> steps;
  std::vector<protocol::EvaluationReady> evaluations;
  std::vector<protocol::CheckpointReady> checkpoints;
  std::vector<std::int64_t> predictions;
  std::vector<protocol::Answer> answers;
  std::vector<std::string> states, logs;
};

/// A trainer on a run folder of its own.
struct Session {
  Session(const config::Experiment& experiment, const fs::path& folder)
      : layout(fs::exists(folder) ? run_folder::Layout(folder)
                                  : run_folder::createRunFolderAt(folder)),
        observer(folder),
        world(dist::makeWorldOfOne()),
        trainer(experiment, layout, {*world, mailbox, phase, observer}) {}

  run_folder::Layout layout;
  train::Mailbox mailbox;
  train::PhaseReport phase;
  RecordingObserver observer;
  std::unique_ptr<dist::World> world;
  train::Trainer trainer;
};

protocol::Control control(const std::string& name, const std::string& id) {
  return {.name = name, .id = id, .predict = {}, .out = ""};
}

}  // namespace

class TstTrainer : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    data::writeMadeScenes({path("shapes"), 4, 3, 5});
  }

  void resumedRunContinuesBitForBit() {
    config::Experiment experiment = smallExperiment(4);
    experiment.checkpoint.every = {2};
    Session whole(experiment, path("whole"));
    QCOMPARE(whole.trainer.run().step, std::int64_t(4));
    QCOMPARE(whole.observer.checkpoints.size(), std::size_t(2));

    experiment.dataset.loaderThreads = 3;
    Session resumed(experiment, path("resumed"));
    resumed.trainer.resume(whole.layout.checkpoint(2));
    QCOMPARE(resumed.trainer.run().step, std::int64_t(4));
    for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
      QVERIFY2(base::readFile(whole.layout.checkpoint(4) / file) ==
                   base::readFile(resumed.layout.checkpoint(4) / file),
               file);
    }
    QCOMPARE(resumed.observer.steps.front().step, std::int64_t(3));
    QCOMPARE(resumed.observer.value(0, "train/loss_total"),
             whole.observer.value(2, "train/loss_total"));
  }

  void everyStepIsRecordedAndTheLastIsEvaluatedAndKept() {
    config::Experiment experiment = smallExperiment(3);
    Session session(experiment, path("records"));
    session.trainer.run();
    const RecordingObserver& seen = session.observer;
    QCOMPARE(seen.steps.size(), std::size_t(4));  // three steps and the evaluation
    for (int i = 0; i < 3; ++i) QCOMPARE(seen.steps[i].step, std::int64_t(i + 1));
    QCOMPARE(seen.evaluations.size(), std::size_t(1));
    QCOMPARE(seen.evaluations[0].step, std::int64_t(3));
    QCOMPARE(seen.checkpoints.size(), std::size_t(1));
    QVERIFY(seen.checkpoints[0].last);
    QCOMPARE(seen.predictions, std::vector<std::int64_t>{3});
    const auto json = nlohmann::json::parse(base::readFile(session.layout.evaluation(3)));
    QCOMPARE(json.at("per_image").size(), std::size_t(3));
    QVERIFY(json.at("segm").is_object());
  }

  void totalIsTheWeightedSum() {
    config::Experiment experiment = smallExperiment(1);
    experiment.solver.lossWeights = {2, 3, 5, 7, 11};
    Session session(experiment, path("weighted"));
    session.trainer.run();
    const RecordingObserver& seen = session.observer;
    const float sum =
        2 * seen.value(0, "train/loss_classifier") + 3 * seen.value(0, "train/loss_box_reg") +
        5 * seen.value(0, "train/loss_mask") + 7 * seen.value(0, "train/loss_objectness") +
        11 * seen.value(0, "train/loss_rpn_box_reg");
    QVERIFY(std::abs(sum - seen.value(0, "train/loss_total")) < 1e-4 * sum);
  }

  void heldOutLossDoesNotDependOnThreads() {
    std::vector<std::string> files;
    for (const int threads : {1, 2, 4}) {
      config::Experiment experiment = smallExperiment(1);
      experiment.solver.baseLr = 0;  // threads change the last bits of training, not of evaluation
      experiment.runtime.cpuThreads = threads;
      Session session(experiment, path("threads" + std::to_string(threads)));
      session.trainer.run();
      files.push_back(base::readFile(session.layout.evaluation(1)));
    }
    QCOMPARE(files[1], files[0]);
    QCOMPARE(files[2], files[0]);
  }

  void twoImagesAreOverfitted() {
    config::Experiment experiment = smallExperiment(40);
    experiment.dataset.train = {path("shapes/val"), path("shapes/annotations/instances_val.json")};
    experiment.solver.batchSize = 3;
    experiment.augment.horizontalFlip = 0;
    Session session(experiment, path("overfit"));
    session.trainer.run();
    const auto mean = [&](std::size_t from) {
      float sum = 0;
      for (std::size_t i = from; i < from + 5; ++i)
        sum += session.observer.value(i, "train/loss_total");
      return sum / 5;
    };
    QVERIFY2(
        mean(35) < 0.6f * mean(0),
        qPrintable(QString::number(mean(0)) + QStringLiteral(" -> ") + QString::number(mean(35))));
  }

  void stopLeavesACheckpoint() {
    config::Experiment experiment = smallExperiment(50);
    Session session(experiment, path("stopped"));
    session.observer.afterSteps = [&] { session.mailbox.post(control("stop", "s")); };
    experiment.monitor.logEvery = {1};
    const train::Trainer::Outcome outcome = session.trainer.run();
    QVERIFY(outcome.stopped);
    QVERIFY(outcome.step < 50);
    QVERIFY(fs::exists(session.layout.checkpoint(outcome.step) / "state.json"));
    QCOMPARE(session.observer.answers.front().id, std::string("s"));
  }

  void requestsAreServedBetweenSteps() {
    config::Experiment experiment = smallExperiment(3);
    Session session(experiment, path("requests"));
    protocol::Control predict = control("predict", "p");
    predict.predict.imageIds = {5};  // the first held-out scene
    predict.out = path("answer.json");
    session.mailbox.post(control("pause", "a"));
    session.mailbox.post(control("checkpoint", "b"));
    session.mailbox.post(predict);
    session.mailbox.post(control("resume", "c"));
    QVERIFY(!session.trainer.run().stopped);
    std::vector<std::string> ids;
    for (const auto& answer : session.observer.answers) {
      ids.push_back(answer.id);
      QCOMPARE(QString::fromStdString(answer.error), QString());
    }
    QCOMPARE(ids, (std::vector<std::string>{"a", "b", "p", "c"}));
    QVERIFY(fs::exists(session.layout.checkpoint(1)));
    QVERIFY(nlohmann::json::parse(base::readFile(path("answer.json"))).contains("detections"));
    QVERIFY(std::ranges::find(session.observer.states, "paused") != session.observer.states.end());
  }

  void nonFiniteLossStopsBeforeTheUpdate() {
    config::Experiment experiment = smallExperiment(30);
    experiment.solver.baseLr = 1e12;
    experiment.solver.warmupSteps = {0};
    experiment.solver.clipGradNorm = 0;
    experiment.checkpoint.every = {1};
    Session session(experiment, path("diverged"));
    std::string text;
    try {
      session.trainer.run();
    } catch (const Error& error) {
      text = error.what();
    }
    QVERIFY(!session.observer.checkpoints.empty());
    const std::int64_t lastGood = session.observer.checkpoints.back().step;
    const std::string start = "step " + std::to_string(lastGood + 1) + ": loss_";
    QVERIFY2(text.starts_with(start) && text.find(" on images ") != std::string::npos,
             text.c_str());
    const auto before =
        checkpoint::readSafetensors(session.layout.checkpoint(lastGood) / "model.safetensors");
    for (const auto& [name, tensor] : session.trainer.model().namedState()) {
      QVERIFY2(before.find(name)->isfinite().all().item<bool>(), name.c_str());
      QVERIFY2(at::equal(tensor, *before.find(name)), name.c_str());
    }
  }

 private:
  std::string path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }

  /// A few seconds of training on made scenes.
  config::Experiment smallExperiment(int steps) const {
    config::Experiment experiment;
    experiment.dataset.train = {path("shapes/train"),
                                path("shapes/annotations/instances_train.json")};
    experiment.dataset.val = {path("shapes/val"), path("shapes/annotations/instances_val.json")};
    experiment.augment.minSize = {64};
    experiment.augment.maxSize = 96;
    experiment.model.backbone = "resnet18";
    experiment.model.fpnChannels = 32;
    experiment.model.rpn.preNmsTopNTrain = experiment.model.rpn.preNmsTopNTest = 200;
    experiment.model.rpn.postNmsTopNTrain = experiment.model.rpn.postNmsTopNTest = 100;
    experiment.model.boxHead.batchSizePerImage = 32;
    experiment.model.boxHead.fcDim = 64;
    experiment.model.maskHead.convs = 1;
    experiment.model.maskHead.channels = 32;
    experiment.solver.baseLr = 0.02;
    experiment.solver.batchSize = 2;
    experiment.solver.schedule = "constant";
    experiment.solver.warmupSteps = {5};
    experiment.solver.clipGradNorm = 10;
    experiment.solver.maxSteps = {double(steps)};
    experiment.runtime.cpuThreads = 2;
    experiment.runtime.device = "cpu";
    return experiment;
  }

  QTemporaryDir folder_;
};

LOCKSTEP_TEST(TstTrainer)
#include "tst_trainer.moc"
