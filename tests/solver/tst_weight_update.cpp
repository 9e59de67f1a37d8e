#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTest>
#include <cmath>
#include <limits>
#include <set>

#include "engine/base/error.h"
#include "engine/solver/weight_update.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

config::SolverConfig sgd() {
  config::SolverConfig config;
  config.momentum = 0.9;
  config.weightDecay = 0.01;
  config.clipGradNorm = 2;
  return config;
}

/// Three weights whose gradients are a function of the step.
struct Training {
  explicit Training(bool scalesLoss)
      : weight(torch::tensor({0.5f, -1.f, 2.f}).requires_grad_()),
        update(sgd(), {{"weight", weight, false, false, false}}, scalesLoss) {}

  solver::WeightUpdate::Figures step(int number, float third = 3, float lossesNotFinite = 0) {
    const at::Tensor slope =
        torch::tensor({float(std::sin(number)), float(std::cos(number)), third});
    update.zeroGradients();
    update.scaled((weight * slope).sum()).backward();
    return update.apply(0.01, at::full({}, lossesNotFinite, at::kFloat));
  }
  std::vector<float> weights() const {
    const at::Tensor values = weight.detach().contiguous();
    return {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()};
  }

  at::Tensor weight;
  solver::WeightUpdate update;
};

}  // namespace

class TstWeightUpdate : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void lossScaleEqualsTorchGradScaler() {
    if (tests::python().isEmpty()) QSKIP("needs Python with torch: packaging/setup.sh --dev");
    constexpr int kSteps = 2030;  // the scale grows after 2000 without an overflow
    const std::set<int> overflowing{1, 2, 3, 7, 20};
    QStringList words{QString::fromStdString(
                          (tests::sourceFolder() / "tests/reference/loss_scaling.py").string()),
                      QString::number(kSteps)};
    for (const int step : overflowing) words << QString::number(step);
    QProcess process;
    process.start(tests::python(), words);
    QVERIFY(process.waitForFinished(120000));
    const QJsonObject expected = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
    const QJsonArray scales = expected[QStringLiteral("scales")].toArray();
    QCOMPARE(scales.size(), kSteps);
    Training training(true);
    for (int step = 1; step <= kSteps; ++step) {
      const auto figures = training.step(step, overflowing.contains(step) ? kInfinity : 3);
      QCOMPARE(double(figures.lossScale.item<float>()), scales[step - 1].toDouble());
      QCOMPARE(figures.hasDiverged.item<float>(), 0.f);
      QCOMPARE(std::isfinite(figures.gradientNorm.item<double>()), !overflowing.contains(step));
    }
    QVERIFY(scales[kSteps - 1].toDouble() > scales[30].toDouble());
    const QJsonArray weights = expected[QStringLiteral("weights")].toArray();
    for (int i = 0; i < 3; ++i) {
      const double difference = std::abs(training.weights()[i] - weights[i].toDouble());
      QVERIFY2(difference < 1e-5, qPrintable(QString::number(difference)));
    }
  }

  void overflowAtTheMinimumScaleIsDivergence() {
    Training training(true);
    for (int step = 1; step <= 16; ++step)  // 65536 down to 1
      QCOMPARE(training.step(step, kInfinity).hasDiverged.item<float>(), 0.f);
    const auto figures = training.step(17, kInfinity);
    QCOMPARE(figures.lossScale.item<float>(), 1.f);
    QCOMPARE(figures.hasDiverged.item<float>(), 1.f);
    QCOMPARE(training.weights(), (std::vector<float>{0.5f, -1.f, 2.f}));
  }

  void weightsDoNotChangeAfterDivergence_data() {
    QTest::addColumn<float>("third");
    QTest::addColumn<float>("lossesNotFinite");
    QTest::addColumn<bool>("scalesLoss");
    QTest::newRow("a gradient") << kInfinity << 0.f << false;
    QTest::newRow("a gradient that is no number") << std::nanf("") << 0.f << false;
    QTest::newRow("a loss") << 3.f << 1.f << false;
    QTest::newRow("a loss of fp16") << 3.f << 1.f << true;
  }
  void weightsDoNotChangeAfterDivergence() {
    QFETCH(float, third);
    QFETCH(float, lossesNotFinite);
    QFETCH(bool, scalesLoss);
    Training training(scalesLoss);
    QCOMPARE(training.step(1).hasDiverged.item<float>(), 0.f);
    const std::vector<float> before = training.weights();
    QVERIFY((before != std::vector<float>{0.5f, -1.f, 2.f}));
    QCOMPARE(training.step(2, third, lossesNotFinite).hasDiverged.item<float>(), 1.f);
    QCOMPARE(training.step(3).hasDiverged.item<float>(), 1.f);
    QCOMPARE(training.weights(), before);
  }

  void aNormOutOfFloat32RangeDiverges() {
    Training training(false);
    training.weight.mutable_grad() = at::full({3}, 3e38, at::kFloat);
    const auto figures = training.update.apply(0.01, at::zeros({}, at::kFloat));
    QVERIFY(std::isfinite(figures.gradientNorm.item<double>()));
    QCOMPARE(figures.hasDiverged.item<float>(), 1.f);
  }

  void resumingIsBitwiseIdentical() {
    Training whole(true);
    for (int step = 1; step <= 5; ++step) whole.step(step, step == 2 ? kInfinity : 3);
    solver::NamedTensors saved;
    for (const auto& [name, tensor] : whole.update.state())
      saved.emplace_back(name, tensor.clone());
    Training resumed(true);
    {
      const at::NoGradGuard noGradient;
      resumed.weight.copy_(whole.weight);
    }
    QVERIFY(resumed.update.resume(saved));
    for (int step = 6; step <= 9; ++step) {
      const float third = step == 7 ? kInfinity : 3;
      const auto expected = whole.step(step, third), figures = resumed.step(step, third);
      QCOMPARE(figures.lossScale.item<float>(), expected.lossScale.item<float>());
      QCOMPARE(resumed.weights(), whole.weights());
    }
  }

  void stateOfAnotherPrecisionIsPartlyRestored() {
    Training scaled(true), plain(false);
    scaled.step(1);
    plain.step(1);
    QVERIFY(Training(false).update.resume(scaled.update.state()));
    Training fromPlain(true);
    QVERIFY(fromPlain.update.resume(plain.update.state()));
    QCOMPARE(fromPlain.step(2).lossScale.item<float>(), 65536.f);
  }

  void anInvalidStateIsRefused() {
    Training training(true);
    solver::NamedTensors saved = training.update.state();
    std::erase_if(saved, [](const auto& entry) { return entry.first == "loss_scale.steps"; });
    QVERIFY_EXCEPTION_THROWN(training.update.resume(saved), Error);
    const solver::NamedTensors other{{"momentum_buffer.other", at::zeros({3})}};
    QVERIFY(!Training(false).update.resume(other));
  }
};

LOCKSTEP_TEST(TstWeightUpdate)
#include "tst_weight_update.moc"
