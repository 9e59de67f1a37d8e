#include <QObject>
#include <QTest>
#include <cmath>

#include "engine/base/image_size.h"
#include "engine/ops/resize_images.h"
#include "engine/structures/packed_images.h"
#include "tests/support/test_main.h"
#include "tests/support/torch_reference.h"

using namespace lockstep;

namespace {

/// Images [height,width,3] uint8 with their resize parameters.
structures::PackedImages packed(const std::vector<at::Tensor>& pictures,
                                const std::vector<structures::ImageRow>& rows) {
  const structures::PackedImages images =
      structures::makePackedImages(rows, structures::HostMemory::Pageable);
  for (std::size_t n = 0; n < pictures.size(); ++n) {
    std::copy_n(pictures[n].contiguous().const_data_ptr<std::uint8_t>(), pictures[n].numel(),
                structures::pixelsOf(images, static_cast<std::int64_t>(n)));
  }
  return images;
}

structures::ImageRow row(const at::Tensor& picture, std::int64_t height, std::int64_t width,
                         bool horizontal = false, bool vertical = false) {
  return {.height = picture.size(0),
          .width = picture.size(1),
          .resizedHeight = height,
          .resizedWidth = width,
          .flipsHorizontally = horizontal,
          .flipsVertically = vertical};
}

at::Tensor noise(std::int64_t height, std::int64_t width) {
  return torch::randint(0, 256, {height, width, 3}, at::kByte);
}

double normalised(int byte, int channel) {
  return (byte / 255.0 - structures::kImageMean[channel]) / structures::kImageStd[channel];
}

/// With ATen: to float, normalise, flip, interpolate, pad.
at::Tensor plain(const at::Tensor& picture, const structures::ImageRow& row,
                 base::ImageSize padded) {
  at::Tensor pixels = picture.permute({2, 0, 1}).to(at::kFloat) / 255;
  pixels = (pixels - torch::tensor(at::ArrayRef<float>(structures::kImageMean)).view({3, 1, 1})) /
           torch::tensor(at::ArrayRef<float>(structures::kImageStd)).view({3, 1, 1});
  if (row.flipsHorizontally) pixels = pixels.flip(2);
  if (row.flipsVertically) pixels = pixels.flip(1);
  namespace F = torch::nn::functional;
  const std::vector<std::int64_t> size{row.resizedHeight, row.resizedWidth};
  pixels = F::interpolate(
      pixels.unsqueeze(0),
      F::InterpolateFuncOptions().size(size).mode(torch::kBilinear).align_corners(false))[0];
  at::Tensor out = torch::zeros({3, padded.height, padded.width});
  out.slice(1, 0, row.resizedHeight).slice(2, 0, row.resizedWidth) = pixels;
  return out;
}

}  // namespace

