#include <QObject>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "engine/base/image_size.h"
#include "engine/ops/paste_masks.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

namespace {

/// torchvision's paste_masks_in_image, with LibTorch's resize.
at::Tensor slowPaste(const at::Tensor& probs, const at::Tensor& box, const base::ImageSize& size) {
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

/// The definition of pasteMasks, pixel by pixel with the same rounding: [H,W] uint8.
at::Tensor pixelByPixel(const at::Tensor& probs, const at::Tensor& box,
                        const base::ImageSize& size) {
  const auto side = static_cast<int>(probs.size(0));
  const at::Tensor padded = at::constant_pad_nd(probs, {1, 1, 1, 1}).contiguous();
  const auto corner = box.accessor<float, 1>();
  const auto grow = static_cast<float>(double(side + 2) / side);
  const auto place = [&](int axis, std::int64_t target, int& low, int& high, float& fraction) {
    const float half = (corner[axis + 2] - corner[axis]) * 0.5f * grow;
    const float centre = (corner[axis + 2] + corner[axis]) * 0.5f;
    const auto first = static_cast<std::int64_t>(centre - half),
               last = static_cast<std::int64_t>(centre + half);
    const std::int64_t length = std::max<std::int64_t>(last - first + 1, 1);
    const float scale = float(side + 2) / float(length);
    const float at = std::max((float(target - first) + 0.5f) * scale - 0.5f, 0.0f);
    low = std::min(int(at), side + 1);
    high = std::min(low + 1, side + 1);
    fraction = std::min(at - float(low), 1.0f);
    return target >= first && target <= last;
  };
  at::Tensor image = torch::zeros({size.height, size.width}, at::kByte);
  const auto mask = padded.accessor<float, 2>();
  for (std::int64_t y = 0; y < size.height; ++y) {
    for (std::int64_t x = 0; x < size.width; ++x) {
      int left, right, up, down;
      float across, along;
      const bool inColumns = place(0, x, left, right, across),
                 inRows = place(1, y, up, down, along);
      if (!inColumns || !inRows) continue;
      const float low = (1.0f - along) * mask[up][left] + along * mask[down][left];
      const float high = (1.0f - along) * mask[up][right] + along * mask[down][right];
      image[y][x] = (1.0f - across) * low + across * high > 0.5f;
    }
  }
  return image;
}

ops::MaskRuns slowRuns(const at::Tensor& mask) {
  const at::Tensor pixels = mask.t().contiguous().flatten();
  ops::MaskRuns runs{0};
  for (std::int64_t i = 0; i < pixels.size(0); ++i) {
    const bool isInside = pixels.const_data_ptr<std::uint8_t>()[i] != 0;
    if (isInside != (runs.size() % 2 == 0)) runs.push_back(0);
    ++runs.back();
  }
  return runs;
}

}  // namespace

class TstPasteMasks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aFullMaskFillsItsBox() {
    // 28 px wide and expanded by one mask pixel on each side, of which the zero border removes
    // half.
    const auto masks = ops::pasteMasks(torch::ones({1, 28, 28}),
                                       torch::tensor({{10.f, 20.f, 38.f, 48.f}}), {100, 100});
    ops::MaskRuns expected{10 * 100 + 20};
    for (int column = 0; column < 29; ++column) expected.insert(expected.end(), {29, 71});
    expected.back() = 100 * 100 - (38 * 100 + 49);
    QCOMPARE(masks[0], expected);
    const at::Tensor mask = ops::fullMasks(masks, {100, 100})[0];
    QCOMPARE(mask.sum().item<std::int64_t>(), std::int64_t{29} * 29);
    QVERIFY(mask.slice(0, 20, 49).slice(1, 10, 39).all().item<bool>());
  }

  void runsEqualThePastedPixels() {
    torch::manual_seed(9);
    for (const base::ImageSize& size : {base::ImageSize{33, 47}, {64, 20}}) {
      const at::Tensor ends = torch::rand({80, 2, 2}) * 100 - 25;
      const at::Tensor boxes = at::cat({std::get<0>(ends.min(1)), std::get<0>(ends.max(1))}, 1);
      const at::Tensor probs = (torch::rand({80, 14, 14}) * 2).clamp_max(1);
      const auto masks = ops::pasteMasks(probs, boxes, size);
      for (int d = 0; d < 80; ++d)
        QCOMPARE(masks[d], slowRuns(pixelByPixel(probs[d], boxes[d], size)));
    }
  }

  void probabilityOfOneHalfIsBackground() {
    const base::ImageSize size{30, 30};
    const at::Tensor box = torch::tensor({{2.3f, 1.1f, 27.9f, 25.7f}});
    const at::Tensor half = torch::full({1, 28, 28}, 0.5f);
    QCOMPARE(ops::pasteMasks(half, box, size)[0], ops::MaskRuns{900});
    const float above = std::nextafter(0.5f, 1.0f);
    QVERIFY(ops::pasteMasks(torch::full({1, 28, 28}, above), box, size)[0].size() > 1);
  }

  void pixelsEqualTorchvision() {
    torch::manual_seed(8);
    const base::ImageSize size{90, 120};
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

  void aBoxOutsideTheImageIsClipped() {
    const base::ImageSize size{50, 60};
    const at::Tensor boxes = torch::tensor(
        {{40.f, 30.f, 100.f, 90.f}, {-20.f, -20.f, 10.f, 10.f}, {200.f, 200.f, 220.f, 220.f}});
    const auto runs = ops::pasteMasks(torch::ones({3, 28, 28}), boxes, size);
    const at::Tensor masks = ops::fullMasks(runs, size);
    QVERIFY(masks[0].slice(0, 30, 50).slice(1, 40, 60).all().item<bool>());
    QVERIFY(masks[1].slice(0, 0, 10).slice(1, 0, 10).all().item<bool>());
    QCOMPARE(masks[2].sum().item<std::int64_t>(), 0);
    QCOMPARE(runs[2], ops::MaskRuns{3000});
  }

  void noDetectionsGiveNoMasks() {
    QVERIFY(ops::pasteMasks(torch::zeros({0, 28, 28}), torch::zeros({0, 4}), {10, 10}).empty());
    QVERIFY((ops::fullMasks({}, {10, 12}).sizes() == at::IntArrayRef{0, 10, 12}));
  }
};

LOCKSTEP_TEST(TstPasteMasks)
#include "tst_paste_masks.moc"
