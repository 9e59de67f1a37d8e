#include <QTest>
#include <cmath>
#include <limits>

#include "engine/train/step_recorder.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using train::StepRecorder;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

model::Losses lossesWithMask(double mask) {
  const auto scalar = [](double value) { return at::full({}, value, at::kFloat); };
  model::Losses losses{{scalar(1), scalar(2), scalar(mask), scalar(4), scalar(5)}, {}};
  losses.counts.values.fill(scalar(0));
  return losses;
}

/// -1: the tag was not told.
float valueOf(const protocol::Scalars& record, const std::string& wanted) {
  for (const auto& [tag, number] : record.values)
    if (tag == wanted) return number;
  return -1.f;
}

solver::WeightUpdate::Figures ofNorm(double norm) {
  return {at::full({}, norm, at::kDouble), at::zeros({}, at::kFloat), {}, {}};
}

void addStep(StepRecorder& recorder, std::int64_t step, double mask, double gradientNorm,
             bool hasDiverged, std::optional<double> lossScale = std::nullopt) {
  const at::Tensor figures =
      recorder.figuresOf(lossesWithMask(mask), at::full({}, 12 + mask, at::kFloat), 1, true);
  StepRecorder::HostFacts facts{.step = step, .stepSeconds = 1, .images = 2};
  facts.imageIds = {{10 * step}, {10 * step + 1}};
  recorder.finishStep(facts, figures,
                      {at::full({}, gradientNorm, at::kDouble),
                       at::full({}, hasDiverged ? 1 : 0, at::kFloat),
                       lossScale ? at::full({}, *lossScale, at::kFloat) : at::Tensor(),
                       {}});
}

}  // namespace

