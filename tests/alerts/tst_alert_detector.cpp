#include <QTest>
#include <cmath>

#include "engine/alerts/alert_detector.h"
#include "engine/events/event_record.h"
#include "tests/events/record_samples.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::alerts;
using namespace lockstep::events;
using namespace lockstep::tests;

namespace {

/// A detector with everything it raised.
struct Watch {
  AlertDetector detector;
  std::vector<protocol::Alert> alerts;
  std::int64_t step = 0;

  void add(const Record& record) {
    if (record.kind == Record::Kind::SessionStart) detector.forgetFrom(record.step);
    const auto event = eventOf(record);
    if (!event) return;
    for (protocol::Alert& alert : detector.add(*event)) alerts.push_back(std::move(alert));
  }
  void train(float loss) {
    add(scalarRecord(++step, {{"train/loss_total", loss}, {"solver/lr", 0.1f}}));
  }
  void train(int steps, float loss) {
    for (int i = 0; i < steps; ++i) train(loss);
  }
  void heldOut(float loss) { add(scalarRecord(step, {{"eval/loss_total", loss}})); }
  void event(const protocol::Event& event) { add(eventRecord(step, protocol::encodeEvent(event))); }
  void startAt(std::int64_t first) {
    Record start;
    start.kind = Record::Kind::SessionStart;
    start.step = first;
    add(start);
    step = first - 1;
  }
  std::vector<std::string> kinds() const {
    std::vector<std::string> result;
    for (const protocol::Alert& alert : alerts) result.push_back(alert.kind.text());
    return result;
  }
};

using Kinds = std::vector<std::string>;

}  // namespace

class TstAlertDetector : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aNormalRunRaisesNothing();
  void aNonFiniteLossIsRaisedOnceWithItsTag();
  void otherScalarsMayBeNonFinite();
  void aResumeForgetsLaterSteps();
  void aSlowRankIsNamed_data();
  void aSlowRankIsNamed();
  void overfittingNamesRiseFallAndTheNearestCheckpoint();
  void overfittingNamesNoPrunedCheckpoint();
  void overfittingNeedsTwoEvaluations();
  void overfittingNeedsTwoPercent();
  void overfittingNeedsAFallingTrainingLoss();
  void overfittingIsRaisedAgainAfterANewMinimum();
  void withoutACheckpointTheLowestStepIsNamed();
  void aLossJumpIsRaisedOnceUntilTheLossIsNormal();
  void aNoisyStartIsNoJump();
  void aRangeTestMayDiverge();
  void aFailedCheckpointIsRaisedWithItsText();
  void aFailedRunIsRaisedWithItsReason();
  void alertsNameTheirTagsAndSteps();
  void alertsInTheLogRaiseNothing();
  void onlyRecentStepsCountWithoutAnEvaluation();
  void eventsThatAreNotJsonAreIgnored();
  void theRunningMedianIsTheMedian();
};

void TstAlertDetector::aNormalRunRaisesNothing() {
  Watch watch;
  for (int evaluation = 0; evaluation < 10; ++evaluation) {
    watch.train(50, 3.0f / static_cast<float>(evaluation + 1));
    watch.heldOut(3.5f / static_cast<float>(evaluation + 1));
  }
  watch.event(protocol::Checkpoint{0, 0, 0, "checkpoints/step-00000500", true});
  watch.event(protocol::Log{0, 0, 0, base::LogLevel::Error, "something about a checkpoint"});
  QCOMPARE(watch.kinds(), Kinds());
}