class TstResizeImages : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void twoPixelsBecomeFourByHand() {
    // Sources of the four: -0.25 (0), 0.25, 0.75, 1.25 (1).
    const at::Tensor picture = torch::tensor({{{0, 10, 20}, {200, 110, 60}}}, at::kByte);
    const at::Tensor out =
        ops::resizeImages(packed({picture}, {row(picture, 1, 4, true)}), {2, 5})[0];
    for (int channel = 0; channel < 3; ++channel) {
      const double left = normalised(picture[0][1][channel].item<int>(), channel),
                   right = normalised(picture[0][0][channel].item<int>(), channel);
      const double expected[5]{left, 0.75 * left + 0.25 * right, 0.25 * left + 0.75 * right, right,
                               0};
      for (int x = 0; x < 5; ++x) {
        QVERIFY(std::abs(out[channel][0][x].item<double>() - expected[x]) < 1e-6);
        QCOMPARE(out[channel][1][x].item<double>(), 0.0);
      }
    }
  }

  void pictures_data() {
    QTest::addColumn<int>("height");
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("toHeight");
    QTest::addColumn<int>("toWidth");
    QTest::newRow("as it is") << 33 << 64 << 33 << 64;
    QTest::newRow("larger") << 37 << 53 << 61 << 87;
    QTest::newRow("smaller") << 61 << 87 << 37 << 53;
    QTest::newRow("to one pixel") << 61 << 87 << 1 << 1;
    QTest::newRow("of one pixel") << 1 << 1 << 45 << 70;
    QTest::newRow("one column") << 90 << 1 << 64 << 3;
    QTest::newRow("one row") << 1 << 90 << 2 << 95;
    QTest::newRow("far away from 0") << 3 << 2999 << 2 << 4001;
  }
  void pictures() {
    QFETCH(int, height);
    QFETCH(int, width);
    QFETCH(int, toHeight);
    QFETCH(int, toWidth);
    torch::manual_seed(3);
    const at::Tensor picture = noise(height, width);
    const base::ImageSize padded{toHeight + 5, toWidth + 9};
    for (const bool horizontal : {false, true}) {
      for (const bool vertical : {false, true}) {
        const structures::ImageRow made = row(picture, toHeight, toWidth, horizontal, vertical);
        const at::Tensor out = ops::resizeImages(packed({picture}, {made}), padded);
        const double difference =
            (out[0] - plain(picture, made, padded)).abs().max().item<double>();
        QVERIFY2(difference <= 1e-6, qPrintable(QString::number(difference)));
      }
    }
  }

  void everyImageIsResizedSeparately() {
    torch::manual_seed(4);
    const std::vector<at::Tensor> pictures{noise(20, 31), noise(1, 1), noise(40, 17)};
    const std::vector<structures::ImageRow> rows{row(pictures[0], 32, 50), row(pictures[1], 7, 3),
                                                 row(pictures[2], 60, 25, true)};
    const base::ImageSize padded{64, 64};
    const at::Tensor out = ops::resizeImages(packed(pictures, rows), padded);
    QVERIFY((out.sizes() == at::IntArrayRef{3, 3, 64, 64}));
    for (int n = 0; n < 3; ++n) {
      QVERIFY(at::allclose(out[n], plain(pictures[n], rows[n], padded), 0, 1e-6));
      QVERIFY(at::equal(out[n], ops::resizeImages(packed({pictures[n]}, {rows[n]}), padded)[0]));
    }
  }

  void noImagesGiveEmptyOutput() {
    QVERIFY((ops::resizeImages(packed({}, {}), {32, 64}).sizes() == at::IntArrayRef{0, 3, 32, 64}));
  }

  void anImageLargerThanThePaddedSizeIsRefused() {
    const at::Tensor picture = noise(4, 4);
    QVERIFY_EXCEPTION_THROWN(ops::resizeImages(packed({picture}, {row(picture, 33, 8)}), {32, 64}),
                             c10::Error);
  }

  void halfPrecisionImagesHaveAFourthChannelOfZeros() {
    const std::vector<at::Tensor> pictures{noise(20, 30), noise(64, 9)};
    const structures::PackedImages images =
        packed(pictures, {row(pictures[0], 25, 41, true), row(pictures[1], 32, 64)});
    const at::Tensor wide = ops::resizeImages(images, {32, 64});
    for (const at::ScalarType type : {at::kBFloat16, at::kHalf}) {
      const at::Tensor out = ops::resizeImages(images, {32, 64}, type);
      QVERIFY((out.sizes() == at::IntArrayRef{2, 4, 32, 64}));
      QVERIFY(out.is_contiguous(at::MemoryFormat::ChannelsLast));
      QVERIFY(at::equal(out.slice(1, 0, 3), wide.to(type)));
      QVERIFY((out.select(1, 3) == 0).all().item<bool>());
    }
    QVERIFY_EXCEPTION_THROWN(ops::resizeImages(images, {32, 64}, at::kDouble), c10::Error);
  }

  void aFourthChannelIsAddedOnce() {
    const at::Tensor three = torch::randn({2, 3, 5, 7}).contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor four = ops::withFourChannels(three);
    QVERIFY(four.is_contiguous(at::MemoryFormat::ChannelsLast));
    QVERIFY(at::equal(four, at::cat({three, torch::zeros({2, 1, 5, 7})}, 1)));
    QVERIFY(ops::withFourChannels(four).is_same(four));
  }
};

LOCKSTEP_TEST(TstResizeImages)
#include "tst_resize_images.moc"
