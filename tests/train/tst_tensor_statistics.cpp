#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include "engine/model/mask_rcnn.h"
#include "engine/train/tensor_statistics.h"
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

}  // namespace

class TstTensorStatistics : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    tests::writeShapes(shapes());
    whole_ = std::make_unique<Session>(fourSteps(), path("whole"));
    whole_->trainer.run();
  }

  void weightsAreThoseOfTheCheckpoint() {
    const Values values = whole_->observer.valuesOf(4);
    QVERIFY(!whole_->observer.valuesOf(3).contains("weight_norm/rpn.head.conv.0.0.weight"));
    int compared = 0;
    for (const model::ParameterInfo& parameter : whole_->trainer.model().trainableParameters()) {
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
    for (const std::int64_t step : {1, 2, 3, 4}) {
      const Values values = whole_->observer.valuesOf(step);
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
    const Values values = session.observer.valuesOf(1);
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
    const Values values = session.observer.valuesOf(1);
    const double clipping = 1e-3 / values.at("solver/grad_norm");
    for (const model::ParameterInfo& parameter : session.trainer.model().trainableParameters()) {
      const at::Tensor clipped = parameter.tensor.grad().to(at::kDouble);
      QVERIFY(isClose(values.at("grad_norm/" + parameter.name) * clipping,
                      clipped.norm().item<double>(), 1e-4));
      QVERIFY(isClose(values.at("grad_mean/" + parameter.name) * clipping,
                      clipped.mean().item<double>(), 1e-4));
    }
  }

  void aResumedRunHasTheSameBits() {
    Session resumed(fourSteps(), path("resumed"));
    resumed.trainer.resume(whole_->layout.checkpoint(1));
    resumed.trainer.run();
    const auto statisticsOf = [](const Session& session, std::int64_t step) {
      Values values = session.observer.valuesOf(step);
      std::erase_if(values,
                    [](const auto& value) { return !tests::isTensorStatistic(value.first); });
      return values;
    };
    for (const std::int64_t step : {2, 3, 4}) {
      const Values before = statisticsOf(*whole_, step), after = statisticsOf(resumed, step);
      QVERIFY(before == after);
      QCOMPARE(before.contains("weight_norm/rpn.head.conv.0.0.weight"), step != 3);
      QVERIFY(before.contains("grad_norm/part/rpn"));
    }
  }

  void detectorMetricsAreOfEveryStep() {
    for (const std::int64_t step : {1, 2, 3, 4}) {
      const Values values = whole_->observer.valuesOf(step);
      for (const char* share : {"rpn/recall", "box/accuracy", "mask/accuracy"})
        QVERIFY2(values.at(share) >= 0 && values.at(share) <= 1, share);
      QVERIFY(values.at("rpn/positives") >= 1);
      QVERIFY(values.at("roi/positives") >= 1);  // the ground truth itself
      double matched = 0;
      for (const char* level : {"p2", "p3", "p4", "p5", "p6"})
        matched += values.at(std::string("rpn/matched/") + level);
      QVERIFY(matched >= values.at("rpn/positives"));
    }
  }

 private:
  std::filesystem::path path(const std::string& name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }
  std::filesystem::path shapes() const { return path("shapes"); }
  /// Statistics of parameters after each second one.
  config::Experiment fourSteps() const {
    config::Experiment experiment = tests::smallExperiment(shapes(), 4);
    experiment.monitor.tensorStatsEvery = config::Duration{2};
    experiment.solver.emaDecay = 0.5;  // the checkpoint's model has the average
    experiment.checkpoint.every = {1};
    return experiment;
  }

  QTemporaryDir folder_;
  std::unique_ptr<Session> whole_;
};

LOCKSTEP_TEST(TstTensorStatistics)
#include "tst_tensor_statistics.moc"
