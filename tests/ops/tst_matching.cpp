#include <QObject>
#include <QTest>

#include "engine/ops/matching.h"
#include "engine/structures/boxes.h"
#include "engine/structures/ground_truth.h"
#include "tests/ops/tensors.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using tests::indices;

namespace {

/// One image's objects, and a second image's without any.
structures::GtBatch withEmptyImage(const at::Tensor& gts) {
  return structures::batchGroundTruth({{gts, torch::ones({gts.size(0)}, at::kLong), {}}, {}});
}

/// Matches of the first image; those of the second must all be background.
at::Tensor matchFirst(const at::Tensor& gts, const at::Tensor& boxes,
                      const ops::MatchThresholds& thresholds) {
  const at::Tensor matches = ops::matchBoxes(withEmptyImage(gts), boxes, thresholds);
  return (matches[1] == ops::kBelowThreshold).all().item<bool>() ? matches[0] : at::Tensor();
}

/// torchvision's Matcher, on the whole matrix.
at::Tensor slowMatch(const at::Tensor& gts, const at::Tensor& boxes,
                     const ops::MatchThresholds& thresholds) {
  const at::Tensor iou = structures::boxIou(gts, boxes);
  const auto [best, nearest] = iou.max(0);
  at::Tensor matches = nearest.clone();
  matches.index_put_({best < thresholds.background}, ops::kBelowThreshold);
  matches.index_put_({(best >= thresholds.background).logical_and(best < thresholds.foreground)},
                     ops::kBetweenThresholds);
  if (!thresholds.lowQualityMatches) return matches;
  for (std::int64_t g = 0; g < gts.size(0); ++g) {
    const at::Tensor isBest = iou[g] == iou[g].max();
    matches = at::where(isBest, nearest, matches);
  }
  return matches;
}

}  // namespace

class TstMatching : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void thresholdsSeparateMatchedBetweenAndBackground() {
    const at::Tensor gts = torch::tensor({{0.f, 0.f, 10.f, 10.f}});
    // IoU 1, 0.7, 0.5, 0.1, 0
    const at::Tensor boxes = torch::tensor({{0.f, 0.f, 10.f, 10.f},
                                            {0.f, 0.f, 10.f, 7.f},
                                            {0.f, 0.f, 10.f, 5.f},
                                            {0.f, 0.f, 10.f, 1.f},
                                            {20.f, 20.f, 30.f, 30.f}});
    QVERIFY(at::equal(matchFirst(gts, boxes, {0.7, 0.3, false}), indices({0, 0, -2, -1, -1})));
  }

  void lowQualityMatchesIncludeTies() {
    const at::Tensor gts = torch::tensor({{0.f, 0.f, 10.f, 10.f}});
    const at::Tensor boxes =
        torch::tensor({{0.f, 0.f, 10.f, 4.f}, {0.f, 6.f, 10.f, 10.f}, {0.f, 0.f, 10.f, 2.f}});
    QVERIFY(at::equal(matchFirst(gts, boxes, {0.7, 0.3, true}), indices({0, 0, -1})));
    QVERIFY(at::equal(matchFirst(gts, boxes, {0.7, 0.3, false}), indices({-2, -2, -1})));
  }

  void aGroundTruthThatOverlapsNothingTiesWithAllAsInTorchvision() {
    const at::Tensor gts = torch::tensor({{0.f, 0.f, 10.f, 10.f}, {90.f, 90.f, 95.f, 95.f}});
    const at::Tensor boxes =
        torch::tensor({{0.f, 0.f, 10.f, 10.f}, {0.f, 0.f, 10.f, 1.f}, {50.f, 50.f, 60.f, 60.f}});
    QVERIFY(at::equal(matchFirst(gts, boxes, {0.7, 0.3, true}), indices({0, 0, 0})));
  }

  void resultEqualsTorchvisionsMatcher() {
    torch::manual_seed(6);
    for (int round = 0; round < 5; ++round) {
      // Integers, so that there are ties.
      const auto boxesOf = [](std::int64_t count) {
        const at::Tensor corners = torch::randint(0, 60, {count, 2}).to(at::kFloat);
        return at::cat({corners, corners + torch::randint(1, 30, {count, 2}).to(at::kFloat)}, 1);
      };
      const at::Tensor gts = boxesOf(9), boxes = boxesOf(3000);
      for (const bool lowQuality : {false, true}) {
        const ops::MatchThresholds thresholds{0.6, 0.4, lowQuality};
        QVERIFY(at::equal(matchFirst(gts, boxes, thresholds), slowMatch(gts, boxes, thresholds)));
      }
    }
  }

  void eachImageIsMatchedWithItsOwnObjects() {
    torch::manual_seed(8);
    const auto boxesOf = [](std::int64_t count) {
      const at::Tensor corners = torch::rand({count, 2}) * 60;
      return at::cat({corners, corners + torch::rand({count, 2}) * 30 + 1}, 1);
    };
    std::vector<structures::GtInstances> images;
    for (const std::int64_t count : {3, 0, 7, 1})
      images.push_back({boxesOf(count), torch::ones({count}, at::kLong), {}});
    const at::Tensor boxes = boxesOf(4 * 500).view({4, 500, 4});
    const ops::MatchThresholds thresholds{0.5, 0.3, true};
    const at::Tensor matches =
        ops::matchBoxes(structures::batchGroundTruth(images), boxes, thresholds);
    for (const int n : {0, 2, 3})
      QVERIFY(at::equal(matches[n], slowMatch(images[n].boxesXyxy, boxes[n], thresholds)));
    QVERIFY((matches[1] == ops::kBelowThreshold).all().item<bool>());
  }

  void withoutGroundTruthEverythingIsBackground() {
    QVERIFY(at::equal(matchFirst(torch::zeros({0, 4}), torch::ones({3, 4}), {}),
                      indices({-1, -1, -1})));
    QCOMPARE(matchFirst(torch::ones({2, 4}), torch::zeros({0, 4}), {}).size(0), 0);
  }
};

LOCKSTEP_TEST(TstMatching)
#include "tst_matching.moc"
