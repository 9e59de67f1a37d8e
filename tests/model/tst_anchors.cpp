#include <QObject>
#include <QTest>
#include <cmath>

#include "engine/base/error.h"
#include "engine/base/image_size.h"
#include "engine/config/anchor_fit.h"
#include "engine/config/resized_size.h"
#include "engine/model/anchors.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

class TstAnchors : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cellAnchorsEqualTorchvision() {
    config::AnchorConfig config;
    const model::AnchorGenerator generator(config);
    const at::Tensor anchors =
        generator.generate({64, 64}, {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
    // torchvision: AnchorGenerator(((32,), …), ((0.5, 1.0, 2.0),) * 5).cell_anchors[0]
    const at::Tensor first = torch::tensor(
        {{-23.f, -11.f, 23.f, 11.f}, {-16.f, -16.f, 16.f, 16.f}, {-11.f, -23.f, 11.f, 23.f}});
    QVERIFY(at::equal(anchors.slice(0, 0, 3), first));
    QCOMPARE(anchors.size(0), 15);
  }

  void anchorsAreRowMajorWithTheStrideOfThePaddedSize() {
    config::AnchorConfig config;
    config.sizes = {8, 16, 32, 64, 128};
    config.aspectRatios = {1.0};
    const model::AnchorGenerator generator(config);
    const at::Tensor anchors =
        generator.generate({64, 96}, {{16, 24}, {8, 12}, {4, 6}, {2, 3}, {1, 2}});
    QCOMPARE(anchors.size(0), 16 * 24 + 8 * 12 + 4 * 6 + 2 * 3 + 2);
    QVERIFY(at::equal(anchors[25],
                      torch::tensor({0.f, 0.f, 8.f, 8.f})));  // row 1, column 1 of stride 4
    // The last level has 1 x 2 locations: 64 / 1 high and 96 / 2 wide.
    QVERIFY(at::equal(anchors[-1], torch::tensor({48.f - 64, -64.f, 48.f + 64, 64.f})));
  }

  void cachedAnchorsAreOfTheRequestedSize() {
    const config::AnchorConfig config;
    const model::AnchorGenerator generator(config);
    model::AnchorCache cache(config);
    for (int round = 0; round < 2; ++round) {
      for (std::int64_t side = 1; side <= 12; ++side) {
        const std::vector<base::ImageSize> levels(5, {side, side});
        for (const base::ImageSize& padded : {base::ImageSize{192, 96}, base::ImageSize{96, 192}}) {
          QVERIFY(at::equal(cache.anchors(padded, levels, at::kCPU),
                            generator.generate(padded, levels)));
        }
      }
    }
    const std::vector<base::ImageSize> levels(5, {2, 3});
    QVERIFY(cache.anchors({64, 96}, levels, at::kCPU)
                .is_same(cache.anchors({64, 96}, levels, at::kCPU)));
  }

  /// The best IoU of an object is the maximum over all anchors of its padded image.
  void theFitIsTheMaximumOverAllAnchors() {
    config::AugmentConfig augment;
    augment.minSize = {160};
    augment.maxSize = 260;
    config::AnchorConfig config;
    config.sizes = {12, 24, 48, 96, 192};
    const base::ImageSize original{120, 200}, resized = config::resizedSize(original, 160, 260);
    const base::ImageSize padded{(resized.height + 31) / 32 * 32, (resized.width + 31) / 32 * 32};
    std::vector<base::ImageSize> levels;
    for (const std::int64_t stride : {4, 8, 16, 32})
      levels.push_back({padded.height / stride, padded.width / stride});
    levels.push_back({(levels[3].height + 1) / 2, (levels[3].width + 1) / 2});
    const at::Tensor anchors =
        model::AnchorGenerator(config).generate(padded, levels).to(at::kDouble);
    torch::manual_seed(6);
    std::vector<config::AnnotatedBox> objects;
    for (int i = 0; i < 200; ++i) {
      const at::Tensor random = torch::rand({4}, at::kDouble);
      const double width = 1 + 199 * std::pow(random[0].item<double>(), 3),
                   height = 1 + 119 * std::pow(random[1].item<double>(), 3);
      objects.push_back({original,
                         {(200 - width) * random[2].item<double>(),
                          (120 - height) * random[3].item<double>(), width, height},
                         width * height});
    }
    const config::AnchorFit fit = config::fitAnchors(objects, augment, config);
    std::int64_t missed = 0;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const auto& [x, y, width, height] = objects[i].boxXywh;
      const double scaleX = double(resized.width) / 200, scaleY = double(resized.height) / 120;
      const at::Tensor box = torch::tensor(
          {x * scaleX, y * scaleY, (x + width) * scaleX, (y + height) * scaleY}, at::kDouble);
      const at::Tensor upper = at::maximum(anchors.slice(1, 0, 2), box.slice(0, 0, 2)),
                       lower = at::minimum(anchors.slice(1, 2, 4), box.slice(0, 2, 4));
      const at::Tensor both = (lower - upper).clamp_min(0).prod(1);
      const at::Tensor areas = (anchors.slice(1, 2, 4) - anchors.slice(1, 0, 2)).prod(1);
      const double area = width * scaleX * height * scaleY;
      const double expected = (both / (areas + area - both)).max().item<double>();
      QVERIFY2(std::abs(fit.bestIous[i] - expected) < 1e-6, qPrintable(QString::number(expected)));
      missed += expected < config::kCoveringIou;
    }
    QCOMPARE(fit.all().objects, std::int64_t{200});
    QCOMPARE(fit.all().missed, missed);
    const config::AnchorFit better =
        config::fitAnchors(objects, augment, config::suggestedAnchors(objects, augment, config));
    QVERIFY(better.all().missed <= fit.all().missed);
  }

  void aWrongNumberOfSizesIsRefused() {
    config::AnchorConfig config;
    config.sizes = {32, 64};
    QVERIFY_EXCEPTION_THROWN(model::AnchorGenerator{config}, Error);
  }
};

LOCKSTEP_TEST(TstAnchors)
#include "tst_anchors.moc"
