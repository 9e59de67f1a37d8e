#include <QTest>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "engine/config/load.h"
#include "engine/config/lr_range_test.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using config::LearningRateSuggestion;
using config::RangeTest;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

using Loss = std::function<double(double learningRate)>;

/// Falls from 4 to 1 around 2e-4, and has risen to 1.4 at 0.019.
double fallAndRise(double learningRate) {
  return 1 + 3 / (1 + learningRate / 1e-4) + std::pow(learningRate / 0.03, 2);
}

/// The test with these losses, until it has diverged. noise: standard deviation of their logarithm.
RangeTest testOf(const Loss& loss, double noise = 0, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  const config::LearningRateSchedule rates(config::rangeTestSweep(config::kRangeTestSteps));
  RangeTest test;
  for (int step = 1; step <= config::kRangeTestSteps && !test.hasDiverged(); ++step) {
    const double rate = rates.learningRate(step);
    const auto value = static_cast<float>(loss(rate) * std::exp(noise * normal(generator)));
    test.add(static_cast<float>(rate), value, std::isfinite(value));
  }
  return test;
}

LearningRateSuggestion suggestionOf(const RangeTest& test) {
  return config::suggestLearningRates(test.steps()).value();
}

void compareWithin(double factor, double actual, double expected) {
  QVERIFY2(actual <= factor * expected && actual >= expected / factor,
           qPrintable(QStringLiteral("%1 is not %2").arg(actual).arg(expected)));
}

}  // namespace

class TstLrRangeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aCleanCurveIsReadWhereItFallsAndRises() {
    const RangeTest test = testOf(fallAndRise);
    const LearningRateSuggestion suggestion = suggestionOf(test);
    compareWithin(1.4, suggestion.baseLr, 0.019 / 2);
    compareWithin(1.4, suggestion.steepest, 2e-4);  // where the logarithm has fallen by half
    QVERIFY(test.hasDiverged());
    QCOMPARE(*suggestion.diverges, static_cast<double>(test.steps().back().learningRate));
    compareWithin(2, *suggestion.diverges, 0.1);
  }

  void noiseMovesThemByLessThanAFactorOf2() {
    const LearningRateSuggestion clean = suggestionOf(testOf(fallAndRise));
    for (unsigned seed = 1; seed <= 50; ++seed) {
      const LearningRateSuggestion noisy = suggestionOf(testOf(fallAndRise, 0.25, seed));
      compareWithin(2, noisy.baseLr, clean.baseLr);
      compareWithin(2, noisy.steepest, clean.steepest);
      compareWithin(2, noisy.diverges.value(), *clean.diverges);
    }
  }

  void aCurveThatNeverDivergesIsReadAtItsMinimum() {
    const RangeTest test = testOf([](double rate) {
      return 1 + 3 / (1 + rate / 1e-4) + 0.3 * std::abs(std::log10(rate / 0.1));
    });
    QVERIFY(!test.hasDiverged());
    QCOMPARE(test.steps().size(), static_cast<std::size_t>(config::kRangeTestSteps));
    const LearningRateSuggestion suggestion = suggestionOf(test);
    QVERIFY(!suggestion.diverges);
    QVERIFY(suggestion.baseLr > 0.1);
    const LearningRateSuggestion falling =
        suggestionOf(testOf([](double rate) { return 1 + 3 / (1 + rate / 1e-4); }));
    QVERIFY(!falling.diverges);
    QVERIFY(falling.text().ends_with(" diverges=none"));
  }

  void aSuddenDivergenceKeepsItsDistance_data() {
    QTest::addColumn<float>("last");
    QTest::newRow("NaN") << kNaN;
    QTest::newRow("infinite") << kInfinity;
    QTest::newRow("large") << 1e9f;
  }
  void aSuddenDivergenceKeepsItsDistance() {
    QFETCH(float, last);
    const RangeTest test =
        testOf([=](double rate) { return rate < 0.05 ? 1 + 3 / (1 + rate / 1e-4) : last; });
    QVERIFY(test.hasDiverged());
    const LearningRateSuggestion suggestion = suggestionOf(test);
    compareWithin(1.13, suggestion.diverges.value(), 0.05);
    QVERIFY(suggestion.baseLr <= *suggestion.diverges / 8);
    QVERIFY(std::isfinite(suggestion.baseLr) && suggestion.baseLr > 0);
    compareWithin(2, suggestion.steepest, 2e-4);
  }

  void aGradientThatIsNotFiniteIsADivergence() {
    RangeTest test;
    for (int step = 1; step <= 20; ++step)
      test.add(1e-3f * static_cast<float>(step), 2.0f, /*isFinite=*/true);
    QVERIFY(!test.hasDiverged());
    test.add(0.5f, 2.0f, /*isFinite=*/false);
    QVERIFY(test.hasDiverged());
    QVERIFY(std::isnan(test.steps().back().smoothedLoss));
    QCOMPARE(suggestionOf(test).diverges.value(), 0.5);
  }

  void aTestThatDivergesAtOnceSuggestsNothing_data() {
    QTest::addColumn<int>("finiteSteps");
    QTest::addColumn<float>("loss");
    QTest::newRow("at the first step") << 0 << kNaN;
    QTest::newRow("NaN soon") << 3 << kNaN;
    QTest::newRow("infinite soon") << 3 << kInfinity;
    QTest::newRow("large soon") << 3 << 1e9f;
  }
  void aTestThatDivergesAtOnceSuggestsNothing() {
    QFETCH(int, finiteSteps);
    QFETCH(float, loss);
    int steps = 0;
    const RangeTest test = testOf([&](double) { return steps++ < finiteSteps ? 2.0f : loss; });
    QVERIFY(test.hasDiverged());
    QCOMPARE(test.steps().size(), static_cast<std::size_t>(finiteSteps + 1));
    QVERIFY(!config::suggestLearningRates(test.steps()));
    QVERIFY(!config::suggestLearningRates({}));
  }

  void aRangeTestRunsNoCommands() {
    config::Experiment experiment;
    experiment.monitor.onEvent = {"a", "b", "c"};
    QCOMPARE(config::rangeTestOf(experiment).monitor.onEvent, config::EventCommands());
  }

  void oneHighLossIsNoDivergence() {
    int step = 0;
    const RangeTest test = testOf([&](double) { return ++step == 50 ? 20.0 : 1.0; });
    QVERIFY(!test.hasDiverged());
  }

  void theExponentialAverageHasNoBiasAtItsStart() {
    RangeTest test;
    for (int step = 0; step < 3; ++step) {
      test.add(1e-3f, 2.0f, /*isFinite=*/true);
      QCOMPARE(test.steps().back().smoothedLoss, 2.0f);
    }
    test.add(1e-3f, 4.0f, /*isFinite=*/true);
    QVERIFY(test.steps().back().smoothedLoss > 2 && test.steps().back().smoothedLoss < 3);
  }

  void theTextHasThreeDigits() {
    QCOMPARE((LearningRateSuggestion{0.0190796, 1.1512e-5, 0.25}.text()),
             std::string("base_lr=0.0191 steepest=1.15e-05 diverges=0.25"));
    QCOMPARE((LearningRateSuggestion{1, 0.5, std::nullopt}.text()),
             std::string("base_lr=1 steepest=0.5 diverges=none"));
  }

  void itsExperimentIsValidAndTrainsTheSame() {
    config::Experiment experiment;
    experiment.dataset.val = {"/val", "/val.json"};
    experiment.solver.emaDecay = 0.99;
    experiment.solver.clipGradNorm = 10;
    experiment.evaluation.earlyStop.metric = "loss_total";
    const config::Experiment tested = config::rangeTestOf(experiment);
    QVERIFY(!tested.dataset.hasHeldOut());
    for (const config::ConfigIssue& issue : config::crossChecks(tested))
      QVERIFY2(!issue.key.starts_with("solver.") && !issue.key.starts_with("evaluation."),
               issue.text.c_str());
    QCOMPARE(tested.solver.maxSteps.steps(), config::kRangeTestSteps);
    QCOMPARE(tested.solver.warmupSteps.steps(), std::int64_t{0});
    for (const config::ConfigDifference& change : config::difference(experiment, tested)) {
      const bool isOfTraining =
          change.key.starts_with("model.") || change.key.starts_with("augment.") ||
          change.key.starts_with("runtime.") || change.key.starts_with("dataset.train");
      QVERIFY2(!isOfTraining, change.key.c_str());
    }
    QCOMPARE(tested.solver.batchSize, experiment.solver.batchSize);
    QCOMPARE(tested.solver.clipGradNorm, 10.0);
  }
};

LOCKSTEP_TEST(TstLrRangeTest)
#include "tst_lr_range_test.moc"
