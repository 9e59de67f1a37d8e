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
  return {scalar(1), scalar(2), scalar(mask), scalar(4), scalar(5)};
}

void addStep(StepRecorder& recorder, std::int64_t step, double mask, double gradientNorm) {
  recorder.addPart(lossesWithMask(mask), at::full({}, 12 + mask, at::kFloat), 1);
  StepRecorder::HostFacts facts{.step = step, .stepSeconds = 1, .images = 2};
  facts.imageIds = {{10 * step}, {10 * step + 1}};
  recorder.finishStep(facts, at::full({}, gradientNorm, at::kDouble));
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
    QTest::newRow("gradient alone")
        << 3.0 << kInfinity << "step 2: grad_norm=Infinity on images 20, 21";
    QTest::newRow("gradient beyond float32")
        << 3.0 << 1e300 << "step 2: grad_norm=Infinity on images 20, 21";
    QTest::newRow("loss") << std::nan("") << 7.0
                          << "step 2: loss_mask=NaN loss_total=NaN on images 20, 21";
    QTest::newRow("both") << -kInfinity << std::nan("")
                          << "step 2: loss_mask=-Infinity loss_total=-Infinity grad_norm=NaN on "
                             "images 20, 21";
  }
  void theFirstNonFiniteStepIsNamedWithItsImages() {
    QFETCH(double, mask);
    QFETCH(double, gradientNorm);
    QFETCH(QString, fault);
    StepRecorder recorder;
    addStep(recorder, 1, 3, 7);
    addStep(recorder, 2, mask, gradientNorm);
    addStep(recorder, 3, mask, gradientNorm);
    const StepRecorder::Flushed flushed = recorder.flush();
    QCOMPARE(flushed.fault.has_value(), !fault.isEmpty());
    if (flushed.fault) {
      QCOMPARE(QString::fromStdString(flushed.fault->text), fault);
      QCOMPARE(flushed.fault->step, std::int64_t{2});
      QCOMPARE(flushed.fault->imageIds.size(), std::size_t{2});
      QCOMPARE(flushed.fault->figures.size(), std::size_t{7});
    }
    QCOMPARE(flushed.scalars.records.size(), std::size_t(3));
    QVERIFY(recorder.isEmpty());
  }

  void aStepIsTheMeanOfItsParts() {
    StepRecorder recorder;
    recorder.addPart(lossesWithMask(3), at::full({}, 15.f), 2);
    QCOMPARE(recorder.isNotFinite(at::full({}, 7.0)).item<float>(), 0.f);
    QCOMPARE(recorder.isNotFinite(at::full({}, 1e300, at::kDouble)).item<float>(), 1.f);
    recorder.addPart(lossesWithMask(4), at::full({}, 16.f), 2);
    recorder.finishStep({.step = 9, .stepSeconds = 0.5, .images = 4}, at::full({}, 7.0));
    const auto batch = recorder.flush().scalars;
    const auto value = [&](const std::string& wanted) {
      for (const auto& [tag, number] : batch.records.at(0).values)
        if (tag == wanted) return number;
      return -1.f;
    };
    QCOMPARE(value("train/loss_mask"), 3.5f);
    QCOMPARE(value("train/loss_total"), 15.5f);
    QCOMPARE(value("solver/grad_norm"), 7.f);
    QCOMPARE(value("time/images_per_second"), 8.f);
  }

  void aPartThatIsNotFiniteIsSeenBeforeTheStepEnds() {
    StepRecorder recorder;
    recorder.addPart(lossesWithMask(std::nan("")), at::full({}, 15.f), 2);
    recorder.addPart(lossesWithMask(4), at::full({}, 16.f), 2);
    QCOMPARE(recorder.isNotFinite(at::full({}, 7.0)).item<float>(), 1.f);
  }
};

LOCKSTEP_TEST(TstStepRecorder)
#include "tst_step_recorder.moc"
