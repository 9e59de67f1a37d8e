#include <QTest>

#include "app/runs/list/run_pace.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::RunPace;
using protocol::RunState;
using run_folder::RunInfo;

class TstRunPace : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theRestIsMeasuredFromWhereTheRunWasSeenFirst() {
    Watched run;  // resumed at step 500
    QVERIFY(!run.secondsLeft());
    run.see(RunState::Running, 500, 10000);
    QVERIFY(!run.secondsLeft());
    run.see(RunState::Running, 510, 10020);
    QCOMPARE(run.secondsLeft(), std::optional(2.0 * 490));
    run.see(RunState::Evaluating, 520, 10050);
    QCOMPARE(run.secondsLeft(), std::optional(2.5 * 480));
  }

  void aPauseIsNotCounted() {
    Watched run;
    run.see(RunState::Running, 1, 1000);
    run.see(RunState::Running, 2, 1001);
    run.see(RunState::Paused, 2, 1002);
    QVERIFY(!run.secondsLeft());
    run.see(RunState::Running, 2, 9000);
    QVERIFY(!run.secondsLeft());
    run.see(RunState::Running, 4, 9001);
    QCOMPARE(run.secondsLeft(), std::optional(0.5 * 996));
  }

  void anotherAttemptBeginsAnew() {
    Watched run;
    run.see(RunState::Running, 1, 1000);
    run.see(RunState::Running, 900, 1001);
    run.attempt = 2;
    run.see(RunState::Running, 100, 5000);
    QVERIFY(!run.secondsLeft());
    run.see(RunState::Running, 101, 5001);
    QCOMPARE(run.secondsLeft(), std::optional(899.0));
  }

 private:
  struct Watched {
    RunPace pace;
    run_folder::RunSummary now{{}, {}, true};
    int attempt = 1;

    void see(RunState state, std::int64_t step, double time) {
      RunInfo info;
      info.state = state;
      info.attempt = attempt;
      info.step = step;
      info.maxSteps = 1000;
      info.updated = time;
      pace.update(now.info, info);
      now.info = info;
    }
    std::optional<double> secondsLeft() const { return pace.secondsLeft(now); }
  };
};

LOCKSTEP_TEST(TstRunPace)
#include "tst_run_pace.moc"
