#include <QTest>
#include <algorithm>

#include "tests/support/test_main.h"
#include "widgets/config_editor/derived_facts.h"
#include "widgets/config_editor/learning_rate_curve.h"

using namespace lockstep;
using namespace lockstep::widgets;

namespace {

QString valueOf(const DerivedFacts& derived, const char* name) {
  for (const DerivedFacts::Fact& fact : derived.facts) {
    if (fact.name == QLatin1String(name))
      return QString(fact.value).replace(QChar(0x2009), QLatin1Char(' '));
  }
  return {};
}

config::Experiment small() {
  config::Experiment experiment;
  experiment.solver.maxSteps = {400};
  experiment.solver.batchSize = 2;
  experiment.solver.schedule = "cosine";
  experiment.solver.warmupSteps = {50};
  experiment.evaluation.lossEvery = {100};
  experiment.evaluation.apEvery = {150};
  experiment.checkpoint.every = {100};
  return experiment;
}

}  // namespace

class TstDerivedFacts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void stepsAreEpochsOnceTheImagesAreKnown() {
    QCOMPARE(valueOf(deriveFacts(small(), {}), "length"), QStringLiteral("400 steps"));
    QCOMPARE(valueOf(deriveFacts(small(), {60, 12}), "length"),
             QStringLiteral("400 steps = 13.33 epochs of 60 images"));
  }

  void epochsAreStepsOnceTheImagesAreKnown() {
    config::Experiment experiment = small();
    experiment.solver.maxSteps = {12, config::Duration::Unit::Epochs};
    QCOMPARE(valueOf(deriveFacts(experiment, {60, 12}), "length"),
             QStringLiteral("360 steps = 12 epochs of 60 images"));
    QCOMPARE(valueOf(deriveFacts(experiment, {}), "length"), QStringLiteral("12 epochs"));
    QVERIFY(!planSteps(experiment, {}).isExact);
    QCOMPARE(planSteps(experiment, {60, 12}).maxSteps(), std::int64_t{360});
  }

  void theLastStepIsAlwaysDone() {
    QCOMPARE(timesDone(100, 400), std::int64_t{4});
    QCOMPARE(timesDone(150, 400), std::int64_t{3});
    QCOMPARE(timesDone(0, 400), std::int64_t{1});
    QCOMPARE(timesDone(1000, 400), std::int64_t{1});
    QCOMPARE(valueOf(deriveFacts(small(), {60, 12}), "evaluations"),
             QStringLiteral("loss 4 (every 100), AP 3 (every 150)"));
  }

  void aRateThatNeverFallsIsWarnedOf() {
    config::Experiment experiment = small();
    QVERIFY(deriveFacts(experiment, {}).warnings.empty());
    experiment.solver.schedule = "step";
    QCOMPARE(deriveFacts(experiment, {}).warnings.size(), std::size_t{1});
    QVERIFY(deriveFacts(experiment, {}).warnings[0].contains(QStringLiteral("never falls")));
    experiment.solver.warmupSteps = {400};  // the last update has the full rate
    QCOMPARE(deriveFacts(experiment, {}).warnings.size(), std::size_t{1});
    experiment.solver.warmupSteps = {401};
    QCOMPARE(deriveFacts(experiment, {}).warnings.size(), std::size_t{2});
  }

  // torch.optim.lr_scheduler.LinearLR(start_factor=f, total_iters=n): f + (1 - f) * min(t, n) / n;
  // torchvision's n is one less than the steps of the warm-up.
  void theCurveWarmsUpAsTorchvisionDoes() {
    config::Experiment experiment = small();
    experiment.solver.schedule = "constant";
    experiment.solver.warmupFactor = 0.001;
    LearningRateCurve curve;
    for (const int warmup : {0, 1, 2, 50, 101}) {
      experiment.solver.warmupSteps = {static_cast<double>(warmup)};
      curve.setPlan(planSteps(experiment, {}));
      const double iterations = std::max(1, warmup - 1);
      for (const QPointF& point : curve.points()) {
        const double done = warmup < 2 ? iterations : std::min(point.x() - 1, iterations);
        QCOMPARE(point.y(), 0.02 * (0.001 + 0.999 * done / iterations));
      }
      QCOMPARE(curve.points().size(), std::size_t{400});  // every step has its point
    }
  }

  void theCurveShowsBothSidesOfEveryJump() {
    config::Experiment experiment;  // 90 000 steps, falling at 60 000 and 80 000
    LearningRateCurve curve;
    curve.setPlan(planSteps(experiment, {}));
    const auto rateAt = [&](double step) {
      for (const QPointF& point : curve.points()) {
        if (point.x() == step) return point.y();
      }
      return -1.0;
    };
    QCOMPARE(rateAt(60000), 0.02);
    QCOMPARE(rateAt(60001), 0.02 * 0.1);
    QCOMPARE(curve.points().front(), QPointF(1, 0.02 * 0.001));
    QCOMPARE(curve.points().back().x(), 90000.0);
    curve.resize(240, 120);
    curve.grab();
  }
};

LOCKSTEP_TEST(TstDerivedFacts)
#include "tst_derived_facts.moc"
