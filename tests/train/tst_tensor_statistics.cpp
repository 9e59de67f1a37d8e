#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>

#include "engine/model/mask_rcnn.h"
#include "engine/train/tensor_statistics.h"
#include "tests/dist/ranks.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/train/small_training.h"

using namespace lockstep;
using tests::Session;

namespace {

/// Whether they are equal relative to max(|b|, 1e-3).
bool isClose(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(std::abs(b), 1e-3);
}

using Values = std::map<std::string, float>;

/// Whether the tag is of a statistic of a parameter or part: not of times and machines.
bool isStatistic(const std::string& tag) {
  return std::ranges::any_of(
      std::array{"weight_norm/", "weight_mean/", "grad_norm/", "grad_mean/", "update_ratio/"},
      [&](const char* prefix) { return tag.starts_with(prefix); });
}

/// All values of a step.
Values valuesOf(const tests::MessageRecorder& recorder, std::int64_t step) {
  Values values;
  for (const protocol::Scalars& record : recorder.steps)
    if (record.step == step) values.insert(record.values.begin(), record.values.end());
  return values;
}

}  // namespace

class TstTensorStatistics : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { tests::writeShapes(shapes()); }

  void weightsAreThoseOfTheCheckpoint() {
    config::Experiment experiment = tests::smallExperiment(shapes(), 4);
    experiment.monitor.tensorStatsEvery = config::Duration{2};
    experiment.solver.emaDecay = 0.5;  // the checkpoint's model has the average
    Session session(experiment, path("weights"));
    session.trainer.run();
    const Values values = valuesOf(session.observer, 4);
    QVERIFY(!valuesOf(session.observer, 3).contains("weight_norm/rpn.head.conv.0.0.weight"));
    int compared = 0;
    for (const model::ParameterInfo& parameter : session.trainer.model().trainableParameters()) {
      const at::Tensor weights = parameter.tensor.detach().to(at::kDouble);
      QVERIFY(
          isClose(values.at("weight_norm/" + parameter.name), weights.norm().item<double>(), 1e-6));
      QVERIFY(
          isClose(values.at("weight_mean/" + parameter.name), weights.mean().item<double>(), 1e-6));
      ++compared;
    }
    QVERIFY(compared > 50);
  }

  void partNormsAddUpToTheGradientNorm() {
    config::Experiment experiment = tests::smallExperiment(shapes(), 2);
    Session session(experiment, path("parts"));
    session.trainer.run();
    for (const std::int64_t step : {1, 2}) {
      const Values values = valuesOf(session.observer, step);
      double squares = 0;
      int parts = 0;
      for (const auto& [tag, value] : values) {
        if (!tag.starts_with("grad_norm/part/")) continue;
        squares += double(value) * value;
        ++parts;
      }
      QCOMPARE(parts, 9);
      QVERIFY(isClose(std::sqrt(squares), values.at("solver/grad_norm"), 1e-5));
    }
  }

  void theUpdateIsTheDifferenceOfWeights() {
    config::Experiment experiment = tests::smallExperiment(shapes(), 1);
    experiment.monitor.tensorStatsEvery = config::Duration{1};
    experiment.monitor.tensorStatsInclude = {"mask_fcn", "layer3\\.0\\.conv1"};
    Session session(experiment, path("update"));
    std::map<std::string, at::Tensor> before;
    for (const model::ParameterInfo& parameter : session.trainer.model().trainableParameters())
      before[parameter.name] = parameter.tensor.detach().clone();
    session.trainer.run();
    const Values values = valuesOf(session.observer, 1);
    int compared = 0;
    for (const model::ParameterInfo& parameter : session.trainer.model().trainableParameters()) {
      const std::string tag = "update_ratio/" + parameter.name;
      const bool isIncluded = parameter.name.find("mask_fcn") != std::string::npos ||
                              parameter.name.find("layer3.0.conv1") != std::string::npos;
      QCOMPARE(values.contains(tag), isIncluded);
      if (!isIncluded) continue;
      const at::Tensor weights = parameter.tensor.detach().to(at::kDouble);
      const double update = (weights - before[parameter.name]).norm().item<double>();
      QVERIFY(isClose(values.at(tag), update / weights.norm().item<double>(), 1e-5));
      ++compared;
    }
    QCOMPARE(compared, 3);
  }

  void gradientsAreThoseBeforeClipping() {
    config::Experiment experiment = tests::smallExperiment(shapes(), 1);
    experiment.monitor.tensorStatsEvery = config::Duration{1};
    experiment.solver.clipGradNorm = 1e-3;
    Session session(experiment, path("clipped"));
    session.trainer.run();
    const Values values = valuesOf(session.observer, 1);
    const double clipping = 1e-3 / values.at("solver/grad_norm");
    for (const model::ParameterInfo& parameter : session.trainer.model().trainableParameters()) {
      const at::Tensor clipped = parameter.tensor.grad().to(at::kDouble);
      QVERIFY(isClose(values.at("grad_norm/" + parameter.name) * clipping,
                      clipped.norm().item<double>(), 1e-4));
      QVERIFY(isClose(values.at("grad_mean/" + parameter.name) * clipping,
                      clipped.mean().item<double>(), 1e-4));
    }
  }

  void ranksAgreeWithAccumulatedMicroBatches_data() {
    QTest::addColumn<int>("ranks");
    QTest::newRow("2 ranks") << 2;
    QTest::newRow("3 ranks") << 3;
  }
  /// The sums of several ranks round differently, so they agree as closely as the gradients do.
  void ranksAgreeWithAccumulatedMicroBatches() {
    QFETCH(int, ranks);
    config::Experiment experiment = tests::smallExperiment(shapes(), 2);
    experiment.monitor.tensorStatsEvery = config::Duration{1};
    experiment.solver.batchSize = experiment.solver.accumulate = ranks;
    Session alone(experiment, path("alone" + std::to_string(ranks)));
    alone.trainer.run();
    experiment.solver.accumulate = 1;
    std::map<std::int64_t, Values> together;
    tests::onRanks(ranks, [&](dist::World& world) {
      Session session(experiment, path("rank" + std::to_string(world.rank())), world);
      session.trainer.run();
      if (world.rank() > 0) return;
      for (const std::int64_t step : {1, 2}) together[step] = valuesOf(session.observer, step);
    });
    int compared = 0;
    for (const std::int64_t step : {1, 2}) {
      for (const auto& [tag, expected] : valuesOf(alone.observer, step)) {
        if (!isStatistic(tag)) continue;
        QVERIFY2(isClose(together[step].at(tag), expected, 1e-4), tag.c_str());
        ++compared;
      }
    }
    QVERIFY(compared > 2 * 5 * 50);
  }

  void aResumedRunHasTheSameBits() {
    config::Experiment experiment = tests::smallExperiment(shapes(), 4);
    experiment.monitor.tensorStatsEvery = config::Duration{2};
    experiment.checkpoint.every = {1};
    Session whole(experiment, path("whole"));
    whole.trainer.run();
    Session resumed(experiment, path("resumed"));
    resumed.trainer.resume(whole.layout.checkpoint(1));
    resumed.trainer.run();
    for (const std::int64_t step : {2, 3, 4}) {
      Values before = valuesOf(whole.observer, step), after = valuesOf(resumed.observer, step);
      std::erase_if(before, [](const auto& value) { return !isStatistic(value.first); });
      std::erase_if(after, [](const auto& value) { return !isStatistic(value.first); });
      QVERIFY(before == after);
      QCOMPARE(before.contains("weight_norm/rpn.head.conv.0.0.weight"), step != 3);
      QVERIFY(before.contains("grad_norm/part/rpn"));
    }
  }

  void detectorMetricsAreOfEveryStep() {
    config::Experiment experiment = tests::smallExperiment(shapes(), 2);
    Session session(experiment, path("detector"));
    session.trainer.run();
    const Values values = valuesOf(session.observer, 2);
    for (const char* share : {"rpn/recall", "box/accuracy", "mask/accuracy"})
      QVERIFY2(values.at(share) >= 0 && values.at(share) <= 1, share);
    QVERIFY(values.at("rpn/positives") >= 1);
    QVERIFY(values.at("roi/positives") >= 1);  // the ground truth itself
    double matched = 0;
    for (const char* level : {"p2", "p3", "p4", "p5", "p6"})
      matched += values.at(std::string("rpn/matched/") + level);
    QVERIFY(matched >= values.at("rpn/positives"));
  }

 private:
  std::filesystem::path path(const std::string& name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }
  std::filesystem::path shapes() const { return path("shapes"); }

  QTemporaryDir folder_;
};

LOCKSTEP_TEST(TstTensorStatistics)
#include "tst_tensor_statistics.moc"
