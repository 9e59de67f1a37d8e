#include <QTest>
#include <cmath>
#include <functional>
#include <numbers>

#include "engine/base/error.h"
#include "engine/config/learning_rate_schedule.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using config::Schedule;

namespace {

config::SolverConfig solverConfig(config::Schedule schedule, double maxSteps,
                                  double warmupSteps = 0) {
  config::SolverConfig config;
  config.baseLr = 0.02;
  config.schedule = schedule;
  config.maxSteps = {maxSteps};
  config.warmupSteps = {warmupSteps};
  config.warmupFactor = 0.02;
  config.milestones = {{6}, {8}};
  return config;
}

void compare(double actual, double expected) {
  QVERIFY2(
      std::abs(actual - expected) <= 1e-15,
      qPrintable(QStringLiteral("%1 is not %2").arg(actual, 0, 'g', 17).arg(expected, 0, 'g', 17)));
}

}  // namespace

class TstLearningRateSchedule : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyUpdateHasTheRateOfTheStepsDoneBefore_data() {
    QTest::addColumn<config::Schedule>("schedule");
    QTest::addColumn<QList<double>>("expected");  // times base_lr, of updates 1 … 10
    QTest::newRow("constant") << Schedule::Constant << QList<double>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    QTest::newRow("linear") << Schedule::Linear
                            << QList<double>{1, .9, .8, .7, .6, .5, .4, .3, .2, .1};
    // A milestone counts once its steps are done, as in MultiStepLR: update 7 is the first after 6
    // steps.
    QTest::newRow("step") << Schedule::Step << QList<double>{1, 1, 1, 1, 1, 1, .1, .1, .01, .01};
    QList<double> cosine;
    for (int done = 0; done < 10; ++done)
      cosine << 0.5 * (1 + std::cos(std::numbers::pi * done / 10));
    QTest::newRow("cosine") << Schedule::Cosine << cosine;
  }
  void everyUpdateHasTheRateOfTheStepsDoneBefore() {
    QFETCH(config::Schedule, schedule);
    QFETCH(QList<double>, expected);
    const config::LearningRateSchedule rates(solverConfig(schedule, 10));
    for (int i = 0; i < expected.size(); ++i)
      compare(rates.learningRate(i + 1), 0.02 * expected[i]);
  }

  // The loop of the torchvision peer: w = min(1, (it + 1) / 50), lr * w * 0.5 (1 + cos(pi it /
  // iters)).
  void theCpuPresetHasTheRatesOfItsPeer() {
    const config::LearningRateSchedule rates(solverConfig(Schedule::Cosine, 400, 50));
    for (int it = 0; it < 400; ++it) {
      const double warm = std::min(1.0, (it + 1) / 50.0);
      compare(rates.learningRate(it + 1),
              0.02 * warm * 0.5 * (1 + std::cos(std::numbers::pi * it / 400)));
    }
  }

  // torch.optim.lr_scheduler.LinearLR(start_factor=f, total_iters=n): f + (1 - f) * min(t, n) / n;
  // here n = warmup - 1.
  void warmUpIsTorchsLinearRampOverOneStepLess() {
    config::SolverConfig config = solverConfig(Schedule::Constant, 1000, 101);
    config.warmupFactor = 0.001;
    const config::LearningRateSchedule rates(config);
    for (int done = 0; done < 130; ++done) {
      compare(rates.learningRate(done + 1), 0.02 * (0.001 + 0.999 * std::min(done, 100) / 100.0));
    }
  }

  void noWarmUpBeginsAtFullRate() {
    for (double steps : {0.0, 1.0}) {
      compare(
          config::LearningRateSchedule(solverConfig(Schedule::Constant, 10, steps)).learningRate(1),
          0.02);
    }
  }

  void aSweepRisesByTheSameFactorEveryStep() {
    const config::LearningRateSchedule rates(config::LearningRateSweep{1e-6, 10, 15});
    for (int done = 0; done < 15; ++done) {
      const double expected = std::pow(10, -6 + 0.5 * done);
      QVERIFY(std::abs(rates.learningRate(done + 1) / expected - 1) < 1e-12);
    }
    QCOMPARE(config::LearningRateSchedule(config::LearningRateSweep{1e-6, 10, 1}).learningRate(1),
             1e-6);
  }

  void durationsMustBeSteps() {
    config::SolverConfig config = solverConfig(Schedule::Cosine, 10);
    config.maxSteps = {2, config::Duration::Unit::Epochs};
    QVERIFY_EXCEPTION_THROWN(config::LearningRateSchedule{config}, Error);
  }
};

LOCKSTEP_TEST(TstLearningRateSchedule)
#include "tst_learning_rate_schedule.moc"