void TstAlertDetector::aNonFiniteLossIsRaisedOnceWithItsTag() {
  Watch watch;
  watch.train(3, 1.0f);
  watch.add(
      scalarRecord(4, {{"train/loss_mask", std::nanf("")}, {"train/loss_total", std::nanf("")}}));
  watch.add(scalarRecord(5, {{"train/loss_total", INFINITY}}));
  QCOMPARE(watch.kinds(), Kinds{"non_finite"});
  QCOMPARE(watch.alerts[0].step, 4);
  QVERIFY(watch.alerts[0].text.starts_with("train/loss_mask is NaN at step 4. "));
  QVERIFY(tests::contains(watch.alerts[0].text, "no checkpoint before it"));
  Watch heldOut;
  heldOut.event(protocol::Checkpoint{0, 4, 0, "checkpoints/step-00000004", true});
  heldOut.add(scalarRecord(8, {{"eval/loss_box_reg", -INFINITY}}));
  QVERIFY(heldOut.alerts.at(0).text.starts_with("eval/loss_box_reg is infinite at step 8. "));
  QVERIFY(tests::contains(heldOut.alerts[0].text, "restart from the checkpoint before it"));
}

void TstAlertDetector::otherScalarsMayBeNonFinite() {
  Watch watch;
  watch.add(scalarRecord(1, {{"eval/bbox/APs", std::nanf("")}, {"solver/grad_norm", INFINITY}}));
  QCOMPARE(watch.kinds(), Kinds());
}

void TstAlertDetector::aResumeForgetsLaterSteps() {
  Watch watch;
  watch.train(10, 1.0f);
  watch.train(std::nanf(""));
  watch.startAt(6);
  watch.train(5, 1.0f);
  watch.train(std::nanf(""));
  QCOMPARE(watch.kinds(), (Kinds{"non_finite", "non_finite"}));
}

void TstAlertDetector::aSlowRankIsNamed_data() {
  QTest::addColumn<double>("lateStep");   // rank 1's own seconds in each of its late records
  QTest::addColumn<double>("lateData");   // of which it waits for images
  QTest::addColumn<double>("usualData");  // the same of the others
  QTest::addColumn<int>("lateRecords");
  QTest::addColumn<QString>("text");
  QTest::newRow("busy")
      << 0.4 << 0.0 << 0.0 << 5
      << "All ranks wait for rank 1: a step takes it 0.4 s, the others 0.3 s. Check whether other "
         "programs use its GPU or cores, or its GPU is throttled.";
  QTest::newRow("images") << 0.5 << 0.2 << 0.0 << 7
                          << "All ranks wait for rank 1: a step takes it 0.5 s, the others 0.3 s. "
                             "It waits 0.2 s for images: check its disk, or raise "
                             "dataset.loader_threads.";
  QTest::newRow("all wait for images as well")
      << 0.5 << 0.2 << 0.2 << 5
      << "All ranks wait for rank 1: a step takes it 0.5 s, the others 0.3 s. Check whether other "
         "programs use its GPU or cores, or its GPU is throttled.";
  QTest::newRow("not for long") << 0.4 << 0.0 << 0.0 << 4 << "";
  QTest::newRow("not by much") << 0.36 << 0.0 << 0.0 << 50 << "";
}
void TstAlertDetector::aSlowRankIsNamed() {
  QFETCH(double, lateStep);
  QFETCH(double, lateData);
  QFETCH(double, usualData);
  QFETCH(int, lateRecords);
  QFETCH(QString, text);
  Watch watch;
  const auto usual = static_cast<float>(usualData);
  const auto tell = [&](double second, double data) {
    const float whole = std::max(0.3, second);
    watch.add(scalarRecord(++watch.step, {{"time/step_seconds", whole},
                                          {"time/rank0/step_seconds", whole},
                                          {"time/rank0/data_seconds", usual},
                                          {"time/rank0/own_seconds", 0.3f},
                                          {"time/rank1/step_seconds", whole},
                                          {"time/rank1/data_seconds", static_cast<float>(data)},
                                          {"time/rank1/own_seconds", static_cast<float>(second)},
                                          {"time/rank2/step_seconds", whole},
                                          {"time/rank2/data_seconds", usual},
                                          {"time/rank2/own_seconds", 0.3f}}));
  };
  for (int i = 0; i < 20; ++i) tell(0.3, 0);
  for (int i = 0; i < lateRecords; ++i) tell(lateStep, lateData);
  QCOMPARE(watch.kinds(), text.isEmpty() ? Kinds{} : Kinds{"slow_rank"});
  if (!text.isEmpty()) QCOMPARE(QString::fromStdString(watch.alerts[0].text), text);
  // Again only after it was in time.
  tell(0.3, 0);
  for (int i = 0; i < lateRecords; ++i) tell(lateStep, lateData);
  QCOMPARE(watch.alerts.size(), text.isEmpty() ? 0u : 2u);
}

