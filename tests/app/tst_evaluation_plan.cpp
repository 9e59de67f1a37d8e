#include <QTest>

#include "app/runs/open/evaluation_plan.h"
#include "tests/support/test_main.h"

using lockstep::app::EvaluationPlan;

class TstEvaluationPlan : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void figuresSayOfWhichImagesStepAndLimitTheyAre() {
    EvaluationPlan plan;
    plan.mostDetections = 600;
    QCOMPARE(apScopeText(plan, 1200),
             QStringLiteral("Mask AP (mean over IoU 0.50 to 0.95) at step 1200,\n"
                            "on all validation images.\n"
                            "AP counts only the 600 highest-scoring detections per class and image "
                            "(evaluation.max_dets)."));
    QCOMPARE(heldOutLossScopeText(plan, 7),
             QStringLiteral("Validation loss (loss_total, the weighted sum) at step 7,\n"
                            "mean over all validation images."));
    plan.hasMasks = false;
    QVERIFY(apScopeText(plan, 1).startsWith(QStringLiteral("Box AP")));
    plan.maxImages = 50;
    const QString some = QStringLiteral("the first 50 validation images (evaluation.max_images).");
    QVERIFY(apScopeText(plan, 1).contains(some));
    QVERIFY(heldOutLossScopeText(plan, 1).endsWith(some));
  }

  void anUnknownLimitIsNotSaid() {
    QVERIFY(apScopeText(EvaluationPlan(), 1).endsWith(QStringLiteral("on all validation images.")));
  }

  void whyThereIsNoApIsSaid() {
    lockstep::run_folder::RunInfo running, ended;
    running.state = lockstep::protocol::RunState::Running;
    ended.state = lockstep::protocol::RunState::Stopped;
    EvaluationPlan plan;
    QCOMPARE(noApText(plan, running), QStringLiteral("No AP yet"));
    QVERIFY(noApText(plan, ended).contains(QStringLiteral("ended")));
    plan.apEvery = 0;
    QVERIFY(noApText(plan, ended).contains(QStringLiteral("evaluation.ap_every")));
    plan.hasHeldOut = false;
    QVERIFY(noApText(plan, ended).contains(QStringLiteral("dataset.val")));
  }

  void theFirstApIsAtTheNextEvaluationOrTheLastStep_data() {
    QTest::addColumn<int>("step");
    QTest::addColumn<int>("maxSteps");
    QTest::addColumn<int>("expected");
    QTest::newRow("before the first step") << 0 << 400 << 150;
    QTest::newRow("while it is evaluated") << 150 << 400 << 150;
    QTest::newRow("of a fork") << 151 << 400 << 300;
    QTest::newRow("at the last step") << 301 << 400 << 400;
    QTest::newRow("the last step is unknown") << 301 << 0 << 450;
  }
  void theFirstApIsAtTheNextEvaluationOrTheLastStep() {
    QFETCH(const int, step);
    QFETCH(const int, maxSteps);
    EvaluationPlan plan;
    plan.apEvery = 150;
    lockstep::run_folder::RunInfo info;
    info.step = step;
    info.maxSteps = maxSteps;
    QFETCH(const int, expected);
    QCOMPARE(noApText(plan, info), QStringLiteral("First AP at step %1").arg(expected));
  }
};

LOCKSTEP_TEST(TstEvaluationPlan)
#include "tst_evaluation_plan.moc"
