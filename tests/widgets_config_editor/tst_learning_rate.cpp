#include <QTest>
#include <cmath>
#include <numbers>

#include "tests/support/test_main.h"
#include "widgets/config_editor/learning_rate.h"

using namespace lockstep;
using widgets::learningRateAt;

namespace {

config::SolverConfig solver(const char* schedule) {
  config::SolverConfig made;
  made.schedule = schedule;
  made.baseLr = 0.1;
  made.warmupSteps = {0};
  made.maxSteps = {100};
  made.milestones = {{60}, {80}};
  return made;
}

}  // namespace

class TstLearningRate : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theWarmUpIsLinearFromItsFactor() {
    config::SolverConfig config = solver("constant");
    config.warmupSteps = {10};
    config.warmupFactor = 0.02;
    QCOMPARE(learningRateAt(config, 1), 0.1 * 0.02);
    QCOMPARE(learningRateAt(config, 6), 0.1 * 0.51);
    QCOMPARE(learningRateAt(config, 11), 0.1);
    QCOMPARE(learningRateAt(config, 100), 0.1);
  }

  void stepsFallAfterTheirMilestones() {
    const config::SolverConfig config = solver("step");
    QCOMPARE(learningRateAt(config, 60), 0.1);
    QCOMPARE(learningRateAt(config, 61), 0.1 * 0.1);
    QCOMPARE(learningRateAt(config, 80), 0.1 * 0.1);
    QCOMPARE(learningRateAt(config, 81), 0.1 * 0.1 * 0.1);
  }

  void cosineAndLinearFallToTheEnd() {
    QCOMPARE(learningRateAt(solver("cosine"), 1), 0.1);
    QCOMPARE(learningRateAt(solver("cosine"), 51),
             0.1 * 0.5 * (1 + std::cos(std::numbers::pi * 0.5)));
    QCOMPARE(learningRateAt(solver("linear"), 1), 0.1);
    QCOMPARE(learningRateAt(solver("linear"), 76), 0.1 * 0.25);
    QVERIFY(learningRateAt(solver("linear"), 100) > 0);
  }
};

LOCKSTEP_TEST(TstLearningRate)
#include "tst_learning_rate.moc"