void TstAlertDetector::overfittingNamesRiseFallAndTheNearestCheckpoint() {
  Watch watch;
  watch.train(100, 2.0f);
  watch.heldOut(1.2f);
  watch.train(100, 1.0f);
  watch.heldOut(1.0f);
  watch.train(20, 1.0f);
  watch.event(protocol::Checkpoint{0, 0, 0, "checkpoints/step-00000220", false});
  watch.train(80, 0.95f);
  watch.heldOut(1.03f);
  QCOMPARE(watch.kinds(), Kinds());
  watch.event(
      protocol::Checkpoint{0, 0, 0, "checkpoints/step-00000300", true});  // by another metric
  watch.train(100, 0.93f);
  watch.heldOut(1.05f);
  QCOMPARE(watch.kinds(), Kinds{"overfitting"});
  QCOMPARE(watch.alerts[0].step, 400);
  QCOMPARE(watch.alerts[0].from, 200);
  QCOMPARE(watch.alerts[0].text,
           std::string("Validation loss rose 5 % since step 200, its lowest, while training loss "
                       "fell 7 %. The checkpoint nearest to that step is step-00000220."));
  watch.train(100, 0.9f);
  watch.heldOut(1.2f);
  QCOMPARE(watch.kinds().size(), 1u);
}

void TstAlertDetector::overfittingNamesNoPrunedCheckpoint() {
  Watch watch;
  for (const float loss : {1.0f, 1.1f, 1.2f}) {
    watch.train(10, 1.0f - 0.01f * static_cast<float>(watch.step));
    watch.heldOut(loss);
    watch.event(protocol::Checkpoint{
        0, 0, 0, "checkpoints/step-000000" + std::to_string(watch.step), false});
    if (watch.step == 20) watch.detector.keepCheckpoints({20});  // that of step 10 was pruned
  }
  QVERIFY2(watch.alerts.at(0).text.ends_with(" nearest to that step is step-00000020."),
           watch.alerts.at(0).text.c_str());
}

void TstAlertDetector::overfittingNeedsTwoEvaluations() {
  Watch watch;
  watch.train(10, 1.0f);
  watch.heldOut(1.0f);
  watch.train(10, 0.5f);
  watch.heldOut(2.0f);
  QCOMPARE(watch.kinds(), Kinds());
}

void TstAlertDetector::overfittingNeedsTwoPercent() {
  Watch watch;
  for (const float loss : {1.0f, 1.05f, 1.019f}) {
    watch.train(10, 1.0f - 0.01f * static_cast<float>(watch.step));
    watch.heldOut(loss);
  }
  QCOMPARE(watch.kinds(), Kinds());
  watch.train(10, 0.1f);
  watch.heldOut(1.021f);
  QCOMPARE(watch.kinds(), Kinds{"overfitting"});
}

void TstAlertDetector::overfittingNeedsAFallingTrainingLoss() {
  Watch watch;
  for (const float loss : {1.0f, 1.1f, 1.2f, 1.3f}) {
    watch.train(10, 1.0f);
    watch.heldOut(loss);
  }
  QCOMPARE(watch.kinds(), Kinds());
}

