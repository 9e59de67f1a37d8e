#include <QTest>

#include "tests/support/test_main.h"
#include "widgets/curves/shaded_gap.h"

using namespace lockstep::widgets;

class TstShadedGap : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Held-out falls from 3 to 2 at step 10 and rises to 3 again, over training at 1.
  void theGapIsApartBeforeAndAfterTheLowest() {
    CurveSamples heldOut, training;
    heldOut.raw = {{0, 3}, {10, 2}, {20, 3}};
    training.raw = {{0, 1}, {20, 1}};
    const ShadedGap gap = shadedGap(heldOut, training, 10.0);
    QVERIFY(gap.partAt(5, 2) == ShadedGap::UntilLowest);
    QVERIFY(gap.partAt(15, 2) == ShadedGap::SinceLowest);
    QVERIFY(!gap.partAt(5, 0.5) && !gap.partAt(5, 2.9) && !gap.partAt(25, 2));
  }

  void sinceTheLowestOnlyHeldOutAboveTrainingIsShaded() {
    CurveSamples heldOut, training;
    heldOut.raw = {{0, 1}, {20, 1}};
    training.raw = {{0, 2}, {20, 2}};
    QVERIFY(shadedGap(heldOut, training, 20.0).partAt(10, 1.5) == ShadedGap::UntilLowest);
    QVERIFY(!shadedGap(heldOut, training, 0.0).partAt(10, 1.5));
  }

  void linesThatDoNotMeetHaveNoGap() {
    CurveSamples heldOut, training;
    heldOut.raw = {{0, 1}, {5, 1}};
    training.raw = {{10, 2}, {20, 2}};
    QVERIFY(shadedGap(heldOut, training, {}).bands[ShadedGap::UntilLowest].top.empty());
  }
};

LOCKSTEP_TEST(TstShadedGap)
#include "tst_shaded_gap.moc"
