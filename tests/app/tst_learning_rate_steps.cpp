#include <QTest>
#include <cmath>

#include "app/metrics/learning_rate_steps.h"
#include "app/metrics/metric_store.h"
#include "tests/support/test_main.h"

using lockstep::app::LearningRateSteps;
using lockstep::app::MetricStore;

class TstLearningRateSteps : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aStepScheduleHasItsMilestones() {
    MetricStore store;
    for (int step = 1; step <= 400; ++step)
      store.append(step, step,
                   {{"lr", step < 20    ? 0.001F * step
                           : step < 250 ? 0.02F
                           : step < 350 ? 0.002F
                                        : 0.0002F}});
    LearningRateSteps steps;
    QCOMPARE(steps.update(store.series("lr")), (std::vector<std::int64_t>{250, 350}));
  }

  void aCosineHasNone() {
    MetricStore store;
    for (int step = 0; step < 400; ++step)
      store.append(step, step, {{"lr", 0.01F * (1 + std::cos(3.14159265F * step / 400))}});
    LearningRateSteps steps;
    QVERIFY(steps.update(store.series("lr")).empty());
  }

  void newValuesAreReadAndCutOnesForgotten() {
    MetricStore store;
    LearningRateSteps steps;
    QVERIFY(steps.update(nullptr).empty());
    const auto add = [&](int from, int to, float rate) {
      for (int step = from; step <= to; ++step) store.append(step, step, {{"lr", rate}});
    };
    add(1, 10, 0.1F);
    QVERIFY(steps.update(store.series("lr")).empty());
    add(11, 12, 0.01F);
    QCOMPARE(steps.update(store.series("lr")), std::vector<std::int64_t>{11});
    store.cutAfter(9);
    QVERIFY(steps.update(store.series("lr")).empty());
    add(10, 14, 0.05F);
    QCOMPARE(steps.update(store.series("lr")), std::vector<std::int64_t>{10});
  }
};

LOCKSTEP_TEST(TstLearningRateSteps)
#include "tst_learning_rate_steps.moc"
