// The engine's messages as the window shows them: no remedy is a command of the shell.
#include <QTest>
#include <cmath>

#include "app/text/window_words.h"
#include "engine/alerts/alert_detector.h"
#include "engine/supervisor/run_outcome.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::inWindowWords;
using protocol::FailureCause;

namespace {

std::string failureText(FailureCause cause, const supervisor::RunFacts& facts) {
  supervisor::RankFailure failure;
  failure.error.message = "rank 0 failed";
  failure.error.cause = cause;
  failure.isRetryable = true;
  return supervisor::outcomeOf(failure, facts).error->message;
}

}  // namespace

class TstWindowWords : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void remediesAreOfTheWindow_data() {
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const std::string& message, const char* expected) {
      QTest::newRow(name) << QString::fromStdString(message) << QString::fromUtf8(expected);
    };
    supervisor::RunFacts facts;
    facts.folder = "/runs/it's one";
    facts.step = 400;
    facts.checkpoints = {200, 400};
    row("a killed rank", failureText(FailureCause::Silence, facts),
        "rank 0 failed; “Resume from the latest checkpoint” resumes from step 400");
    row("a bad image", failureText(FailureCause::BadImage, facts),
        "rank 0 failed; resume from step 400 with “Resume from the latest checkpoint”, or skip "
        "unreadable images with “Resume and skip unreadable images”");
    row("out of memory", failureText(FailureCause::OutOfMemory, facts),
        "rank 0 failed; “Fork from a checkpoint…” starts a new run from step 400");
    row("a run taken out of the queue", supervisor::cancelledOutcome(facts).line,
        "stopped while queued; “Resume when its devices are free” queues it again");
    row("advice", "Find a better one with a learning-rate range test (train --find-lr).",
        "Find a better one with a learning-rate range test (“Learning-rate range test” in the "
        "menu).");
    row("anchors", "See whether the anchors fit the objects: config check --data.",
        "See whether the anchors fit the objects: “Check data and weights”.");
    row("a diverged run",
        "step 7: NaN loss: no update was applied. To recompute this batch: lockstep-engine train "
        "--replay /runs/a b/divergence/step-7/replay.json. Restart from the latest checkpoint with "
        "a lower solver.base_lr (train RUN --from last --set ...), and check these images",
        "step 7: NaN loss: no update was applied. Restart from the latest checkpoint with a lower "
        "solver.base_lr (“Fork from a checkpoint…”), and check these images");
    row("busy devices", "the CPU is in use by run a; both will be slower; --queue waits for it",
        "the CPU is in use by run a; both will be slower; “Add to the queue” waits for it");
    row("ranks", "use fewer ranks (--workers, runtime.workers), or list GPUs",
        "use fewer ranks (runtime.workers), or list GPUs");
    row("a folder that is there", "--out /data/a: already exists; choose a new or empty folder",
        "/data/a: already exists; choose a new or empty folder");
    row("other data",
        "the data differ from those of /a: train; restore the annotations that it was trained "
        "with, or add --accept-data to continue with these",
        "the data differ from those of /a: train; restore the annotations that it was trained "
        "with, or choose “Continue with these annotations”");
    row("other text", "x -- y is kept, and a--b", "x -- y is kept, and a--b");
  }
  void remediesAreOfTheWindow() {
    QFETCH(QString, message);
    QFETCH(QString, expected);
    QCOMPARE(inWindowWords(message), expected);
  }

  void alertsNameNoCommand() {
    alerts::AlertDetector detector;
    protocol::Checkpoint checkpoint;
    checkpoint.step = 2;
    detector.add(checkpoint);
    protocol::Scalars scalars;
    scalars.step = 3;
    scalars.values = {{"train/loss_total", std::nanf("")}};
    const std::vector<protocol::Alert> raised = detector.add(scalars);
    QVERIFY(!raised.empty());
    QVERIFY(raised.front().text.find("train RUN --from STEP") != std::string::npos);
    const QString text = inWindowWords(raised.front().text);
    QVERIFY2(text.contains(QString::fromUtf8("(“Fork from a checkpoint…”)")), qPrintable(text));
  }
};

LOCKSTEP_TEST(TstWindowWords)
#include "tst_window_words.moc"
