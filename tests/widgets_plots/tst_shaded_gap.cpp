#include <QTest>

#include "tests/support/test_main.h"
#include "widgets/curves/shaded_gap.h"

using namespace lockstep::widgets;

class TstShadedGap : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// The validation loss falls from 3 to 2 at step 10 and rises to 3 again; the training loss is 1.
  void theGapIsSplitAtTheLowest() {
    CurveSamples heldOut, training;
    heldOut.raw = {{0, 3}, {10, 2}, {20, 3}};
    training.raw = {{0, 1}, {20, 1}};
    const ShadedGap gap = shadedGap(heldOut, training, 10.0);
    QVERIFY(gap.intervalAt(5, 2) == ShadedGap::UntilLowest);
    QVERIFY(gap.intervalAt(15, 2) == ShadedGap::SinceLowest);
    QVERIFY(!gap.intervalAt(5, 0.5) && !gap.intervalAt(5, 2.9) && !gap.intervalAt(25, 2));
  }

  void sinceTheLowestOnlyHeldOutAboveTrainingIsShaded() {
    CurveSamples heldOut, training;
    heldOut.raw = {{0, 1}, {20, 1}};
    training.raw = {{0, 2}, {20, 2}};
    QVERIFY(shadedGap(heldOut, training, 20.0).intervalAt(10, 1.5) == ShadedGap::UntilLowest);
    QVERIFY(!shadedGap(heldOut, training, 0.0).intervalAt(10, 1.5));
  }

  void linesThatDoNotOverlapHaveNoGap() {
    CurveSamples heldOut, training;
    heldOut.raw = {{0, 1}, {5, 1}};
    training.raw = {{10, 2}, {20, 2}};
    QVERIFY(shadedGap(heldOut, training, {}).bands[ShadedGap::UntilLowest].top.empty());
  }
};

LOCKSTEP_TEST(TstShadedGap)
#include "tst_shaded_gap.moc"
