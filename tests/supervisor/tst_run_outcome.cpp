#include <QTest>

#include "engine/base/host.h"
#include "engine/supervisor/run_outcome.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using protocol::FailureCause;
using protocol::RunState;
using supervisor::RankFailure;
using supervisor::RankGroupEnd;
using supervisor::RunFacts;
using tests::contains;

namespace {

/// Of a run that has come to step 6 and has checkpoints of steps 2 and 4.
RunFacts factsAtStep6() {
  RunFacts facts;
  facts.folder = "/runs/a";
  facts.step = 6;
  facts.checkpoints = {2, 4};
  return facts;
}

RankGroupEnd finishedAt(std::int64_t step, bool stopped) {
  RankGroupEnd end;
  end.finished = {.step = step, .stopped = stopped};
  return end;
}

RankFailure failureOf(const std::string& cause, bool isRetryable) {
  RankFailure failure;
  failure.error.message = failure.line = "rank 0 failed";
  failure.error.cause = base::OpenEnum<FailureCause>(cause);
  failure.isRetryable = isRetryable;
  return failure;
}

}  // namespace

class TstRunOutcome : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void finishedAndStoppedRunsHaveNoError() {
    const auto finished = outcomeOf(finishedAt(6, false), factsAtStep6());
    QVERIFY(finished.state == RunState::Finished && finished.status == ExitStatus::Done);
    QVERIFY(!finished.error);
    QCOMPARE(finished.line, std::string("finished at step 6"));
    const auto stopped = outcomeOf(finishedAt(4, true), factsAtStep6());
    QVERIFY(stopped.state == RunState::Stopped && stopped.status == ExitStatus::Stopped);
    QVERIFY(!stopped.error);
    QCOMPARE(stopped.line, std::string("stopped at step 6"));
  }

  void stoppedWithoutItsCheckpointHasFailed() {
    const auto outcome = outcomeOf(finishedAt(6, true), factsAtStep6());
    QVERIFY(outcome.state == RunState::Failed && outcome.status == ExitStatus::Failed);
    QVERIFY(outcome.error && outcome.error->cause == FailureCause::Checkpoint);
    QCOMPARE(outcome.line, std::string("the last checkpoint could not be saved: free disk space; "
                                       "resume from the latest checkpoint, of step 4"));
    QCOMPARE(outcome.error->message, outcome.line);
  }

  void ranksThatWereStoppedBeforeTheyJoinedHaveNotFailed() {
    const auto outcome = outcomeOf(RankGroupEnd(), factsAtStep6());
    QVERIFY(outcome.state == RunState::Stopped && outcome.status == ExitStatus::Stopped);
    QVERIFY(!outcome.error);
  }

  void aRangeTestNeedsNoCheckpoint() {
    RunFacts facts = factsAtStep6();
    facts.checkpoints.clear();
    facts.isRangeTest = true;
    const auto stopped = outcomeOf(finishedAt(6, true), facts);
    QVERIFY(stopped.state == RunState::Stopped && stopped.status == ExitStatus::Stopped);
    QCOMPARE(stopped.line,
             std::string("learning-rate range test stopped at step 6: it suggests nothing"));
    const auto failed = outcomeOf(failureOf("SIGKILL", true), facts);
    QCOMPARE(failed.line, std::string("rank 0 failed; start the learning-rate range test again"));
  }

  void aLostLastCheckpointFailsAFinishedRun() {
    RunFacts facts = factsAtStep6();
    facts.checkpoints.clear();
    facts.lostCheckpoint = {"disk full", ""};
    const auto lost = outcomeOf(finishedAt(6, false), facts);
    QVERIFY(lost.state == RunState::Failed);
    QCOMPARE(lost.line, std::string("the last checkpoint could not be saved (disk full): free disk "
                                    "space; there is no earlier checkpoint"));
    QVERIFY(lost.error->checkpoint.empty());
    facts.lostCheckpoint->fallbackFolder = "/tmp/step-6";
    const auto moved = outcomeOf(finishedAt(6, false), facts);
    QCOMPARE(moved.error->checkpoint, std::string("/tmp/step-6"));
    QVERIFY2(moved.line.ends_with(
                 "it was saved to /tmp/step-6 on " + base::hostName() +
                 ", and `lockstep-engine train /runs/a --resume` restores it from there"),
             moved.line.c_str());
  }

  void aKilledRunNamesTheSignalAndTheLastHeartbeat() {
    RunFacts facts = factsAtStep6();
    facts.killedBy = "SIGTERM";
    facts.heartbeat = {.step = 7, .phase = protocol::Phase::Backward, .collective = "gradients"};
    const auto outcome = outcomeOf(RankGroupEnd(), facts);
    QVERIFY(outcome.state == RunState::Failed && outcome.status == ExitStatus::Killed);
    QCOMPARE(outcome.line, std::string("killed by a second SIGTERM"));
    QCOMPARE(outcome.error->cause.text(), std::string("SIGTERM"));
    QCOMPARE(outcome.error->step, std::int64_t{7});
    QVERIFY(outcome.error->phase == protocol::Phase::Backward);
    QCOMPARE(outcome.error->collective, std::string("gradients"));
  }

  void aFailureSaysHowToResume_data() {
    QTest::addColumn<QString>("cause");
    QTest::addColumn<bool>("isRetryable");
    QTest::addColumn<QString>("launcher");
    QTest::addColumn<QString>("expected");
    const QString resume = QStringLiteral("`lockstep-engine train /runs/a --resume");
    QTest::newRow("retryable") << "SIGKILL" << true << ""
                               << "; " + resume + "` resumes from step 4";
    QTest::newRow("under a launcher")
        << "SIGKILL" << true << "torchrun"
        << "; restarted by torchrun, " + resume + "` resumes from step 4";
    QTest::newRow("out of memory") << "out of memory" << true << ""
                                   << "; `lockstep-engine train /runs/a --from 4 --set KEY=VALUE` "
                                      "starts a new run from step 4";
    QTest::newRow("an image") << "bad image" << false << ""
                              << "; resume from step 4 with " + resume +
                                     "` (add --accept-data if you changed the annotations), or "
                                     "skip unreadable images with " +
                                     resume + " --set dataset.bad_images=skip`";
    QTest::newRow("will come again") << "error" << false << ""
                                     << "";
  }
  void aFailureSaysHowToResume() {
    QFETCH(QString, cause);
    QFETCH(bool, isRetryable);
    QFETCH(QString, launcher);
    QFETCH(QString, expected);
    RunFacts facts = factsAtStep6();
    facts.launcher = launcher.toStdString();
    const auto outcome = outcomeOf(failureOf(cause.toStdString(), isRetryable), facts);
    QCOMPARE(outcome.line, "rank 0 failed" + expected.toStdString());
    QCOMPARE(outcome.error->message, outcome.line);
    QCOMPARE(outcome.error->step, std::int64_t{6});
  }

  void aFailureWithoutACheckpointIsReported() {
    RunFacts facts = factsAtStep6();
    facts.checkpoints.clear();
    const auto outcome = outcomeOf(failureOf("SIGKILL", true), facts);
    QVERIFY2(outcome.line.ends_with("; there is no checkpoint to resume from yet"),
             outcome.line.c_str());
  }

  void commandsAreForAShell() {
    RunFacts facts = factsAtStep6();
    facts.folder = "/runs/it's one";
    const auto outcome = outcomeOf(failureOf("SIGKILL", true), facts);
    QVERIFY2(contains(outcome.line, R"(train '/runs/it'\''s one' --resume)"), outcome.line.c_str());
  }
};

LOCKSTEP_TEST(TstRunOutcome)
#include "tst_run_outcome.moc"