class TstStepRecorder : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theFirstNonFiniteStepIsNamedWithItsImages_data() {
    QTest::addColumn<double>("mask");
    QTest::addColumn<double>("gradientNorm");
    QTest::addColumn<QString>("fault");
    QTest::newRow("finite") << 3.0 << 7.0 << "";
    QTest::newRow("gradient alone") << 3.0 << kInfinity << "grad_norm=Infinity";
    QTest::newRow("gradient beyond float32") << 3.0 << 1e300 << "grad_norm=Infinity";
    QTest::newRow("loss") << std::nan("") << 7.0 << "loss_mask=NaN loss_total=NaN";
    QTest::newRow("both") << -kInfinity << std::nan("")
                          << "loss_mask=-Infinity loss_total=-Infinity grad_norm=NaN";
  }
  void theFirstNonFiniteStepIsNamedWithItsImages() {
    QFETCH(double, mask);
    QFETCH(double, gradientNorm);
    QFETCH(QString, fault);
    StepRecorder recorder;
    addStep(recorder, 1, 3, 7, false);
    addStep(recorder, 2, mask, gradientNorm, !fault.isEmpty());
    addStep(recorder, 3, mask, gradientNorm, !fault.isEmpty());
    const StepRecorder::Flushed flushed = recorder.flush();
    QCOMPARE(flushed.nonFinite.has_value(), !fault.isEmpty());
    if (flushed.nonFinite) {
      QCOMPARE(QString::fromStdString(flushed.nonFinite->what), fault);
      QCOMPARE(flushed.nonFinite->step, std::int64_t{2});
      const std::vector<ImageId> ids{{20}, {21}};
      QVERIFY(flushed.nonFinite->imageIds == ids);
      QCOMPARE(flushed.nonFinite->figures.size(), std::size_t{7});
    }
    QCOMPARE(flushed.scalars.records.size(), std::size_t(3));
    QVERIFY(recorder.isEmpty());
  }

  void aStepIsTheMeanOfItsMicroBatches() {
    StepRecorder recorder;
    const at::Tensor figures = recorder.figuresOf(lossesWithMask(3), at::full({}, 15.f), 2, false) +
                               recorder.figuresOf(lossesWithMask(4), at::full({}, 16.f), 2, true);
    recorder.finishStep({.step = 9, .stepSeconds = 0.5, .images = 4}, figures, ofNorm(7));
    const auto record = recorder.flush().scalars.records.at(0);
    QCOMPARE(valueOf(record, "train/loss_mask"), 3.5f);
    QCOMPARE(valueOf(record, "train/loss_total"), 15.5f);
    QCOMPARE(valueOf(record, "solver/grad_norm"), 7.f);
    QCOMPARE(valueOf(record, "time/images_per_second"), 8.f);
  }

  void nonFiniteLossesAreDetected() {
    StepRecorder recorder(0, 2);
    const auto notFinite = [&](double mask) {
      const at::Tensor figures =
          recorder.figuresOf(lossesWithMask(mask), at::full({}, 15.f), 1, true);
      return StepRecorder::lossesNotFinite(figures).item<float>();
    };
    QCOMPARE(notFinite(3), 0.f);
    QCOMPARE(notFinite(kInfinity), 1.f);
    QCOMPARE(notFinite(std::nan("")), 1.f);
  }

  void overflowByLossScaleIsNotNonFinite() {
    StepRecorder recorder;
    addStep(recorder, 1, 3, kInfinity, false, 65536);
    addStep(recorder, 2, 3, 7, false, 32768);
    const StepRecorder::Flushed flushed = recorder.flush();
    QVERIFY(!flushed.nonFinite);
    const auto& records = flushed.scalars.records;
    QCOMPARE(valueOf(records.at(0), "solver/grad_norm"), -1.f);
    QCOMPARE(valueOf(records.at(0), "solver/loss_scale"), 65536.f);
    QCOMPARE(valueOf(records.at(1), "solver/grad_norm"), 7.f);
    QCOMPARE(valueOf(records.at(1), "solver/loss_scale"), 32768.f);
  }

  /// Of a step that waited a quarter of a second for other ranks.
  void partsOfAStepAreRecorded() {
    StepRecorder recorder(0, 2);
    const auto times = std::make_shared<train::StepTimes>(c10::Device(c10::kCPU));
    for (int microBatch = 0; microBatch < 2; ++microBatch) {
      times->begin(train::StepPart::Forward);
      times->begin(train::StepPart::Backward);
      times->end();
    }
    times->begin(train::StepPart::Optimizer);
    times->end();
    const at::Tensor figures = recorder.figuresOf(lossesWithMask(3), at::full({}, 15.f), 1, true);
    recorder.finishStep({.step = 1,
                         .stepSeconds = 1,
                         .waitSeconds = 0.5,
                         .gradientWaitSeconds = 0.25,
                         .times = times},
                        figures, ofNorm(7));
    const auto record = recorder.flush().scalars.records.at(0);
    const auto seconds = times->seconds();
    QCOMPARE(valueOf(record, "time/forward_seconds"), static_cast<float>(seconds[0]));
    QCOMPARE(valueOf(record, "time/backward_seconds"), 0.f);  // all of it was waiting
    QCOMPARE(valueOf(record, "time/optimizer_seconds"), static_cast<float>(seconds[2]));
    QCOMPARE(valueOf(record, "time/wait_seconds"), 0.5f);
    QVERIFY(seconds[0] > 0 && seconds[1] > 0 && seconds[2] > 0);
  }

  /// Two ranks whose figures are averaged as their gradients are.
  void timesOfEveryRankAreRecorded_data() {
    QTest::addColumn<bool>("isReadAfterTheFirst");
    QTest::newRow("all at once") << false;
    QTest::newRow("the first alone") << true;
  }
  void timesOfEveryRankAreRecorded() {
    QFETCH(bool, isReadAfterTheFirst);
    StepRecorder first(0, 2), second(1, 2);
    QCOMPARE(first.figureCount(), std::int64_t{18} + model::kDetectorCounts);
    for (std::int64_t step = 1; step <= 3; ++step) {
      const at::Tensor a = first.figuresOf(lossesWithMask(3), at::full({}, 15.f), 1, true);
      const at::Tensor b = second.figuresOf(lossesWithMask(5), at::full({}, 17.f), 1, true);
      const auto seconds = static_cast<double>(step);
      first.finishStep({.step = step, .stepSeconds = seconds, .dataSeconds = 0.5}, (a + b) / 2,
                       ofNorm(7));
      second.finishStep({.step = step, .stepSeconds = 10 * seconds, .waitSeconds = 0.25},
                        (a + b) / 2, ofNorm(7));
      // No step was before the first.
      if (step == 1 && isReadAfterTheFirst)
        QCOMPARE(valueOf(first.flush().scalars.records.at(0), "time/rank0/own_seconds"), -1.f);
    }
    auto records = first.flush().scalars.records;
    if (!isReadAfterTheFirst) records.erase(records.begin());
    QCOMPARE(records.size(), std::size_t{2});
    QCOMPARE(valueOf(records[0], "train/loss_mask"), 4.f);
    QCOMPARE(valueOf(records[0], "time/rank0/step_seconds"), -1.f);
    // Of the steps before: 1 and 2.
    QCOMPARE(valueOf(records[1], "time/rank0/step_seconds"), 1.5f);
    QCOMPARE(valueOf(records[1], "time/rank1/step_seconds"), 15.f);
    QCOMPARE(valueOf(records[1], "time/rank0/data_seconds"), 0.5f);
    QCOMPARE(valueOf(records[1], "time/rank1/data_seconds"), 0.f);
    QCOMPARE(valueOf(records[1], "time/rank1/wait_seconds"), 0.25f);
    QCOMPARE(valueOf(records[1], "time/rank0/own_seconds"), 1.5f);
    QCOMPARE(valueOf(records[1], "time/rank1/own_seconds"), 14.75f);
  }
};

LOCKSTEP_TEST(TstStepRecorder)
#include "tst_step_recorder.moc"
