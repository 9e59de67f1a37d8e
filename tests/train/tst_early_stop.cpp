#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "engine/base/atomic_file.h"
#include "engine/train/early_stop.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/train/small_training.h"

using namespace lockstep;
using tests::Session;
namespace fs = std::filesystem;

namespace {

eval::Evaluation lossOf(std::int64_t step, double loss) {
  eval::Evaluation evaluation;
  evaluation.step = step;
  evaluation.losses = eval::LossValues{};
  evaluation.losses->back() = loss;
  return evaluation;
}

config::EvaluationConfig stopBy(const config::EarlyStopConfig& earlyStop) {
  config::EvaluationConfig config;
  config.earlyStop = earlyStop;
  return config;
}

}  // namespace

class TstEarlyStop : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    tests::writeShapes(path("shapes"));
    whole_ = std::make_unique<Session>(smallExperiment(), path("whole"));
    outcome_ = whole_->trainer.run();
  }

  void stopsAfterPatienceEvaluations() {
    const auto config = stopBy({"loss_total", 2, 0.1, {}});
    run_folder::TrainingState state;
    const auto stopsAfter = [&](std::int64_t step, double loss) {
      train::countForEarlyStop(config, lossOf(step, loss), state.earlyStop);
      return state.stopsEarly(config);
    };
    QVERIFY(!stopsAfter(1, 2.0));
    QVERIFY2(!stopsAfter(2, 1.95), "0.05 is no gain");
    QVERIFY2(!stopsAfter(3, 1.8), "a gain over the best, 2.0");
    QCOMPARE(state.earlyStop->step, std::int64_t{3});
    QVERIFY(!stopsAfter(4, 1.75));
    train::countForEarlyStop(config, eval::Evaluation(), state.earlyStop);
    QVERIFY2(!state.stopsEarly(config), "an evaluation without the figure does not count");
    QVERIFY(stopsAfter(5, 3.0));
    QVERIFY2(!state.stopsEarly(stopBy({"loss_total", 3, 0.1, {}})), "a longer patience goes on");
    QVERIFY(!state.stopsEarly(stopBy({"", 2, 0.1, {}})));
    QVERIFY(!state.stopsEarly(stopBy({"loss_mask", 2, 0.1, {}})));
  }

  void stopsAtTheTarget() {
    const auto config = stopBy({"loss_total", 5, 1, 1.5});
    run_folder::TrainingState state;
    const auto stopsAfter = [&](std::int64_t step, double loss) {
      train::countForEarlyStop(config, lossOf(step, loss), state.earlyStop);
      return state.stopsEarly(config);
    };
    QVERIFY(!stopsAfter(1, 1.9));
    QVERIFY(!state.hasReachedTarget(config));
    QVERIFY2(stopsAfter(2, 1.5), "a loss falls to it, by less than min_delta");
    QVERIFY(state.hasReachedTarget(config));
    QCOMPARE(train::earlyStopReason(config, state),
             std::string("loss_total has reached 1.5, evaluation.early_stop.target is 1.5"));
    QVERIFY2(!state.stopsEarly(stopBy({"loss_total", 5, 1, 1.4})), "another target goes on");
    QVERIFY(!state.stopsEarly(stopBy({"loss_total", 5, 1, {}})));
  }

  /// Without a metric it is of best_metric, and patience is off.
  void theTargetIsOfTheBestMetric() {
    auto config = stopBy({"", 1, 0, 0.5});
    config.bestMetric = "segm/AP";
    run_folder::TrainingState state;
    const auto stopsAfter = [&](std::int64_t step, double ap) {
      eval::Evaluation evaluation;
      evaluation.step = step;
      evaluation.segm.emplace();
      evaluation.segm->names = {"AP"};
      evaluation.segm->stats = {ap};
      train::countForEarlyStop(config, evaluation, state.earlyStop);
      return state.stopsEarly(config);
    };
    QVERIFY(!stopsAfter(1, 0.4));
    QVERIFY(!stopsAfter(2, 0.3));
    QVERIFY(!stopsAfter(3, 0.3));
    QVERIFY(stopsAfter(4, 0.5));
    QCOMPARE(state.earlyStop->metric, std::string("segm/AP"));
  }

  void aReachedTargetEndsTheTraining() {
    config::Experiment experiment = smallExperiment();
    experiment.evaluation.earlyStop = {"loss_total", 100, 0, 1000};
    Session session(experiment, path("reaches"));
    QCOMPARE(session.trainer.run().step, std::int64_t{2});
    QVERIFY(session.observer.checkpoints.back().last);
    QVERIFY2(
        session.observer.logs.back().text.starts_with("stopping early: loss_total has reached"),
        session.observer.logs.back().text.c_str());
    Session again(experiment, path("reaches again"));
    again.trainer.resume(session.layout.checkpoint(2));
    QCOMPARE(again.trainer.run().step, std::int64_t{2});
    experiment.evaluation.earlyStop.target = 0;
    experiment.solver.maxSteps = {3};
    Session further(experiment, path("further"));
    further.trainer.resume(session.layout.checkpoint(2));
    QCOMPARE(further.trainer.run().step, std::int64_t{3});
  }

  void trainingWithoutImprovementEndsWithCheckpointAndEvaluation() {
    QCOMPARE(outcome_.step, std::int64_t{6});
    QVERIFY(!outcome_.stopped);
    QVERIFY(whole_->observer.checkpoints.back().last);
    QCOMPARE(whole_->observer.checkpoints.back().step, std::int64_t{6});
    QVERIFY(fs::exists(whole_->layout.predictions(6)));
    QVERIFY(eval::metricsIn(whole_->layout.evaluation(6)).averagePrecision);
    QVERIFY(whole_->observer.logs.back().text.starts_with("stopping early: loss_total has not"));

    Session again(smallExperiment(), path("stops again"));
    again.trainer.resume(whole_->layout.checkpoint(6));
    QCOMPARE(again.trainer.run().step, std::int64_t{6});
    QVERIFY2(again.observer.checkpoints.empty(), "there is nothing left to do");
  }

  /// Patience counts the evaluations of the schedule, not those that somebody looks at between.
  void requestedEvaluationDoesNotCount() {
    config::Experiment experiment = smallExperiment();
    experiment.monitor.logEvery = {1};
    Session session(experiment, path("asked"));
    session.observer.afterSteps = [&] {
      if (session.observer.steps.back().step % 2 == 1)
        session.mailbox.post(tests::control("evaluate", "e"));
    };
    QCOMPARE(session.trainer.run().step, std::int64_t{6});
    QVERIFY(session.observer.answers.size() >= 3);
  }

  void patienceContinuesAfterResume() {
    Session resumed(smallExperiment(), path("resumed"));
    resumed.trainer.resume(whole_->layout.checkpoint(4));
    QCOMPARE(resumed.trainer.run().step, std::int64_t{6});
    QVERIFY(base::readFile(whole_->layout.checkpoint(6) / "model.safetensors") ==
            base::readFile(resumed.layout.checkpoint(6) / "model.safetensors"));
    QVERIFY(run_folder::readTrainingState(whole_->layout.checkpoint(6)).earlyStop ==
            run_folder::readTrainingState(resumed.layout.checkpoint(6)).earlyStop);
  }

 private:
  std::string path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }

  /// Evaluates every second step and never gains: the first figure is at step 2.
  config::Experiment smallExperiment() const {
    config::Experiment experiment = tests::smallExperiment(path("shapes"), 40);
    experiment.evaluation.lossEvery = experiment.checkpoint.every = {2};
    experiment.evaluation.apEvery = {100};
    experiment.evaluation.bestMetric = "segm/AP";
    experiment.evaluation.earlyStop = {"loss_total", 2, 1000, {}};
    return experiment;
  }

  QTemporaryDir folder_;
  std::unique_ptr<Session> whole_;  ///< of smallExperiment(), to its end
  train::Trainer::Outcome outcome_;
};

LOCKSTEP_TEST(TstEarlyStop)
#include "tst_early_stop.moc"
