#include "tests/support/test_main.h"
#include "tests/widgets_image_view/predictions_view_bench.h"
#include "widgets/image_view/checkpoint_curve.h"

using namespace lockstep;
using namespace lockstep::widgets;

class TstCheckpointCurve : public QObject, protected tests::PredictionsViewBench {
  Q_OBJECT

 private:
  CheckpointCurve* curve() { return view_->findChild<CheckpointCurve*>(); }
  QPoint at(qint64 step) { return {static_cast<int>(curve()->xOf(step)), curve()->height() / 2}; }

 private Q_SLOTS:
  void init() {
    openPage();
    view_->setHeldOutCurves({{0, 2.0}, {10, 1.0}, {20, 0.5}, {30, 0.75}}, {{10, 0.1}, {30, 0.4}});
    QVERIFY(curve()->isVisible());
  }

  void aDragOverItGoesThroughTheCheckpoints() {
    QSignalSpy chosen(view_.get(), &PredictionsView::checkpointChosen);
    QTest::mousePress(curve(), Qt::LeftButton, {}, at(20));
    QCOMPARE(view_->currentCheckpoint(), qint64{20});
    QTest::mouseMove(curve(), at(21));  // nearer to that one still
    QCOMPARE(chosen.count(), 1);
    QTest::mouseMove(curve(), at(28));
    QCOMPARE(view_->currentCheckpoint(), qint64{30});
    QTest::mouseMove(curve(), at(1));  // before the first one
    QCOMPARE(view_->currentCheckpoint(), qint64{10});
    QTest::mouseRelease(curve(), Qt::LeftButton, {}, at(1));
    QTest::mouseMove(curve(), at(30));  // without a button
    QCOMPARE(view_->currentCheckpoint(), qint64{10});
    QCOMPARE(chosen.count(), 3);
  }

  void itSpeaksTheValuesAtTheCheckpoint() {
    QCOMPARE(curve()->spokenValue(),
             QStringLiteral("step 10: validation loss 1.000, mask AP 0.100"));
    QTest::keyClick(view_.get(), Qt::Key_Period);
    QCOMPARE(curve()->spokenValue(),
             QStringLiteral("step 20: validation loss 0.500, mask AP 0.100 (step 10)"));
  }

  void withoutTwoEvaluationsThereIsNoCurve() {
    view_->setHeldOutCurves({{10, 1.0}}, {});
    QVERIFY(!curve()->isVisible());
  }
};

LOCKSTEP_TEST(TstCheckpointCurve)
#include "tst_checkpoint_curve.moc"