void TstAlertDetector::overfittingIsRaisedAgainAfterANewMinimum() {
  Watch watch;
  float train = 1.0f;
  for (const float loss : {1.0f, 1.1f, 1.2f, 0.9f, 1.0f, 1.1f}) {
    watch.train(10, train);
    train *= 0.95f;
    watch.heldOut(loss);
  }
  QCOMPARE(watch.kinds(), (Kinds{"overfitting", "overfitting"}));
  QCOMPARE(watch.alerts[1].step, 60);
}

void TstAlertDetector::withoutACheckpointTheLowestStepIsNamed() {
  Watch watch;
  float train = 1.0f;
  for (const float loss : {1.0f, 1.1f, 1.2f}) {
    watch.train(10, train);
    train *= 0.5f;
    watch.heldOut(loss);
  }
  QVERIFY2(
      watch.alerts.at(0).text.starts_with("Validation loss rose 20 % since step 10, its lowest") &&
          watch.alerts.at(0).text.ends_with(" fell 75 %."),
      watch.alerts.at(0).text.c_str());
}

void TstAlertDetector::aLossJumpIsRaisedOnceUntilTheLossIsNormal() {
  Watch watch;
  watch.train(30, 2.0f);
  watch.train(10.1f);
  watch.train(2.0f);
  QCOMPARE(watch.kinds(), Kinds());  // one hard batch
  watch.train(10.1f);
  watch.train(10.2f);
  watch.train(50.0f);
  QCOMPARE(watch.kinds(), Kinds{"loss_jump"});
  QCOMPARE(watch.alerts[0].step, 34);
  QVERIFY2(watch.alerts[0].text.starts_with(
               "Training loss jumped to 10.2 at step 34, 5.1 times its usual 2. "),
           watch.alerts[0].text.c_str());
  watch.train(2.0f);
  watch.train(9.9f);
  watch.train(22.0f);
  QCOMPARE(watch.kinds(), (Kinds{"loss_jump", "loss_jump"}));
}

void TstAlertDetector::aNoisyStartIsNoJump() {
  Watch watch;
  for (const float loss : {0.1f, 0.1f, 9.0f, 0.1f, 8.0f}) watch.train(loss);
  QCOMPARE(watch.kinds(), Kinds());
}

void TstAlertDetector::aRangeTestMayDiverge() {
  Watch watch;
  for (std::int64_t step = 1; step <= 40; ++step)
    watch.add(scalarRecord(step, {{"train/loss_total", 1.0f}, {"find_lr/loss", 1.0f}}));
  watch.add(scalarRecord(41, {{"train/loss_total", 100.0f}, {"find_lr/loss", 10.0f}}));
  watch.add(scalarRecord(42, {{"train/loss_mask", std::nanf("")},
                              {"train/loss_total", std::nanf("")},
                              {"find_lr/loss", std::nanf("")}}));
  QCOMPARE(watch.kinds(), Kinds());
}

void TstAlertDetector::aFailedCheckpointIsRaisedWithItsText() {
  Watch watch;
  watch.step = 40;
  watch.event(protocol::Log{0, 0, 0, base::LogLevel::Error,
                            "checkpoint of step 40 failed: No space left on device",
                            protocol::LogKind::CheckpointFailed});
  QCOMPARE(watch.kinds(), Kinds{"checkpoint_failed"});
  watch.event(protocol::Log{0, 0, 0, base::LogLevel::Warning, "run.json: No space left on device",
                            protocol::LogKind::WriteFailed});
  QCOMPARE(watch.kinds(), (Kinds{"checkpoint_failed", "write_failed"}));
  QCOMPARE(watch.alerts.back().text, std::string("run.json: No space left on device"));
  QCOMPARE(watch.alerts[0].step, 40);
  QCOMPARE(watch.alerts[0].text,
           std::string("checkpoint of step 40 failed: No space left on device"));
}

