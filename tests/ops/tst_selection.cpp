#include <QObject>
#include <QTest>

#include "engine/ops/selection.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

class TstSelection : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { torch::manual_seed(12); }

  void rowsOfEachImage() {
    const at::Tensor values = torch::arange(12, at::kFloat).view({2, 3, 2});
    const at::Tensor indices = torch::tensor({{2, 0}, {1, 1}}, at::kLong);
    const at::Tensor expected =
        torch::tensor({4.f, 5.f, 0.f, 1.f, 8.f, 9.f, 8.f, 9.f}).view({2, 2, 2});
    QVERIFY(at::equal(ops::gatherRows(values, indices), expected));
    QVERIFY(at::equal(ops::gatherUniqueRows(values, {indices, {}}), expected));
  }

  void gradientsAreScatteredToTheirRows_data() {
    QTest::addColumn<bool>("hasFields");
    QTest::addColumn<bool>("someDoNotCount");
    QTest::newRow("numbers") << false << false;
    QTest::newRow("rows") << true << false;
    QTest::newRow("rows of which some do not count") << true << true;
  }
  void gradientsAreScatteredToTheirRows() {
    QFETCH(bool, hasFields);
    QFETCH(bool, someDoNotCount);
    const at::Tensor start = hasFields ? torch::randn({2, 9, 4}) : torch::randn({2, 9});
    at::Tensor ours = start.clone().requires_grad_(), plain = start.clone().requires_grad_();
    at::Tensor indices = torch::stack({torch::randperm(9), torch::randperm(9)}).slice(1, 0, 5);
    const at::Tensor valid = torch::arange(5) < (someDoNotCount ? 3 : 5);
    if (someDoNotCount) indices.slice(1, 3).zero_();  // twice, and perhaps one that counts
    const at::Tensor both = valid.unsqueeze(0).expand({2, 5});
    const at::Tensor picked =
        ops::gatherUniqueRows(ours, {indices, someDoNotCount ? both : at::Tensor()});
    const at::Tensor expected = ops::gatherRows(plain, indices);
    QVERIFY(at::equal(picked, expected));
    const at::Tensor gradOut = torch::randn(picked.sizes());
    picked.backward(gradOut);
    const at::Tensor counted = hasFields ? both.unsqueeze(2) : both;
    expected.backward(gradOut * counted);
    QVERIFY(at::equal(ours.grad(), plain.grad()));
  }
};

LOCKSTEP_TEST(TstSelection)
#include "tst_selection.moc"
