#include <QObject>
#include <QTest>

#include "engine/structures/boxes.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

class TstBoxes : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void iouOfKnownPairs() {
    const at::Tensor first = torch::tensor({{0.f, 0.f, 10.f, 10.f}, {20.f, 20.f, 30.f, 30.f}});
    const at::Tensor second =
        torch::tensor({{0.f, 0.f, 10.f, 10.f}, {5.f, 0.f, 15.f, 10.f}, {0.f, 0.f, 5.f, 5.f}});
    const at::Tensor expected = torch::tensor({{1.f, 50.f / 150, 0.25f}, {0.f, 0.f, 0.f}});
    QVERIFY(at::allclose(structures::boxIou(first, second), expected));
    QVERIFY((structures::boxIou(torch::zeros({0, 4}), second).sizes() == at::IntArrayRef{0, 3}));
  }

  void limitsAreWidthHeightWidthHeight() {
    const at::Tensor limits = structures::boxLimits({{50, 100}, {7, 2}}, at::kCPU);
    QVERIFY(
        at::equal(limits, torch::tensor({{{100.f, 50.f, 100.f, 50.f}}, {{2.f, 7.f, 2.f, 7.f}}})));
  }
};

LOCKSTEP_TEST(TstBoxes)
#include "tst_boxes.moc"
