#include <QObject>
#include <QTest>

#include "engine/ops/max_pool.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

class TstMaxPool : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aKnownMap() {
    const at::Tensor x =
        torch::arange(16, at::kFloat).view({1, 1, 4, 4}).contiguous(at::MemoryFormat::ChannelsLast);
    QVERIFY(at::equal(ops::maxPool3x3(x).flatten(), torch::tensor({5.f, 7.f, 13.f, 15.f})));
  }

  void valuesAndGradientsEqualLibTorch_data() {
    QTest::addColumn<int>("height");
    QTest::addColumn<int>("width");
    for (const auto& [height, width] : {std::pair{8, 12}, {7, 9}, {1, 1}, {2, 5}, {33, 64}}) {
      QTest::addRow("%d x %d", height, width) << height << width;
    }
  }

  void valuesAndGradientsEqualLibTorch() {
    QFETCH(int, height);
    QFETCH(int, width);
    torch::manual_seed(10);
    // Few different values, so that there are ties: most come from a ReLU.
    at::Tensor x = torch::randint(-3, 4, {2, 20, height, width}).to(at::kFloat).relu();
    x = x.contiguous(at::MemoryFormat::ChannelsLast);
    at::Tensor ours = x.clone().requires_grad_(), theirs = x.contiguous().clone().requires_grad_();
    const at::Tensor out = ops::maxPool3x3(ours),
                     expected = at::max_pool2d(theirs, {3, 3}, {2, 2}, {1, 1});
    QVERIFY(at::equal(out, expected));
    const at::Tensor gradOut = torch::randint(-5, 6, out.sizes()).to(at::kFloat);
    (out * gradOut).sum().backward();
    (expected * gradOut).sum().backward();
    QVERIFY(at::equal(ours.grad(), theirs.grad()));
  }

  void otherMemoryFormatsGiveTheSame() {
    const at::Tensor x = torch::randn({2, 6, 9, 8});
    QVERIFY(at::equal(ops::maxPool3x3(x),
                      ops::maxPool3x3(x.contiguous(at::MemoryFormat::ChannelsLast))));
    QVERIFY(at::allclose(ops::maxPool3x3(x.to(at::kDouble)).to(at::kFloat), ops::maxPool3x3(x)));
  }
};

LOCKSTEP_TEST(TstMaxPool)
#include "tst_max_pool.moc"
