#include <QObject>
#include <QTest>
#include <algorithm>

#include "engine/ops/paste_masks.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

namespace {

/// torchvision's paste_masks_in_image, step by step with LibTorch's own resize.
at::Tensor slowPaste(const at::Tensor& probs, const at::Tensor& box, const ops::ImageSize& size) {
  const std::int64_t side = probs.size(0);
  const at::Tensor padded = at::constant_pad_nd(probs, {1, 1, 1, 1});
  const double scale = double(side + 2) / double(side);
  const at::Tensor half = (box.slice(0, 2, 4) - box.slice(0, 0, 2)) * 0.5 * scale;
  const at::Tensor centre = (box.slice(0, 2, 4) + box.slice(0, 0, 2)) * 0.5;
  const at::Tensor whole = at::cat({centre - half, centre + half}).to(at::kLong);
  const std::int64_t x1 = whole[0].item<std::int64_t>(), y1 = whole[1].item<std::int64_t>();
  const std::int64_t x2 = whole[2].item<std::int64_t>(), y2 = whole[3].item<std::int64_t>();
  const std::int64_t width = std::max<std::int64_t>(x2 - x1 + 1, 1),
                     height = std::max<std::int64_t>(y2 - y1 + 1, 1);
  const at::Tensor grown = at::upsample_bilinear2d(padded.view({1, 1, side + 2, side + 2}),
                                                   {height, width}, false)[0][0];
  at::Tensor image = torch::zeros({size.height, size.width});
  const std::int64_t left = std::max<std::int64_t>(x1, 0), right = std::min(x2 + 1, size.width);
  const std::int64_t top = std::max<std::int64_t>(y1, 0), bottom = std::min(y2 + 1, size.height);
  image.slice(0, top, bottom)
      .slice(1, left, right)
      .copy_(grown.slice(0, top - y1, bottom - y1).slice(1, left - x1, right - x1));
  return (image > 0.5).to(at::kByte);
}

}  // namespace

class TstPasteMasks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aFullMaskFillsItsBox() {
    // 28 px wide and grown by one mask pixel on each side; the border of zeros takes half of it
    // away again.
    const auto crops = ops::pasteMasks(torch::ones({1, 28, 28}),
                                       torch::tensor({{10.f, 20.f, 38.f, 48.f}}), {100, 100});
    QCOMPARE(crops[0].x, 9);
    QCOMPARE(crops[0].y, 19);
    QCOMPARE(crops[0].width, 31);
    const at::Tensor mask = ops::fullMasks(crops, {100, 100})[0];
    QCOMPARE(mask.sum().item<std::int64_t>(), std::int64_t{29} * 29);
    QCOMPARE(mask.slice(0, 20, 48).slice(1, 10, 38).sum().item<std::int64_t>(),
             std::int64_t{28} * 28);
  }

  void pixelsAreThoseOfTorchvisionsSteps() {
    torch::manual_seed(8);
    const ops::ImageSize size{90, 120};
    for (int round = 0; round < 60; ++round) {
      const at::Tensor corner = torch::rand({2}) * 70;
      const at::Tensor box =
          at::cat({corner, corner + torch::rand({2}) * (round % 2 ? 20 : 60)}).clamp_max(90);
      const at::Tensor probs = torch::rand({28, 28});
      const at::Tensor expected = slowPaste(probs, box, size);
      const at::Tensor mask =
          ops::fullMasks(ops::pasteMasks(probs.unsqueeze(0), box.unsqueeze(0), size), size)[0];
      // A value that is 0.5 but for the last bit may round to the other side.
      QVERIFY((mask != expected).sum().item<std::int64_t>() <= 1);
    }
  }

  void aBoxOutsideTheImageIsCut() {
    const ops::ImageSize size{50, 60};
    const at::Tensor boxes = torch::tensor(
        {{40.f, 30.f, 100.f, 90.f}, {-20.f, -20.f, 10.f, 10.f}, {200.f, 200.f, 220.f, 220.f}});
    const auto crops = ops::pasteMasks(torch::ones({3, 28, 28}), boxes, size);
    const at::Tensor masks = ops::fullMasks(crops, size);
    QVERIFY(masks[0].slice(0, 30, 50).slice(1, 40, 60).all().item<bool>());
    QVERIFY(masks[1].slice(0, 0, 10).slice(1, 0, 10).all().item<bool>());
    QCOMPARE(masks[2].sum().item<std::int64_t>(), 0);
    QCOMPARE(crops[2].pixels.size(), std::size_t{0});
  }

  void noDetectionsGiveNoMasks() {
    QVERIFY(ops::pasteMasks(torch::zeros({0, 28, 28}), torch::zeros({0, 4}), {10, 10}).empty());
    QVERIFY((ops::fullMasks({}, {10, 12}).sizes() == at::IntArrayRef{0, 10, 12}));
  }
};

LOCKSTEP_TEST(TstPasteMasks)
#include "tst_paste_masks.moc"
