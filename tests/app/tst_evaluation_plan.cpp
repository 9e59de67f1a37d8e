#include <QTest>

#include "app/models/evaluation_plan.h"
#include "tests/support/test_main.h"

using lockstep::app::EvaluationPlan;

class TstEvaluationPlan : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void figuresSayOfWhichImagesStepAndLimitTheyAre() {
    EvaluationPlan plan;
    plan.mostDetections = 600;
    QCOMPARE(apScopeText(plan, 1200),
             QStringLiteral("AP of masks (mean over IoU 0.50 to 0.95) at step 1200,\n"
                            "of all held-out images.\n"
                            "AP counts only the 600 highest-scoring detections per class and image "
                            "(evaluation.max_dets)."));
    QCOMPARE(heldOutLossScopeText(plan, 7),
             QStringLiteral("Held-out loss (loss_total, the weighted sum) at step 7,\n"
                            "mean over all held-out images."));
    plan.hasMasks = false;
    QVERIFY(apScopeText(plan, 1).startsWith(QStringLiteral("AP of boxes")));
    plan.maxImages = 50;
    const QString some = QStringLiteral("the first 50 held-out images (evaluation.max_images).");
    QVERIFY(apScopeText(plan, 1).contains(some));
    QVERIFY(heldOutLossScopeText(plan, 1).endsWith(some));
  }

  void anUnknownLimitIsNotSaid() {
    QVERIFY(apScopeText(EvaluationPlan(), 1).endsWith(QStringLiteral("of all held-out images.")));
  }

  void whyThereIsNoApIsSaid() {
    EvaluationPlan plan;
    QVERIFY(noApText(plan, false).contains(QStringLiteral("yet")));
    QVERIFY(noApText(plan, true).contains(QStringLiteral("ended")));
    plan.hasAp = false;
    QVERIFY(noApText(plan, true).contains(QStringLiteral("evaluation.ap_every")));
    plan.hasHeldOut = false;
    QVERIFY(noApText(plan, true).contains(QStringLiteral("dataset.val")));
  }
};

LOCKSTEP_TEST(TstEvaluationPlan)
#include "tst_evaluation_plan.moc"
