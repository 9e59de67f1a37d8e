#include <QTest>
#include <limits>

#include "engine/supervisor/training_progress.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using supervisor::TrainingProgress;

namespace {

protocol::Scalars step(std::int64_t number, float loss, float seconds = 0.5f, float rate = 4) {
  return {0,
          number,
          0,
          {{"train/loss_total", loss},
           {"solver/lr", 0.02f},
           {"time/step_seconds", seconds},
           {"time/images_per_second", rate}}};
}

}  // namespace

class TstTrainingProgress : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void lineIsDueOnceALogIntervalAndAtTheEnd() {
    TrainingProgress progress(45, 20);
    QVERIFY(!progress.dueLine());
    for (int i = 1; i <= 45; ++i) {
      progress.add(step(i, 1.5f));
      QCOMPARE(progress.dueLine().has_value(), i == 20 || i == 40 || i == 45);
    }
  }

  void lineHasEveryValue() {
    TrainingProgress progress(400, 20);
    for (int i = 1; i <= 120; ++i) progress.add(step(i, 0.25f));
    QCOMPARE(
        *progress.dueLine(),
        std::string(
            "step=120 max_steps=400 loss_total=0.25 lr=0.02 images_per_second=4 eta_seconds=140"));
    QCOMPARE(progress.statusText(),
             std::string("step 120/400  loss 0.25  lr 0.02  4.0 images/s  2:20 left"));
  }

  void headsHaveTheirLosses() {
    TrainingProgress progress(10, 1);
    protocol::Scalars scalars = step(1, 0.75f);
    scalars.values.emplace_back("train/loss_rpn_box_reg", 0.5f);
    scalars.values.emplace_back("train/loss_mask", 0.25f);
    progress.add(scalars);
    QVERIFY2(progress.dueLine()->ends_with(" loss_mask=0.25 loss_rpn_box_reg=0.5"),
             progress.dueLine()->c_str());
    progress.add(step(2, 0.75f));  // those of a step are not told again
    QVERIFY(progress.dueLine()->find("loss_mask") == std::string::npos);
  }

  void nonFiniteLossIsPrintedAsText() {
    TrainingProgress progress(10, 1);
    progress.add(step(1, std::numeric_limits<float>::quiet_NaN()));
    QVERIFY(progress.dueLine()->find("loss_total=NaN ") != std::string::npos);
    progress.add(step(2, std::numeric_limits<float>::infinity()));
    QVERIFY(progress.dueLine()->find("loss_total=Infinity ") != std::string::npos);
  }

  void rateFollowsTheLastSteps() {
    TrainingProgress progress(1000, 1);
    progress.add(step(1, 1, 10, 0.2f));  // the first step warms up
    for (int i = 2; i <= 200; ++i) progress.add(step(i, 1, 0.5f, 4));
    QVERIFY(std::abs(progress.imagesPerSecond() - 4) < 0.01);
    QVERIFY(std::abs(progress.etaSeconds() - 400) < 1);
  }

  void evaluationHasItsOwnLine() {
    const protocol::Scalars scalars{
        0, 200, 0, {{"eval/loss_total", 0.5f}, {"eval/segm/AP", 0.25f}, {"eval/bbox/AP", 0.125f}}};
    QCOMPARE(supervisor::evaluationLine(scalars),
             std::string("evaluation step=200 loss_total=0.5 segm/AP=0.25 bbox/AP=0.125"));
    QCOMPARE(supervisor::evaluationLine(
                 {0, 200, 0, {{"eval/loss_total", 0.5f}, {"eval/loss_box_reg", 0.25f}}}),
             std::string("evaluation step=200 loss_total=0.5 loss_box_reg=0.25"));
    QCOMPARE(supervisor::evaluationLine(step(1, 1)), std::string());
  }

  void durationsAreFormatted_data() {
    QTest::addColumn<double>("length");
    QTest::addColumn<QString>("text");
    QTest::newRow("seconds") << 5.4 << "0:05";
    QTest::newRow("minutes") << 70.0 << "1:10";
    QTest::newRow("hours") << 7384.0 << "2:03:04";
    QTest::newRow("days") << 273600.0 << "3 d 4 h";
    QTest::newRow("negative") << -3.0 << "0:00";
  }
  void durationsAreFormatted() {
    QFETCH(double, length);
    QFETCH(QString, text);
    QCOMPARE(supervisor::durationText(length), text.toStdString());
  }
};

LOCKSTEP_TEST(TstTrainingProgress)
#include "tst_training_progress.moc"
