#include <QObject>
#include <QTest>
#include <cmath>

#include "engine/ops/boxes.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

namespace {

constexpr ops::BoxWeights kWeights{10, 10, 5, 5};

at::Tensor randomBoxes(std::int64_t count) {
  const at::Tensor corners = torch::rand({count, 2}) * 80;
  return at::cat({corners, corners + torch::rand({count, 2}) * 40 + 1}, 1);
}

}  // namespace

class TstBoxes : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { torch::manual_seed(1); }

  void iouOfKnownPairs() {
    const at::Tensor first = torch::tensor({{0.f, 0.f, 10.f, 10.f}, {20.f, 20.f, 30.f, 30.f}});
    const at::Tensor second =
        torch::tensor({{0.f, 0.f, 10.f, 10.f}, {5.f, 0.f, 15.f, 10.f}, {0.f, 0.f, 5.f, 5.f}});
    const at::Tensor expected = torch::tensor({{1.f, 50.f / 150, 0.25f}, {0.f, 0.f, 0.f}});
    QVERIFY(at::allclose(ops::boxIou(first, second), expected));
    QVERIFY((ops::boxIou(torch::zeros({0, 4}), second).sizes() == at::IntArrayRef{0, 3}));
  }

  void boxesAreClippedToHeightAndWidth() {
    const at::Tensor boxes = torch::tensor({{-5.f, -6.f, 200.f, 300.f}, {1.f, 2.f, 3.f, 4.f}});
    const at::Tensor expected = torch::tensor({{{0.f, 0.f, 100.f, 50.f}, {1.f, 2.f, 3.f, 4.f}},
                                               {{0.f, 0.f, 2.f, 7.f}, {1.f, 2.f, 2.f, 4.f}}});
    const at::Tensor limits = ops::boxLimits({{50, 100}, {7, 2}}, at::kCPU);
    QVERIFY(at::equal(ops::clipBoxes(at::stack({boxes, boxes}), limits), expected));
  }

  void boxesWithAShortSideOrNoNumbersAreLeftOut() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const at::Tensor boxes = torch::tensor(
        {{0.f, 0.f, 5.f, 5.f}, {0.f, 0.f, .5f, 5.f}, {0.f, 0.f, 5.f, 1.f}, {nan, 0.f, nan, 5.f}});
    QVERIFY(at::equal(ops::areLarge(boxes, 1.0), torch::tensor({true, false, true, false})));
  }

  void encodingOfAKnownPair() {
    const at::Tensor anchor = torch::tensor({{0.f, 0.f, 10.f, 20.f}}),
                     target = torch::tensor({{5.f, 5.f, 25.f, 15.f}});
    const auto log2 = static_cast<float>(std::log(2.0));
    const at::Tensor expected = torch::tensor({{10.f, 0.f, 5 * log2, -5 * log2}});
    QVERIFY(at::allclose(ops::encodeBoxes(target, anchor, kWeights), expected));
  }

  void decodingUndoesEncoding() {
    const at::Tensor anchors = randomBoxes(50), targets = randomBoxes(50);
    const at::Tensor deltas = ops::encodeBoxes(targets, anchors, kWeights);
    QVERIFY(at::allclose(ops::decodeBoxes(deltas, anchors, kWeights), targets, 1e-4, 1e-3));
  }

  void leadingSizesAreThoseOfImages() {
    const at::Tensor anchors = randomBoxes(12), deltas = torch::randn({12, 4});
    const auto ofImages = [](const at::Tensor& rows) { return rows.view({3, 4, 4}); };
    const at::Tensor decoded = ops::decodeBoxes(deltas, anchors, kWeights);
    QVERIFY(at::equal(ops::decodeBoxes(ofImages(deltas), ofImages(anchors), kWeights),
                      ofImages(decoded)));
    QVERIFY(at::equal(ops::encodeBoxes(ofImages(decoded), ofImages(anchors), kWeights),
                      ofImages(ops::encodeBoxes(decoded, anchors, kWeights))));
    const at::Tensor iou = ops::boxIou(ofImages(anchors), decoded);
    QVERIFY(at::equal(iou[1], ops::boxIou(anchors.slice(0, 4, 8), decoded)));
  }

  void aBoxGrowsAtMost1000By16Times() {
    const at::Tensor anchor = torch::tensor({{0.f, 0.f, 16.f, 16.f}});
    const at::Tensor decoded =
        ops::decodeBoxes(torch::tensor({{0.f, 0.f, 1e6f, 1e6f}}), anchor, {1, 1, 1, 1});
    QVERIFY(at::allclose(decoded, torch::tensor({{-492.f, -492.f, 508.f, 508.f}})));
  }
};

LOCKSTEP_TEST(TstBoxes)
#include "tst_boxes.moc"
