#include <ATen/Parallel.h>

#include <QObject>
#include <QTest>

#include "engine/ops/group_norm.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

namespace {

struct Inputs {
  at::Tensor x, weight, bias, residual;

  /// The same values as other leaves.
  Inputs copy(at::ScalarType type) const {
    const auto leaf = [&](const at::Tensor& tensor) {
      return tensor.detach().to(type, false, true).requires_grad_();
    };
    return {leaf(x), leaf(weight), leaf(bias), leaf(residual)};
  }
  std::vector<at::Tensor> gradients() const {
    return {x.grad(), weight.grad(), bias.grad(), residual.grad()};
  }
};

Inputs randomInputs(std::int64_t channels, std::int64_t height, std::int64_t width) {
  const auto map = [&] {
    return (torch::randn({3, channels, height, width}) * 2 + 1)
        .contiguous(at::MemoryFormat::ChannelsLast)
        .requires_grad_();
  };
  return {map(), torch::randn({channels}).requires_grad_(),
          torch::randn({channels}).requires_grad_(), map()};
}

at::Tensor stepByStep(const Inputs& in, const ops::GroupNormOptions& options, bool hasResidual) {
  at::Tensor out = at::group_norm(in.x, options.groups, in.weight, in.bias, options.epsilon);
  if (hasResidual) out = out + in.residual;
  return options.hasRelu ? out.relu() : out;
}

at::Tensor atOnce(const Inputs& in, const ops::GroupNormOptions& options, bool hasResidual) {
  const auto residual = hasResidual ? std::optional(in.residual) : std::nullopt;
  return ops::groupNorm(in.x, in.weight, in.bias, residual, options);
}

}  // namespace

