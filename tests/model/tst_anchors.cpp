#include <QObject>
#include <QTest>

#include "engine/base/error.h"
#include "engine/base/image_size.h"
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

  void aWrongNumberOfSizesIsRefused() {
    config::AnchorConfig config;
    config.sizes = {32, 64};
    QVERIFY_EXCEPTION_THROWN(model::AnchorGenerator{config}, Error);
  }
};

LOCKSTEP_TEST(TstAnchors)
#include "tst_anchors.moc"
