#include <QTest>

#include "app/predictions/prediction_steps.h"
#include "tests/support/test_main.h"

using lockstep::app::PredictionSteps;

class TstPredictionSteps : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theNewestUsableStepIsOpened_data() {
    QTest::addColumn<std::vector<std::int64_t>>("stored");
    QTest::addColumn<std::vector<std::int64_t>>("kept");
    QTest::addColumn<qint64>("opened");
    using Steps = std::vector<std::int64_t>;
    QTest::newRow("none") << Steps{} << Steps{} << qint64{0};
    QTest::newRow("stored and kept") << Steps{10, 20} << Steps{20, 30} << qint64{20};
    QTest::newRow("never both") << Steps{10} << Steps{20, 30} << qint64{30};
    QTest::newRow("no checkpoint is kept") << Steps{10, 20} << Steps{} << qint64{20};
  }
  void theNewestUsableStepIsOpened() {
    QFETCH(std::vector<std::int64_t>, stored);
    QFETCH(std::vector<std::int64_t>, kept);
    QTEST(PredictionSteps(stored, kept).initialStep(), "opened");
  }

  void aStepWithoutPredictionsGivesThePreviousOne() {
    PredictionSteps steps({10, 30}, {20});
    QCOMPARE(steps.all(), (std::vector<qint64>{10, 20, 30}));
    QCOMPARE(steps.atOrBefore(25), qint64{20});
    QCOMPARE(steps.atOrBefore(30), qint64{30});
    QCOMPARE(steps.atOrBefore(5), qint64{10});
    steps.forgetAfter(20);
    QCOMPARE(steps.atOrBefore(100), qint64{20});
  }
};

LOCKSTEP_TEST(TstPredictionSteps)
#include "tst_prediction_steps.moc"
