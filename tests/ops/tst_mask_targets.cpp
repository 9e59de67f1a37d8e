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
    const at::Tensor first = torch::zeros({1}, at::kLong);
    const at::Tensor target =
        ops::maskTargets({masks}, {torch::tensor({{0.f, 0.f, 8.f, 8.f}}), first, first}, 4);
    const at::Tensor expected =
        torch::tensor({1.f, 0.75f, 0.f, 0.f}).view({1, 1, 4}).expand({1, 4, 4});
    QVERIFY(at::allclose(target, expected));
  }

  void targetsAreAdaptiveRoiAlignOfTheMasks() {
    torch::manual_seed(5);
    // Images of their own sizes, one without objects.
    const std::vector<at::Tensor> masks{torch::randint(0, 2, {3, 70, 90}, at::kByte),
                                        {},
                                        torch::randint(0, 2, {2, 50, 120}, at::kByte)};
    const at::Tensor corners = torch::rand({20, 2}) * 40;
    const at::Tensor boxes = at::cat({corners, corners + torch::rand({20, 2}) * 60}, 1);
    const at::Tensor images = torch::randint(0, 2, {20}, at::kLong) * 2;
    const at::Tensor objects = torch::randint(0, 2, {20}, at::kLong);
    images[7] = -1;
    const at::Tensor targets = ops::maskTargets(masks, {boxes, images, objects}, 28);
    const at::Tensor rois = at::cat({objects.unsqueeze(1).to(at::kFloat), boxes}, 1);
    for (int p = 0; p < 20; ++p) {
      const auto image = images[p].item<std::int64_t>();
      const at::Tensor expected = image < 0
                                      ? torch::zeros({1, 28, 28})
                                      : ops::roiAlign(masks[image].unsqueeze(1).to(at::kFloat),
                                                      rois.slice(0, p, p + 1), 1.0, {28, 28, 0})
                                            .squeeze(1);
      QVERIFY(at::allclose(targets.slice(0, p, p + 1), expected, 1e-5, 1e-5));
    }
  }

  void noBoxesGiveNothing() {
    const at::Tensor none = torch::zeros({0}, at::kLong);
    QVERIFY((ops::maskTargets({{}}, {torch::zeros({0, 4}), none, none}, 28).sizes() ==
             at::IntArrayRef{0, 28, 28}));
  }

  void anObjectThatIsNotThereIsRefused() {
    const at::Tensor zero = torch::zeros({1}, at::kLong), one = torch::ones({1}, at::kLong);
    const std::vector<at::Tensor> masks{torch::zeros({1, 8, 8}, at::kByte)};
    const at::Tensor box = torch::zeros({1, 4});
    QVERIFY_EXCEPTION_THROWN(ops::maskTargets(masks, {box, zero, one}, 28), c10::Error);
    QVERIFY_EXCEPTION_THROWN(ops::maskTargets(masks, {box, one, zero}, 28), c10::Error);
    QVERIFY_EXCEPTION_THROWN(ops::maskTargets({{}}, {box, zero, zero}, 28), c10::Error);
  }
};

LOCKSTEP_TEST(TstMaskTargets)
#include "tst_mask_targets.moc"
