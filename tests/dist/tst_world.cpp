#include <QTest>

#include "engine/dist/world.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

class TstWorld : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aWorldOfOneAgreesWithItself() {
    const auto world = dist::makeWorldOfOne();
    QCOMPARE(world->rank(), 0);
    QCOMPARE(world->size(), 1);
    world->beginAgreement(0xfedcba9876543210U);
    QCOMPARE(world->finishAgreement(), std::uint64_t{0xfedcba9876543210U});
    world->beginAgreement(0);
    QCOMPARE(world->finishAgreement(), std::uint64_t{0});
    const std::string bytes("a\0b", 3);
    QVERIFY(world->gather(bytes) == std::vector<std::string>{bytes});
  }

  void aWorldOfOneLeavesTensorsAsTheyAre() {
    const auto world = dist::makeWorldOfOne();
    torch::Tensor parameter = torch::arange(4, torch::kFloat).requires_grad_();
    (parameter * 3).sum().backward();
    world->averageGradients({parameter});
    world->broadcast({parameter});
    QVERIFY(torch::equal(parameter.grad(), torch::full({4}, 3.0f)));
    QVERIFY(torch::equal(parameter.detach(), torch::arange(4, torch::kFloat)));
  }
};

LOCKSTEP_TEST(TstWorld)
#include "tst_world.moc"
