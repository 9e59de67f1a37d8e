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
    for (const char* phase :
         {"data", "forward", "backward", "optimizer", "evaluating", "predicting", "checkpoint"})
      QTest::newRow(phase) << phase << true;
    for (const char* phase : {"loading", "paused"}) QTest::newRow(phase) << phase << false;
  }
  void heartbeatsOfOneStepThatStaysAreAStall() {
    QFETCH(QString, phase);
    QFETCH(bool, stalls);
    const StallWatch::Clock::time_point start{};
    StallWatch watch({seconds(10), seconds(6)}, start);
    for (int second = 1; second <= 30; ++second) {
      watch.note({0, 5, base::OpenEnum<protocol::Phase>(phase.toStdString()), ""},
                 start + seconds(second));
    }
    QCOMPARE(watch.isStalled(start + seconds(30)), stalls);
  }

  void advancingStepsAreNoStall() {
    const StallWatch::Clock::time_point start{};
    StallWatch watch({seconds(10), seconds(6)}, start);
    for (int second = 1; second <= 100; ++second) {
      watch.note({0, second / 8, protocol::Phase::Forward, ""}, start + seconds(second));
      QVERIFY(!watch.isStalled(start + seconds(second)));
    }
  }

  void imagesOfAnEvaluationAreProgress() {
    const StallWatch::Clock::time_point start{};
    StallWatch watch({seconds(10), seconds(6)}, start);
    for (int second = 1; second <= 100; ++second) {
      watch.note({0, 5, protocol::Phase::Evaluating, "", false, std::min(second, 60) / 8},
                 start + seconds(second));
      QCOMPARE(watch.isStalled(start + seconds(second)), second > 66);
    }
  }

  void workCountsAsProgress() {
    const StallWatch::Clock::time_point start{};
    StallWatch watch({seconds(10), seconds(6)}, start);
    watch.note({0, 5, protocol::Phase::Forward, ""}, start);
    watch.noteWork(start + seconds(8));
    watch.note({0, 5, protocol::Phase::Forward, ""}, start + seconds(15));
    QVERIFY(!watch.isStalled(start + seconds(17)));
    QVERIFY(watch.isStalled(start + seconds(19)));
  }

  void silenceCountsAfterTheFirstHeartbeat() {
    const StallWatch::Clock::time_point start{};
    StallWatch watch({seconds(100), seconds(6)}, start);
    QVERIFY2(!watch.hadHeartbeat(), "a program may take long to start");
    watch.note({0, 0, protocol::Phase::Loading, ""}, start + seconds(50));
    QVERIFY(!watch.isSilent(start + seconds(56)));
    QVERIFY(watch.isSilent(start + seconds(57)));
    watch.noteWork(start + seconds(57));
    QVERIFY(!watch.isSilent(start + seconds(63)));
    watch.restartTimers(start + seconds(80));
    QVERIFY(!watch.isSilent(start + seconds(86)));
  }

  void theRankOutsideACollectiveIsTheCause_data() {
    QTest::addColumn<QStringList>("phases");  // of three ranks; `*`: waits in a collective
    QTest::addColumn<int>("stalled");         // -1: none
    QTest::newRow("one does not wait") << QStringList{"backward*", "forward", "backward*"} << 1;
    QTest::newRow("two do not") << QStringList{"backward*", "forward", "data"} << 1;
    QTest::newRow("all wait") << QStringList{"backward*", "backward*", "backward*"} << 0;
    QTest::newRow("for one that loads") << QStringList{"backward*", "loading", "backward*"} << -1;
    QTest::newRow("for one that pauses") << QStringList{"paused", "backward*", "data*"} << -1;
    QTest::newRow("for a checkpoint") << QStringList{"backward*", "checkpoint", "data*"} << 1;
    QTest::newRow("beside one that loads") << QStringList{"loading", "data", "backward*"} << 1;
  }
  void theRankOutsideACollectiveIsTheCause() {
    QFETCH(QStringList, phases);
    QFETCH(int, stalled);
    const StallWatch::Clock::time_point start{};
    std::vector<StallWatch> watches(3, StallWatch({seconds(10), seconds(6)}, start));
    for (int second = 1; second <= 30; ++second) {
      for (std::size_t rank = 0; rank < 3; ++rank) {
        QString phase = phases[static_cast<int>(rank)];
        const bool waits = phase.endsWith(QLatin1Char('*'));
        if (waits) phase.chop(1);
        watches[rank].note(
            {0, 5, base::OpenEnum<protocol::Phase>(phase.toStdString()), "gradients", waits},
            start + seconds(second));
      }
    }
    const std::vector<const StallWatch*> ranks{&watches[0], &watches[1], &watches[2]};
    const auto found = supervisor::findStalled(ranks, start + seconds(30));
    QCOMPARE(found ? static_cast<int>(*found) : -1, stalled);
    QVERIFY(!supervisor::findStalled(ranks, start + seconds(9)));
    QVERIFY(!supervisor::findStalled({}, start + seconds(30)));
  }

  void aLimitOfZeroDisablesIt() {
    const StallWatch::Clock::time_point start{};
    const StallWatch watch({seconds(0), seconds(6)}, start);
    QVERIFY(!watch.isStalled(start + std::chrono::hours(1000)));
  }
};

LOCKSTEP_TEST(TstStallWatch)
#include "tst_stall_watch.moc"
