#include <QObject>
#include <QTest>

#include "engine/ops/conv2d.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

class TstConv2d : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void valuesAndGradientsEqualLibTorch_data() {
    QTest::addColumn<int>("channels");
    QTest::addColumn<int>("kernel");
    QTest::addColumn<int>("side");
    QTest::addColumn<int>("stride");
    QTest::addColumn<bool>("hasBias");
    QTest::addRow("wide, few pixels") << 256 << 3 << 9 << 1 << false;
    QTest::addRow("wide, few pixels, bias") << 256 << 3 << 8 << 1 << true;
    QTest::addRow("wide, few pixels, stride 2") << 256 << 3 << 13 << 2 << false;
    QTest::addRow("narrow") << 16 << 3 << 9 << 1 << true;
    QTest::addRow("many pixels, which come in parts") << 64 << 3 << 40 << 1 << false;
    QTest::addRow("many pixels, stride 2") << 16 << 3 << 71 << 2 << true;
    QTest::addRow("1 x 1") << 64 << 1 << 9 << 1 << true;
  }

  void valuesAndGradientsEqualLibTorch() {
    QFETCH(int, channels);
    QFETCH(int, kernel);
    QFETCH(int, side);
    QFETCH(int, stride);
    QFETCH(bool, hasBias);
    torch::manual_seed(11);
    const auto last = at::MemoryFormat::ChannelsLast;
    at::Tensor x = torch::randn({2, channels, side, side + 2}).contiguous(last).requires_grad_();
    at::Tensor weight =
        (torch::randn({channels, channels, kernel, kernel}) / 50).contiguous(last).requires_grad_();
    const std::int64_t padding = kernel / 2;
    at::Tensor bias = hasBias ? torch::randn({channels}).requires_grad_() : at::Tensor();
    const auto exact = [](const at::Tensor& leaf) {
      return leaf.detach().to(at::kDouble).requires_grad_();
    };
    at::Tensor x64 = exact(x), weight64 = exact(weight),
               bias64 = hasBias ? exact(bias) : at::Tensor();

    const at::Tensor out = ops::conv2d(x, weight, stride, padding,
                                       {hasBias ? std::optional(bias) : std::nullopt, {}, false});
    const at::Tensor expected =
        at::conv2d(x64, weight64, bias64, {stride, stride}, {padding, padding});
    QVERIFY(at::allclose(out.to(at::kDouble), expected, 1e-4, 1e-4));
    const at::Tensor gradOut = torch::randn(out.sizes());
    (out * gradOut).sum().backward();
    (expected * gradOut).sum().backward();
    QVERIFY(at::allclose(x.grad().to(at::kDouble), x64.grad(), 1e-3, 1e-4));
    QVERIFY(at::allclose(weight.grad().to(at::kDouble), weight64.grad(), 1e-3, 1e-3));
    QVERIFY(weight.grad().is_contiguous(last));
    if (hasBias) QVERIFY(at::allclose(bias.grad().to(at::kDouble), bias64.grad(), 1e-4, 1e-3));
  }

  void aFrozenInputOrWeightGetsNoGradient() {
    const auto last = at::MemoryFormat::ChannelsLast;
    at::Tensor x = torch::randn({1, 256, 5, 5}).contiguous(last);
    at::Tensor weight = torch::randn({256, 256, 3, 3}).contiguous(last).requires_grad_();
    ops::conv2d(x, weight, 1, 1).sum().backward();
    QVERIFY(!x.grad().defined() && weight.grad().defined());
    const at::Tensor frozen = weight.detach();
    QVERIFY(!ops::conv2d(x, frozen, 1, 1).requires_grad());
    x.requires_grad_();
    ops::conv2d(x, frozen, 1, 1).sum().backward();
    QVERIFY(x.grad().defined());
  }
};

LOCKSTEP_TEST(TstConv2d)
#include "tst_conv2d.moc"