void TstAlertDetector::aFailedRunIsRaisedWithItsReason() {
  Watch watch;
  watch.step = 12;
  watch.event(protocol::State{0, 0, 0, protocol::RunState::Running, {}});
  watch.event(protocol::State{0, 0, 0, protocol::RunState::Stopped, {}});
  QCOMPARE(watch.kinds(), Kinds());
  protocol::RunError error;
  error.message = "rank 1 was killed";
  watch.event(protocol::State{0, 0, 0, protocol::RunState::Failed, error});
  QCOMPARE(watch.kinds(), Kinds{"run_failed"});
  QCOMPARE(watch.alerts[0].text, std::string("rank 1 was killed"));
  QCOMPARE(watch.alerts[0].severity.text(), std::string("error"));
  QCOMPARE(watch.alerts[0].step, 12);
}

void TstAlertDetector::alertsNameTheirTagsAndSteps() {
  using Tags = std::vector<std::string>;
  Watch watch;
  watch.train(100, 2.0f);
  watch.heldOut(1.0f);
  watch.train(100, 1.0f);
  watch.heldOut(1.1f);
  watch.train(100, 0.9f);
  watch.heldOut(1.2f);
  watch.train(std::nanf(""));
  QCOMPARE(watch.kinds(), (Kinds{"overfitting", "non_finite"}));
  QCOMPARE(watch.alerts[0].tags, (Tags{"train/loss_total", "eval/loss_total"}));
  QCOMPARE(watch.alerts[0].from, 100);
  QCOMPARE(watch.alerts[0].to, 300);
  QCOMPARE(watch.alerts[0].severity.text(), std::string("warning"));
  QCOMPARE(watch.alerts[0].time, 1000.5);
  QCOMPARE(watch.alerts[1].tags, Tags{"train/loss_total"});
  QCOMPARE(watch.alerts[1].from, 301);
}

void TstAlertDetector::alertsInTheLogRaiseNothing() {
  Watch watch;
  protocol::Alert alert;
  alert.kind = protocol::AlertKind::CheckpointFailed;
  alert.severity = protocol::Severity::Error;
  alert.text = "checkpoint of step 40 failed";
  watch.event(alert);
  QCOMPARE(watch.kinds(), Kinds());
}

/// What is held between two evaluations is bounded, so that a run without any is, too.
void TstAlertDetector::onlyRecentStepsCountWithoutAnEvaluation() {
  Watch watch;
  watch.train(10, 1.5f);
  watch.heldOut(1.0f);
  watch.train(10, 1.4f);
  watch.heldOut(1.1f);
  watch.train(100'000, 2.0f);
  watch.train(4'096, 1.2f);
  watch.heldOut(1.2f);
  QCOMPARE(watch.kinds(), (Kinds{"plateau", "overfitting"}));
  QVERIFY2(watch.alerts[1].text.find("training loss fell 20 %") != std::string::npos,
           watch.alerts[1].text.c_str());
}

void TstAlertDetector::eventsThatAreNotJsonAreIgnored() {
  Watch watch;
  for (const char* json :
       {"", "checkpoint", "[\"checkpoint\"]", R"({"type":"checkpoint"})",
        R"({"type":["checkpoint"],"best":{}})", R"({"type":"log","kind":5,"x":"checkpoint"})"}) {
    watch.add(eventRecord(1, json));
  }
  QCOMPARE(watch.kinds(), Kinds());
}

void TstAlertDetector::theRunningMedianIsTheMedian() {
  RunningMedian running;
  std::vector<double> values;
  for (int i = 0; i < 400; ++i) {
    values.push_back(std::fmod(i * 7919.0, 31.0));
    running.add(values.back());
    std::vector<double> window(values.end() - std::min<std::ptrdiff_t>(51, std::ssize(values)),
                               values.end());
    std::sort(window.begin(), window.end());
    QCOMPARE(running.size(), window.size());
    QCOMPARE(running.median(), window[window.size() / 2]);
  }
}

LOCKSTEP_TEST(TstAlertDetector)
#include "tst_alert_detector.moc"
