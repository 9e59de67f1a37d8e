#include <QTest>

#include "engine/supervisor/stall_watch.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using std::chrono::seconds;
using supervisor::StallWatch;

class TstStallWatch : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void silenceIsAStall() {
    const StallWatch::Clock::time_point start{};
    const StallWatch watch({seconds(10), seconds(6)}, start);
    QVERIFY(!watch.isStalled(start + seconds(9)));
    QVERIFY(watch.isStalled(start + seconds(11)));
  }

  void heartbeatsOfOneStepThatStaysAreAStall_data() {
    QTest::addColumn<QString>("phase");
    QTest::addColumn<bool>("stalls");
    for (const char* phase : {"data", "forward", "backward", "optimizer"})
      QTest::newRow(phase) << phase << true;
    for (const char* phase : {"loading", "evaluating", "predicting", "checkpoint", "paused"}) {
      QTest::newRow(phase) << phase << false;
    }
  }
  void heartbeatsOfOneStepThatStaysAreAStall() {
    QFETCH(QString, phase);
    QFETCH(bool, stalls);
    const StallWatch::Clock::time_point start{};
    StallWatch watch({seconds(10), seconds(6)}, start);
    for (int second = 1; second <= 30; ++second) {
      watch.note({0, 5, phase.toStdString(), ""}, start + seconds(second));
    }
    QCOMPARE(watch.isStalled(start + seconds(30)), stalls);
  }

  void movingStepsAreNone() {
    const StallWatch::Clock::time_point start{};
    StallWatch watch({seconds(10), seconds(6)}, start);
    for (int second = 1; second <= 100; ++second) {
      watch.note({0, second / 8, second % 2 != 0 ? "forward" : "forward", ""},
                 start + seconds(second));
      QVERIFY(!watch.isStalled(start + seconds(second)));
    }
  }

  void workCountsAsMovement() {
    const StallWatch::Clock::time_point start{};
    StallWatch watch({seconds(10), seconds(6)}, start);
    watch.note({0, 5, "forward", ""}, start);
    watch.noteWork(start + seconds(8));
    watch.note({0, 5, "forward", ""}, start + seconds(15));
    QVERIFY(!watch.isStalled(start + seconds(17)));
    QVERIFY(watch.isStalled(start + seconds(19)));
  }

  void limitOfZeroIsNever() {
    const StallWatch::Clock::time_point start{};
    const StallWatch watch({seconds(0), seconds(6)}, start);
    QVERIFY(!watch.isStalled(start + std::chrono::hours(1000)));
  }
};

LOCKSTEP_TEST(TstStallWatch)
#include "tst_stall_watch.moc"
