#include <QObject>
#include <QTest>

#include "engine/ops/mask_targets.h"
#include "engine/ops/roi_align.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

class TstMaskTargets : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aBoxOverHalfAMaskHasSoftEdges() {
    at::Tensor masks = torch::zeros({1, 8, 8}, at::kByte);
    masks.slice(2, 0, 4).fill_(1);
    // Bins of 2 px with samples half a px from their edges; between columns 3 and 4 the mask falls
    // from 1 to 0.
    const at::Tensor target = ops::maskTargets(masks, torch::tensor({{0.f, 0.f, 8.f, 8.f}}),
                                               torch::zeros({1}, at::kLong), 4);
    const at::Tensor expected =
        torch::tensor({1.f, 0.75f, 0.f, 0.f}).view({1, 1, 4}).expand({1, 4, 4});
    QVERIFY(at::allclose(target, expected));
  }

  void targetsAreAdaptiveRoiAlignOfTheMasks() {
    torch::manual_seed(5);
    const at::Tensor masks = torch::randint(0, 2, {3, 70, 90}, at::kByte);
    const at::Tensor corners = torch::rand({20, 2}) * 40;
    const at::Tensor boxes = at::cat({corners, corners + torch::rand({20, 2}) * 60}, 1);
    const at::Tensor matches = torch::randint(0, 3, {20}, at::kLong);
    const at::Tensor rois = at::cat({matches.unsqueeze(1).to(at::kFloat), boxes}, 1);
    const at::Tensor expected =
        ops::roiAlign(masks.unsqueeze(1).to(at::kFloat), rois, 1.0, {28, 28, 0}).squeeze(1);
    QVERIFY(at::allclose(ops::maskTargets(masks, boxes, matches, 28), expected, 1e-5, 1e-5));
  }

  void noBoxesGiveNothing() {
    const at::Tensor none = ops::maskTargets(
        torch::zeros({0, 8, 8}, at::kByte), torch::zeros({0, 4}), torch::zeros({0}, at::kLong), 28);
    QVERIFY((none.sizes() == at::IntArrayRef{0, 28, 28}));
  }

  void aMatchThatIsNotThereIsRefused() {
    QVERIFY_EXCEPTION_THROWN(
        ops::maskTargets(torch::zeros({1, 8, 8}, at::kByte), torch::zeros({1, 4}),
                         torch::ones({1}, at::kLong), 28),
        c10::Error);
  }
};

LOCKSTEP_TEST(TstMaskTargets)
#include "tst_mask_targets.moc"
