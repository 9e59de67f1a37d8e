#include <QObject>
#include <QTest>

#include "engine/ops/mask_targets.h"
#include "engine/ops/roi_align.h"
#include "engine/structures/ground_truth.h"
#include "tests/support/masks.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

namespace {

/// masks: [G,H,W] of each image, undefined where there is no object.
structures::GtMasks batched(const std::vector<at::Tensor>& masks) {
  std::vector<structures::GtInstances> images;
  for (const at::Tensor& own : masks) {
    structures::GtInstances image;
    if (own.defined()) {
      image = {torch::zeros({own.size(0), 4}), torch::ones({own.size(0)}, at::kLong),
               tests::cropped(own)};
    }
    images.push_back(image);
  }
  return structures::batchGroundTruth(images).masks;
}

/// One mask whose window is the whole image.
structures::GtMasks uncropped(const at::Tensor& mask) {
  const std::int64_t height = mask.size(0), width = mask.size(1);
  const at::Tensor window =
      torch::tensor({std::int64_t{0}, std::int64_t{0}, std::int64_t{0}, width, height});
  return {mask.flatten(), window.view({1, 1, 5}), torch::tensor({height, width}).view({1, 2}),
          std::max(height, width)};
}

}  // namespace

class TstMaskTargets : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aBoxOverHalfAMaskHasSoftEdges() {
    at::Tensor masks = torch::zeros({1, 8, 8}, at::kByte);
    masks.slice(2, 0, 4).fill_(1);
    // Bins of 2 px with samples half a px from their edges; between columns 3 and 4 the mask falls
    // from 1 to 0.
    const at::Tensor first = torch::zeros({1}, at::kLong);
    const at::Tensor target = ops::maskTargets(
        batched({masks}), {torch::tensor({{0.f, 0.f, 8.f, 8.f}}), first, first}, 4);
    const at::Tensor expected =
        torch::tensor({1.f, 0.75f, 0.f, 0.f}).view({1, 1, 4}).expand({1, 4, 4});
    QVERIFY(at::allclose(target, expected));
  }

  void targetsEqualAdaptiveRoiAlign() {
    torch::manual_seed(5);
    // Images of their own sizes, one without objects, masks in windows of their own.
    std::vector<at::Tensor> masks{torch::randint(0, 2, {3, 70, 90}, at::kByte),
                                  {},
                                  torch::randint(0, 2, {2, 50, 120}, at::kByte)};
    masks[0][1].slice(0, 0, 30).fill_(0);
    masks[2][0].slice(1, 71).fill_(0);
    masks[2][1].slice(0, 40).fill_(0).slice(1, 0, 11).fill_(0);
    const at::Tensor corners = torch::rand({40, 2}) * 40;
    const at::Tensor boxes = at::cat({corners, corners + torch::rand({40, 2}) * 60}, 1);
    const at::Tensor images = torch::randint(0, 2, {40}, at::kLong) * 2;
    const at::Tensor objects = torch::randint(0, 2, {40}, at::kLong);
    images[7] = -1;
    const at::Tensor targets = ops::maskTargets(batched(masks), {boxes, images, objects}, 28);
    const at::Tensor rois = at::cat({objects.unsqueeze(1).to(at::kFloat), boxes}, 1);
    for (int p = 0; p < 40; ++p) {
      const auto image = images[p].item<std::int64_t>();
      const at::Tensor expected = image < 0
                                      ? torch::zeros({1, 28, 28})
                                      : ops::roiAlign(masks[image].unsqueeze(1).to(at::kFloat),
                                                      rois.slice(0, p, p + 1), 1.0, {28, 28, 0})
                                            .squeeze(1);
      QVERIFY(at::allclose(targets.slice(0, p, p + 1), expected, 1e-5, 1e-5));
    }
  }

  void croppingAMaskKeepsItsTargetsBitForBit() {
    torch::manual_seed(6);
    at::Tensor mask = torch::zeros({64, 80}, at::kByte);
    mask.slice(0, 20, 43).slice(1, 33, 61) = torch::randint(0, 2, {23, 28}, at::kByte);
    // Boxes inside, across the edges of the window, around it and beside it.
    const at::Tensor corners = torch::rand({200, 2}) * 50;
    const at::Tensor boxes = at::cat({corners, corners + torch::rand({200, 2}) * 40}, 1);
    const at::Tensor none = torch::zeros({200}, at::kLong);
    QVERIFY(at::equal(ops::maskTargets(batched({mask.unsqueeze(0)}), {boxes, none, none}, 28),
                      ops::maskTargets(uncropped(mask), {boxes, none, none}, 28)));
  }

  void anEmptyMaskGivesATargetOfZeros() {
    const at::Tensor zero = torch::zeros({1}, at::kLong);
    const structures::GtMasks masks = batched({torch::zeros({1, 8, 8}, at::kByte)});
    QCOMPARE(masks.pixels.numel(), std::int64_t{0});
    const at::Tensor target =
        ops::maskTargets(masks, {torch::tensor({{1.f, 1.f, 7.f, 7.f}}), zero, zero}, 28);
    QCOMPARE(target.abs().max().item<float>(), 0.0f);
  }

  void noBoxesGiveEmptyTargets() {
    const at::Tensor none = torch::zeros({0}, at::kLong);
    QVERIFY((ops::maskTargets(batched({{}}), {torch::zeros({0, 4}), none, none}, 28).sizes() ==
             at::IntArrayRef{0, 28, 28}));
  }

  void aMissingObjectIsRefused() {
    const at::Tensor zero = torch::zeros({1}, at::kLong), one = torch::ones({1}, at::kLong);
    const structures::GtMasks masks = batched({torch::ones({1, 8, 8}, at::kByte)});
    const at::Tensor box = torch::zeros({1, 4});
    QVERIFY_EXCEPTION_THROWN(ops::maskTargets(masks, {box, zero, one}, 28), c10::Error);
    QVERIFY_EXCEPTION_THROWN(ops::maskTargets(masks, {box, one, zero}, 28), c10::Error);
    QVERIFY_EXCEPTION_THROWN(ops::maskTargets(batched({{}}), {box, zero, zero}, 28), c10::Error);
  }
};

LOCKSTEP_TEST(TstMaskTargets)
#include "tst_mask_targets.moc"
