#include <QTest>

#include "engine/config/duration.h"
#include "engine/config/load.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using config::Duration;

class TstDuration : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void durationsBecomeSteps_data() {
    QTest::addColumn<double>("count");
    QTest::addColumn<int>("unit");
    QTest::addColumn<int>("images");
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("steps");
    const int steps = 0, epochs = 1, images = 2;
    QTest::newRow("steps stay") << 200.0 << steps << 60 << 2 << 200;
    QTest::newRow("zero is never") << 0.0 << epochs << 60 << 2 << 0;
    QTest::newRow("epochs") << 12.0 << epochs << 60 << 2 << 360;
    QTest::newRow("an incomplete batch is a step") << 1.0 << epochs << 61 << 2 << 31;
    QTest::newRow("images") << 20000.0 << images << 60 << 16 << 1250;
    QTest::newRow("images rounded up") << 17.0 << images << 60 << 16 << 2;
    QTest::newRow("at least one step") << 0.001 << epochs << 60 << 2 << 1;
    QTest::newRow("no images") << 3.0 << epochs << 0 << 2 << 1;
    QTest::newRow("doubles do not add a step") << 0.1 << epochs << 60 << 2 << 3;
    QTest::newRow("nor a third") << 0.7 << epochs << 10 << 1 << 7;
  }
  void durationsBecomeSteps() {
    QFETCH(double, count);
    QFETCH(int, unit);
    QFETCH(int, images);
    QFETCH(int, batch);
    QFETCH(int, steps);
    const Duration duration{count, static_cast<Duration::Unit>(unit)};
    QCOMPARE(duration.steps(images, batch), std::int64_t{steps});
  }

  void everyDurationOfAnExperimentIsResolved() {
    config::Experiment experiment;
    const Duration epoch{1, Duration::Unit::Epochs};
    experiment.solver.batchSize = 4;
    experiment.solver.milestones = {{2, Duration::Unit::Epochs}, {200, Duration::Unit::Images}};
    experiment.solver.warmupSteps = experiment.solver.maxSteps = epoch;
    experiment.evaluation.lossEvery = experiment.evaluation.apEvery = epoch;
    experiment.checkpoint.every = experiment.monitor.logEvery = epoch;
    experiment.monitor.tensorStatsEvery = experiment.monitor.predictionsEvery = epoch;
    config::resolveDurations(experiment, 100);
    const std::string text = config::writeExperiment(experiment);
    QVERIFY(text.find("epoch") == std::string::npos);
    QVERIFY(text.find("[50, 50]") != std::string::npos);
    QCOMPARE(experiment.solver.maxSteps, (Duration{25}));
    QCOMPARE(experiment.monitor.predictionsEvery, (Duration{25}));
  }
};

LOCKSTEP_TEST(TstDuration)

#include "tst_duration.moc"
