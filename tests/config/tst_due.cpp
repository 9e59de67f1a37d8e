#include <QTest>

#include "engine/config/due.h"
#include "tests/support/test_main.h"

using namespace lockstep;

namespace {

/// Asks for every step, as the trainer does.
config::TimesDue counted(const config::Experiment& experiment) {
  config::TimesDue times;
  const auto last = static_cast<std::int64_t>(experiment.solver.maxSteps.count);
  for (std::int64_t step = 1; step <= last; ++step) {
    const config::Due due = config::dueAfter(experiment, step, step == last);
    times.log += due.log;
    times.losses += due.losses;
    times.averagePrecision += due.averagePrecision;
    times.predictions += due.predictions;
    times.checkpoint += due.checkpoint;
  }
  return times;
}

config::Experiment experimentOf(double maxSteps, double lossEvery, double apEvery) {
  config::Experiment experiment;
  experiment.dataset.val = {"/images", "/annotations.json"};
  experiment.solver.maxSteps = {maxSteps};
  experiment.evaluation.lossEvery = {lossEvery};
  experiment.evaluation.apEvery = {apEvery};
  experiment.checkpoint.every = {30};
  experiment.monitor.logEvery = {20};
  experiment.monitor.predictionsEvery = {25};
  return experiment;
}

}  // namespace

class TstDue : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aHeldOutLossIsMeasuredAtEveryAp() {
    const config::TimesDue times = config::timesDue(experimentOf(80, 10, 5));
    QCOMPARE(times.losses, std::int64_t{16});
    QCOMPARE(times.averagePrecision, std::int64_t{16});
  }

  void withoutHeldOutDataNothingOfThemIsDue() {
    config::Experiment experiment = experimentOf(80, 10, 5);
    experiment.dataset.val = {};
    const config::TimesDue times = config::timesDue(experiment);
    QCOMPARE(times.losses, std::int64_t{0});
    QCOMPARE(times.averagePrecision, std::int64_t{0});
    QCOMPARE(times.predictions, std::int64_t{0});
    QCOMPARE(times.checkpoint, std::int64_t{3});
    QCOMPARE(times.log, counted(experiment).log);
  }

  void theCountEqualsALoopOverAllSteps_data() {
    QTest::addColumn<double>("maxSteps");
    QTest::addColumn<double>("lossEvery");
    QTest::addColumn<double>("apEvery");
    const auto row = [](double maxSteps, double lossEvery, double apEvery) {
      QTest::addRow("%g steps, loss %g, AP %g", maxSteps, lossEvery, apEvery)
          << maxSteps << lossEvery << apEvery;
    };
    row(400, 100, 150);
    row(400, 0, 150);
    row(400, 100, 0);
    row(400, 0, 0);
    row(400, 1000, 1000);
    row(97, 6, 4);
    row(1, 1, 1);
  }
  void theCountEqualsALoopOverAllSteps() {
    QFETCH(double, maxSteps);
    QFETCH(double, lossEvery);
    QFETCH(double, apEvery);
    const config::Experiment experiment = experimentOf(maxSteps, lossEvery, apEvery);
    const config::TimesDue times = config::timesDue(experiment), expected = counted(experiment);
    QCOMPARE(times.log, expected.log);
    QCOMPARE(times.losses, expected.losses);
    QCOMPARE(times.averagePrecision, expected.averagePrecision);
    QCOMPARE(times.predictions, expected.predictions);
    QCOMPARE(times.checkpoint, expected.checkpoint);
  }

  void intervalsBeyondEveryTrainingAreCountedToo() {
    const config::TimesDue times = config::timesDue(experimentOf(9e15, 8e15, 7e15));
    QCOMPARE(times.losses, std::int64_t{3});
    QCOMPARE(times.averagePrecision, std::int64_t{2});
  }
};

LOCKSTEP_TEST(TstDue)
#include "tst_due.moc"
