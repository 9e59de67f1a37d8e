#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "engine/base/error.h"
#include "engine/config/lr_range_test.h"
#include "tests/dist/ranks.h"
#include "tests/support/contains.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/train/small_training.h"

using namespace lockstep;
using tests::contains;
using tests::control;
using tests::messageOf;
using tests::Session;
namespace fs = std::filesystem;

namespace {

constexpr int kSweepSteps = 40;

std::vector<config::RangeTestStep> stepsOf(const Session& session) {
  const tests::MessageRecorder& told = session.observer;
  std::vector<config::RangeTestStep> steps;
  for (std::size_t i = 0; i < told.steps.size(); ++i) {
    steps.push_back({told.value(i, "solver/lr"), told.value(i, "train/loss_total"),
                     told.value(i, "find_lr/loss")});
  }
  return steps;
}

bool isSame(float left, float right) {
  return left == right || (std::isnan(left) && std::isnan(right));
}

bool isSame(const std::vector<config::RangeTestStep>& left,
            const std::vector<config::RangeTestStep>& right) {
  return std::ranges::equal(left, right, [](const auto& a, const auto& b) {
    return a.learningRate == b.learningRate && isSame(a.loss, b.loss) &&
           isSame(a.smoothedLoss, b.smoothedLoss);
  });
}

/// How often a line of the log says what is suggested.
std::size_t suggestionsIn(const Session& session, const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      session.observer.logs,
      [&](const protocol::Log& log) { return log.text == "learning-rate range test: " + text; }));
}

}  // namespace

/// The trainer in a learning-rate range test.
class TstRangeTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    tests::writeShapes(path("shapes"));
    swept_ = std::make_unique<Session>(sweep(), path("swept"), /*isRangeTest=*/true);
    outcome_ = swept_->trainer.run();
  }

  void theLearningRateRisesUntilTheLossDiverges() {
    QVERIFY(!outcome_.stopped);
    QVERIFY2(outcome_.step < kSweepSteps, "it ends early");
    const auto steps = stepsOf(*swept_);
    QCOMPARE(steps.size(), static_cast<std::size_t>(outcome_.step));
    const config::LearningRateSchedule rates(config::rangeTestSweep(kSweepSteps));
    for (std::size_t i = 0; i < steps.size(); ++i)
      QCOMPARE(steps[i].learningRate,
               static_cast<float>(rates.learningRate(static_cast<std::int64_t>(i) + 1)));
    config::RangeTest again;
    for (const config::RangeTestStep& step : steps) {
      QVERIFY(!again.hasDiverged());
      again.add(step.learningRate, step.loss, std::isfinite(step.smoothedLoss));
    }
    QVERIFY(again.hasDiverged());
    QVERIFY(isSame(again.steps(), steps));
    QCOMPARE(suggestionsIn(*swept_, config::suggestLearningRates(steps).value().text()),
             std::size_t{1});
  }

  void nothingButItsCurvesIsLeft() {
    const tests::MessageRecorder& told = swept_->observer;
    QVERIFY(told.checkpoints.empty() && told.evaluations.empty() && told.predictions.empty());
    QVERIFY2(told.divergences.empty(), "a loss that is not finite is no failure");
    QCOMPARE(told.states, std::vector<std::string>{"running"});
    for (const char* name : {"checkpoints", "evaluations", "predictions"})
      QVERIFY2(fs::is_empty(swept_->layout.folder() / name), name);
    QVERIFY(!fs::exists(swept_->layout.folder() / "divergence"));
  }

  void aRepeatedTestHasTheSameBits() {
    Session again(sweep(), path("repeated"), /*isRangeTest=*/true);
    again.trainer.run();
    QVERIFY(isSame(stepsOf(again), stepsOf(*swept_)));
  }

  /// All ranks end at the same step with the same curve, which is that of one rank that accumulates
  /// the same micro-batches: as long as the losses are not chaotic.
  void ranksSweepTogether() {
    config::Experiment experiment = sweep();
    std::array<std::vector<config::RangeTestStep>, 2> curves;
    tests::onRanks(2, [&](dist::World& world) {
      const auto rank = static_cast<std::size_t>(world.rank());
      Session session(experiment, path("rank" + std::to_string(rank)), world, /*isRangeTest=*/true);
      session.trainer.run();
      curves[rank] = stepsOf(session);
    });
    QVERIFY(isSame(curves[0], curves[1]));
    experiment.solver.accumulate = 2;
    Session alone(experiment, path("alone"), /*isRangeTest=*/true);
    alone.trainer.run();
    const auto expected = stepsOf(alone);
    for (std::size_t i = 0; i < 15; ++i) {
      const float loss = curves[0].at(i).loss;
      QVERIFY2(std::abs(loss / expected.at(i).loss - 1) < 1e-3, std::to_string(i).c_str());
    }
    const double ratio = config::suggestLearningRates(curves[0]).value().baseLr /
                         config::suggestLearningRates(expected).value().baseLr;
    QVERIFY2(ratio > 0.5 && ratio < 2, std::to_string(ratio).c_str());
  }

  void aStopLeavesNoCheckpointAndSuggestsNothing() {
    Session session(sweep(), path("stopped"), /*isRangeTest=*/true);
    session.mailbox.post(control("stop", "s"));
    const train::Trainer::Outcome outcome = session.trainer.run();
    QVERIFY(outcome.stopped);
    QCOMPARE(outcome.step, std::int64_t{1});
    QVERIFY(session.observer.checkpoints.empty());
    QVERIFY(std::ranges::none_of(session.observer.logs, [](const protocol::Log& log) {
      return contains(log.text, "base_lr=");
    }));
  }

  void requestsForCheckpointsAndEvaluationsAreRefused() {
    Session session(sweep(), path("asked"), /*isRangeTest=*/true);
    for (const char* name : {"pause", "checkpoint", "evaluate", "resume", "stop"})
      session.mailbox.post(control(name, name));
    QVERIFY(session.trainer.run().stopped);
    QVERIFY(session.observer.checkpoints.empty() && session.observer.evaluations.empty());
    QCOMPARE(session.observer.answers.size(), std::size_t{5});
    for (const protocol::Answer& answer : session.observer.answers) {
      const bool isRefused = answer.id == "checkpoint" || answer.id == "evaluate";
      QVERIFY2(contains(answer.error, "range test") == isRefused, answer.error.c_str());
    }
  }

  void aLossThatIsNeverFiniteIsAnError() {
    config::Experiment experiment = sweep();
    experiment.solver.lossWeights.values[0] = 1e39;
    Session session(experiment, path("never finite"), /*isRangeTest=*/true);
    const std::string text = messageOf([&] { session.trainer.run(); });
    QVERIFY2(text.starts_with("the learning-rate range test suggests nothing: the loss diverged at "
                              "step 1, at a learning rate of 1e-06"),
             text.c_str());
    QVERIFY(session.observer.divergences.empty() && session.observer.checkpoints.empty());
  }

 private:
  std::string path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }

  /// Without clipping, so that it diverges.
  config::Experiment sweep() const {
    config::Experiment experiment = config::rangeTestOf(tests::smallExperiment(path("shapes"), 1));
    experiment.solver.maxSteps = {double(kSweepSteps)};
    experiment.solver.clipGradNorm = 0;
    return experiment;
  }

  QTemporaryDir folder_;
  std::unique_ptr<Session> swept_;
  train::Trainer::Outcome outcome_;
};

LOCKSTEP_TEST(TstRangeTest)
#include "tst_range_test.moc"
