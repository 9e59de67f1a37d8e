#include <QObject>
#include <QTest>
#include <cmath>
#include <limits>

#include "engine/ops/epilogue.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

namespace {

/// The operators one after the other, in float64.
at::Tensor reference(const at::Tensor& map, const ops::Epilogue& epilogue) {
  at::Tensor out = map;
  if (epilogue.bias) out = out + epilogue.bias->view({1, -1, 1, 1});
  if (epilogue.residual) out = out + *epilogue.residual;
  return epilogue.hasRelu ? out.relu() : out;
}

}  // namespace

class TstEpilogue : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void epilogueIsBiasResidualAndRelu_data() {
    QTest::addColumn<bool>("hasBias");
    QTest::addColumn<bool>("hasResidual");
    QTest::addColumn<bool>("hasRelu");
    QTest::addColumn<int>("type");
    QTest::addColumn<bool>("isChannelsLast");
    for (const bool isLast : {true, false}) {
      for (const auto type : {at::kFloat, at::kDouble, at::kBFloat16}) {
        for (int parts = 0; parts < 8; ++parts) {
          const auto name =
              QStringLiteral("%1%2%3 %4 %5")
                  .arg(QLatin1String(parts & 1 ? "bias " : ""),
                       QLatin1String(parts & 2 ? "residual " : ""),
                       QLatin1String(parts & 4 ? "relu" : ""), QLatin1String(c10::toString(type)),
                       QLatin1String(isLast ? "channels_last" : "contiguous"));
          QTest::newRow(qPrintable(name))
              << bool(parts & 1) << bool(parts & 2) << bool(parts & 4) << int(type) << isLast;
        }
      }
    }
  }
  void epilogueIsBiasResidualAndRelu() {
    QFETCH(bool, hasBias);
    QFETCH(bool, hasResidual);
    QFETCH(bool, hasRelu);
    QFETCH(int, type);
    QFETCH(bool, isChannelsLast);
    torch::manual_seed(3);
    const auto format =
        isChannelsLast ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
    const auto leaf = [&](at::IntArrayRef sizes, at::ScalarType of) {
      at::Tensor values = torch::randn(sizes).to(of);
      if (values.dim() == 4) values = values.contiguous(format);
      return values.requires_grad_();
    };
    const auto scalar = static_cast<at::ScalarType>(type);
    const auto biasType = scalar == at::kBFloat16 ? at::kFloat : scalar;
    const at::Tensor map = leaf({2, 19, 5, 7}, scalar), bias = leaf({19}, biasType),
                     residual = leaf({2, 19, 5, 7}, scalar);
    const auto exact = [](const at::Tensor& of) {
      return of.detach().to(at::kDouble).requires_grad_();
    };
    const at::Tensor map64 = exact(map), bias64 = exact(bias), residual64 = exact(residual);
    const auto parts = [&](const at::Tensor& b, const at::Tensor& r) {
      return ops::Epilogue{hasBias ? std::optional(b) : std::nullopt,
                           hasResidual ? std::optional(r) : std::nullopt, hasRelu};
    };
    const at::Tensor out = ops::applyEpilogue(map * 1, parts(bias, residual));
    const at::Tensor expected = reference(map64, parts(bias64, residual64));
    const double tolerance = scalar == at::kBFloat16 ? 2e-2 : 1e-5;
    QCOMPARE(out.scalar_type(), scalar);
    QVERIFY(out.is_contiguous(format));
    QVERIFY(at::allclose(out.to(at::kDouble), expected, tolerance, tolerance));
    // In half precision the ReLU may differ near zero.
    const at::Tensor gradOut =
        torch::randn(out.sizes()) * (expected.detach().abs() > 0.05).to(at::kFloat);
    (out.to(at::kFloat) * gradOut).sum().backward();
    (expected * gradOut).sum().backward();
    const auto compare = [&](const at::Tensor& got, const at::Tensor& wanted) {
      QCOMPARE(got.grad().scalar_type(), got.scalar_type());
      QVERIFY(at::allclose(got.grad().to(at::kDouble), wanted.grad(), tolerance, 5 * tolerance));
    };
    compare(map, map64);
    if (hasBias) compare(bias, bias64);
    if (hasResidual) compare(residual, residual64);
  }

  void epilogueIsInPlace() {
    const at::Tensor map = torch::ones({1, 4, 2, 2}).contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor out = ops::applyEpilogue(map, {torch::full({4}, 2.f), {}, false});
    QCOMPARE(out.data_ptr(), map.data_ptr());
    QVERIFY((map == 3).all().item<bool>());
  }

  void nanIsPropagated() {
    const at::Tensor map =
        torch::full({1, 4, 2, 2}, std::nanf("")).contiguous(at::MemoryFormat::ChannelsLast);
    QVERIFY(ops::applyEpilogue(map, {{}, {}, true}).isnan().all().item<bool>());
  }

  void onlyOneInputMayRequireAGradient() {
    const auto map = [] {
      return torch::randn({1, 4, 2, 2}).contiguous(at::MemoryFormat::ChannelsLast);
    };
    const at::Tensor residual = map().requires_grad_(), bias = torch::zeros({4}).requires_grad_();
    ops::applyEpilogue(map(), {torch::zeros({4}), residual, true}).sum().backward();
    QVERIFY(residual.grad().defined());
    ops::applyEpilogue(map(), {bias, map(), true}).sum().backward();
    QVERIFY(bias.grad().defined());
    QVERIFY(!ops::applyEpilogue(map(), {torch::zeros({4}), map(), true}).requires_grad());
  }

  void emptyMapIsAccepted() {
    const at::Tensor map = torch::zeros({0, 4, 2, 2});
    QCOMPARE(ops::applyEpilogue(map, {torch::zeros({4}), map, true}).numel(), 0);
  }

  void wrongShapesAreRefused() {
    const at::Tensor map = torch::zeros({1, 4, 2, 2});
    QVERIFY_EXCEPTION_THROWN(ops::applyEpilogue(map, {torch::zeros({3}), {}, false}), c10::Error);
    QVERIFY_EXCEPTION_THROWN(ops::applyEpilogue(map, {{}, torch::zeros({1, 4, 2, 3}), false}),
                             c10::Error);
  }
};

LOCKSTEP_TEST(TstEpilogue)
#include "tst_epilogue.moc"