class TstGroupNorm : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { torch::manual_seed(9); }
  void cleanup() { at::set_num_threads(2); }

  void aKnownMap() {
    // Two groups of one channel and two pixels each: -1 and 1 after normalisation.
    const at::Tensor x = torch::tensor({1.f, 3.f, 10.f, 30.f})
                             .view({1, 2, 1, 2})
                             .contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor weight = torch::tensor({1.f, 2.f}), bias = torch::tensor({0.f, 0.5f});
    const at::Tensor plain = ops::groupNorm(x, weight, bias, {}, {2, 0.0, false});
    QVERIFY(at::allclose(plain.flatten(), torch::tensor({-1.f, 1.f, -1.5f, 2.5f})));
    const at::Tensor whole =
        ops::groupNorm(x, weight, bias, torch::full_like(x, 1.25), {2, 0.0, true});
    QVERIFY(at::allclose(whole.flatten(), torch::tensor({0.25f, 2.25f, 0.f, 3.75f})));
  }

  void valuesAndGradientsEqualLibTorch_data() {
    QTest::addColumn<int>("channels");
    QTest::addColumn<int>("groups");
    QTest::addColumn<bool>("hasRelu");
    QTest::addColumn<bool>("hasResidual");
    for (const auto& [channels, groups] : {std::pair{64, 32}, {24, 8}, {20, 4}}) {
      for (const bool relu : {false, true}) {
        for (const bool residual : {false, true}) {
          QTest::addRow("%d channels, %d groups%s%s", channels, groups, relu ? ", ReLU" : "",
                        residual ? ", residual" : "")
              << channels << groups << relu << residual;
        }
      }
    }
  }

  void valuesAndGradientsEqualLibTorch() {
    QFETCH(int, channels);
    QFETCH(int, groups);
    QFETCH(bool, hasRelu);
    QFETCH(bool, hasResidual);
    const ops::GroupNormOptions options{groups, 1e-5, hasRelu};
    const Inputs ours = randomInputs(channels, 37, 29);  // more pixels than one part has
    const Inputs exact = ours.copy(at::kDouble);
    const at::Tensor out = atOnce(ours, options, hasResidual),
                     expected = stepByStep(exact, options, hasResidual);
    QVERIFY(at::allclose(out.to(at::kDouble), expected, 1e-5, 1e-5));
    const at::Tensor gradOut = torch::randn(out.sizes());
    (out * gradOut).sum().backward();
    (expected * gradOut).sum().backward();
    for (std::size_t i = 0; i < 4; ++i) {
      if (i == 3 && !hasResidual) continue;
      QVERIFY(at::allclose(ours.gradients()[i].to(at::kDouble), exact.gradients()[i], 1e-4, 1e-4));
    }
  }

  void batchNormEqualsLibTorch_data() {
    QTest::addColumn<bool>("hasRelu");
    QTest::addColumn<bool>("hasResidual");
    QTest::addColumn<bool>("isFloat");
    for (const bool relu : {false, true}) {
      for (const bool residual : {false, true}) {
        for (const bool isFloat : {false, true}) {
          QTest::addRow("%s%s%s", isFloat ? "float32" : "float64", relu ? ", ReLU" : "",
                        residual ? ", residual" : "")
              << relu << residual << isFloat;
        }
      }
    }
  }

  void batchNormEqualsLibTorch() {
    QFETCH(bool, hasRelu);
    QFETCH(bool, hasResidual);
    QFETCH(bool, isFloat);
    const Inputs ours = randomInputs(20, 37, 29).copy(isFloat ? at::kFloat : at::kDouble);
    const Inputs exact = ours.copy(at::kDouble);
    const auto statistics = [](at::ScalarType type) {
      return ops::RunningStatistics{torch::full({20}, 0.25, type), torch::full({20}, 2.0, type),
                                    0.3};
    };
    const auto found = statistics(ours.x.scalar_type()), wanted = statistics(at::kDouble);
    const auto residual = hasResidual ? std::optional(ours.residual) : std::nullopt;
    const at::Tensor out =
        ops::batchNorm(ours.x, ours.weight, ours.bias, residual, found, {1e-3, hasRelu});
    at::Tensor expected = at::batch_norm(exact.x, exact.weight, exact.bias, wanted.mean,
                                         wanted.variance, true, wanted.momentum, 1e-3, false);
    if (hasResidual) expected = expected + exact.residual;
    if (hasRelu) expected = expected.relu();
    QVERIFY(at::allclose(out.to(at::kDouble), expected, 1e-5, 1e-5));
    QVERIFY(at::allclose(found.mean.to(at::kDouble), wanted.mean, 1e-6, 1e-7));
    QVERIFY(at::allclose(found.variance.to(at::kDouble), wanted.variance, 1e-6, 1e-7));
    const at::Tensor gradOut = torch::randn(out.sizes());
    (out * gradOut).sum().backward();
    (expected * gradOut).sum().backward();
    for (std::size_t i = 0; i < 4; ++i) {
      if (i == 3 && !hasResidual) continue;
      QVERIFY(at::allclose(ours.gradients()[i].to(at::kDouble), exact.gradients()[i], 1e-4, 1e-4));
    }
  }

  /// LibTorch sums such a map in float32.
  void batchNormOfALargeMapKeepsItsPrecision() {
    const Inputs inputs = randomInputs(32, 400, 300);
    const auto relativeTo = [&](const at::Tensor& exact, const at::Tensor& value) {
      return (value.to(at::kDouble) - exact).norm().item<double>() / exact.norm().item<double>();
    };
    const at::NoGradGuard noGrad;
    const Inputs exact = inputs.copy(at::kDouble);
    const at::Tensor expected =
        at::batch_norm(exact.x, exact.weight, exact.bias, {}, {}, true, 0, 1e-5, false);
    const ops::RunningStatistics running{torch::zeros({32}), torch::ones({32})};
    const at::Tensor out =
        ops::batchNorm(inputs.x, inputs.weight, inputs.bias, std::nullopt, running, {});
    const double difference = relativeTo(expected, out);
    QVERIFY2(difference < 5e-7, qPrintable(QString::number(difference)));
  }

  void threadsDoNotChangeABit() {
    const Inputs inputs = randomInputs(64, 60, 50);
    std::vector<std::vector<at::Tensor>> results;
    for (const int threads : {1, 2, 3}) {
      at::set_num_threads(threads);
      const Inputs copy = inputs.copy(at::kFloat);
      const at::Tensor out = atOnce(copy, {32, 1e-5, true}, true);
      out.square().sum().backward();
      results.push_back(copy.gradients());
      results.back().push_back(out.detach());
    }
    for (std::size_t i = 0; i < results[0].size(); ++i) {
      QVERIFY(at::equal(results[0][i], results[1][i]) && at::equal(results[0][i], results[2][i]));
    }
  }

  void aLargeMeanCostsLittlePrecision() {
    const at::Tensor x =
        (torch::randn({1, 32, 64, 64}) + 100).contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor one = torch::ones({32}), zero = torch::zeros({32});
    const at::Tensor out = ops::groupNorm(x, one, zero, {}, {8, 1e-5, false});
    const at::Tensor expected =
        at::group_norm(x.to(at::kDouble), 8, one.to(at::kDouble), zero.to(at::kDouble), 1e-5);
    QVERIFY(at::allclose(out.to(at::kDouble), expected, 1e-3, 1e-3));
  }

  void halfPrecisionIsRoundedOnce_data() {
    QTest::addColumn<bool>("ofBatch");
    QTest::addColumn<bool>("hasRelu");
    QTest::addColumn<bool>("hasResidual");
    for (const bool batch : {false, true}) {
      for (const bool relu : {false, true}) {
        for (const bool residual : {false, true}) {
          QTest::addRow("%s%s%s", batch ? "batch" : "group", relu ? ", ReLU" : "",
                        residual ? ", residual" : "")
              << batch << relu << residual;
        }
      }
    }
  }
  void halfPrecisionIsRoundedOnce() {
    QFETCH(bool, ofBatch);
    QFETCH(bool, hasRelu);
    QFETCH(bool, hasResidual);
    Inputs halves = randomInputs(24, 37, 29), floats = halves.copy(at::kFloat);
    for (const auto map : {&Inputs::x, &Inputs::residual}) {
      (halves.*map) = (halves.*map).detach().to(at::kBFloat16).requires_grad_();
      (floats.*map) = (halves.*map).detach().to(at::kFloat).requires_grad_();
    }
    const auto run = [&](const Inputs& in) {
      if (!ofBatch) return atOnce(in, {8, 1e-5, hasRelu}, hasResidual);
      const ops::RunningStatistics running{torch::zeros({24}), torch::ones({24})};
      return ops::batchNorm(in.x, in.weight, in.bias,
                            hasResidual ? std::optional(in.residual) : std::nullopt, running,
                            {1e-5, hasRelu});
    };
    const at::Tensor out = run(halves), expected = run(floats);
    QVERIFY(out.scalar_type() == at::kBFloat16);
    QVERIFY(at::equal(out, expected.to(at::kBFloat16)));
    const at::Tensor gradOut = torch::randn(out.sizes()).to(at::kBFloat16);
    out.backward(gradOut);
    expected.backward(gradOut.to(at::kFloat));
    for (std::size_t i = 0; i < 4; ++i) {
      if (i == 3 && !hasResidual) continue;
      const at::Tensor gradient = halves.gradients()[i];
      QVERIFY(at::equal(gradient, floats.gradients()[i].to(gradient.scalar_type())));
    }
  }

  void otherMemoryFormatsAndTypesGiveTheSame() {
    const Inputs inputs = randomInputs(64, 9, 7);
    const ops::GroupNormOptions options{32, 1e-5, true};
    const at::Tensor expected = atOnce(inputs, options, true);
    Inputs contiguous = inputs.copy(at::kFloat);
    contiguous.x = contiguous.x.detach().contiguous();
    QVERIFY(at::allclose(atOnce(contiguous, options, true), expected, 1e-4, 1e-5));
    QVERIFY(at::allclose(atOnce(inputs.copy(at::kDouble), options, true).to(at::kFloat), expected,
                         1e-4, 1e-5));
    const at::Tensor none = torch::zeros({0, 64, 4, 4});
    QCOMPARE(ops::groupNorm(none, inputs.weight, inputs.bias, {}, options).size(0), 0);
  }
};

LOCKSTEP_TEST(TstGroupNorm)
#include "tst_group_norm.moc"
