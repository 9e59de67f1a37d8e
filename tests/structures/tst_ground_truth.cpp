#include <QObject>
#include <QTest>

#include "engine/structures/ground_truth.h"
#include "tests/support/masks.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

namespace {

structures::GtInstances madeObjects(std::int64_t count, std::int64_t height, std::int64_t width) {
  at::Tensor masks = torch::zeros({count, height, width}, at::kByte);
  for (std::int64_t g = 0; g < count; ++g)
    masks[g].slice(0, g, height - 1).slice(1, 2, width - g) =
        torch::randint(0, 2, {height - 1 - g, width - 2 - g}, at::kByte);
  return {torch::rand({count, 4}), torch::randint(1, 9, {count}, at::kLong), tests::cropped(masks)};
}

}  // namespace

class TstGroundTruth : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void groundTruthIsPaddedAndRecovered() {
    torch::manual_seed(1);
    const std::vector<structures::GtInstances> images{
        madeObjects(2, 9, 14), {}, madeObjects(5, 20, 11), madeObjects(1, 1 + 2, 3 + 1)};
    const structures::GtBatch batch = structures::batchGroundTruth(images);
    QVERIFY((batch.boxesXyxy.sizes() == at::IntArrayRef{4, 5, 4}));
    QVERIFY(at::equal(batch.counts, torch::tensor({2, 0, 5, 1}, at::kLong)));
    QCOMPARE(batch.masks.longestSide, std::int64_t{20});
    for (const int n : {0, 2, 3}) {
      const structures::GtInstances got = tests::instancesOf(batch, n);
      QVERIFY(at::equal(got.boxesXyxy, images[n].boxesXyxy));
      QVERIFY(at::equal(got.classes, images[n].classes));
      QVERIFY(at::equal(tests::wholeMasks(got.masks), tests::wholeMasks(images[n].masks)));
    }
    QCOMPARE(batch.boxesXyxy.sum().item<float>(),
             (images[0].boxesXyxy.sum() + images[2].boxesXyxy.sum() + images[3].boxesXyxy.sum())
                 .item<float>());
    QVERIFY((batch.classes[1] == 0).all().item<bool>());
    QVERIFY((batch.masks.windows[1].select(1, 0) == structures::MaskWindow::kNoMask)
                .all()
                .item<bool>());
  }

  void aBatchWithoutObjectsHasOnePaddingRow() {
    const structures::GtBatch batch = structures::batchGroundTruth({{}, {}});
    QVERIFY((batch.boxesXyxy.sizes() == at::IntArrayRef{2, 1, 4}));
    QVERIFY(!batch.isObject().any().item<bool>());
    QCOMPARE(batch.masks.pixels.numel(), std::int64_t{0});
  }

  void tensorsOfABlockAreCopiedToADevice() {
    std::vector<at::Tensor> parts = structures::makeBlock(
        {{at::kByte, {3}}, {at::kFloat, {2, 5}}, {at::kLong, {0, 7}}, {at::kLong, {4}}},
        structures::HostMemory::Pageable);
    parts[0].copy_(torch::tensor({7, 8, 9}, at::kByte));
    parts[1].copy_(torch::arange(10, at::kFloat).view({2, 5}));
    parts[3].copy_(torch::tensor({-1, 2, -3, 4}, at::kLong));
    QVERIFY(parts[1].is_alias_of(parts[0]) && parts[3].is_alias_of(parts[0]));
    // The meta device: sizes, types and strides, no values.
    const std::vector<at::Tensor> moved = structures::blockTo(parts, at::kMeta);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      QVERIFY(moved[i].sizes() == parts[i].sizes());
      QCOMPARE(moved[i].scalar_type(), parts[i].scalar_type());
      QCOMPARE(moved[i].storage_offset(), parts[i].storage_offset());
    }
    QVERIFY(at::equal(parts[0], torch::tensor({7, 8, 9}, at::kByte)));
    QVERIFY(at::equal(parts[1].flatten(), torch::arange(10, at::kFloat)));
    QVERIFY(at::equal(parts[3], torch::tensor({-1, 2, -3, 4}, at::kLong)));
    QVERIFY_EXCEPTION_THROWN(structures::blockTo({parts[0], torch::zeros({2})}, at::kMeta),
                             c10::Error);
  }
};

LOCKSTEP_TEST(TstGroundTruth)
#include "tst_ground_truth.moc"
