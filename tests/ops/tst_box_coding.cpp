#include <QObject>
#include <QTest>
#include <cmath>

#include "engine/ops/box_coding.h"
#include "engine/structures/boxes.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

namespace {

constexpr ops::BoxWeights kWeights{10, 10, 5, 5};

at::Tensor randomBoxes(std::int64_t count) {
  const at::Tensor corners = torch::rand({count, 2}) * 80;
  return at::cat({corners, corners + torch::rand({count, 2}) * 40 + 1}, 1);
}

/// Selected rows of each image: values [N,B,4] or [B,4], chosen [N,K].
at::Tensor rowsOf(const at::Tensor& values, const at::Tensor& chosen) {
  std::vector<at::Tensor> images;
  for (std::int64_t n = 0; n < chosen.size(0); ++n)
    images.push_back((values.dim() == 2 ? values : values[n]).index_select(0, chosen[n]));
  return at::stack(images);
}

/// The formulas of the paper in float64; boxes as centre and size.
at::Tensor slowDecode(const at::Tensor& deltas, const at::Tensor& boxes,
                      const ops::BoxWeights& weights) {
  const at::Tensor codes = deltas.to(at::kDouble) / torch::tensor(at::ArrayRef<double>(weights));
  const at::Tensor from = boxes.to(at::kDouble);
  const at::Tensor size = from.slice(-1, 2) - from.slice(-1, 0, 2);
  const at::Tensor centre =
      (from.slice(-1, 2) + from.slice(-1, 0, 2)) / 2 + codes.slice(-1, 0, 2) * size;
  const at::Tensor half = codes.slice(-1, 2).clamp_max(std::log(1000.0 / 16)).exp() * size / 2;
  return at::cat({centre - half, centre + half}, -1);
}

at::Tensor slowEncode(const at::Tensor& targets, const at::Tensor& boxes,
                      const ops::BoxWeights& weights) {
  const at::Tensor from = boxes.to(at::kDouble), to = targets.to(at::kDouble);
  const at::Tensor size = from.slice(-1, 2) - from.slice(-1, 0, 2);
  const at::Tensor shifts =
      (to.slice(-1, 2) + to.slice(-1, 0, 2) - from.slice(-1, 2) - from.slice(-1, 0, 2)) / 2 / size;
  const at::Tensor scales = ((to.slice(-1, 2) - to.slice(-1, 0, 2)) / size).log();
  return at::cat({shifts, scales}, -1) * torch::tensor(at::ArrayRef<double>(weights));
}

bool isClose(const at::Tensor& value, const at::Tensor& expected) {
  return value.sizes() == expected.sizes() &&
         at::allclose(value.to(at::kDouble), expected.to(at::kDouble), 1e-5, 1e-4);
}

/// Encodes each box with the object of the same index, in one image.
at::Tensor encode(const at::Tensor& targets, const at::Tensor& boxes) {
  const at::Tensor all = torch::arange(boxes.size(0)).unsqueeze(0);
  return ops::encodeBoxes({boxes, all, targets.unsqueeze(0), all, torch::ones_like(all, at::kBool)},
                          kWeights)[0];
}

/// Decodes each delta with the box of the same index, in one image.
ops::DecodedBoxes decode(const at::Tensor& deltas, const at::Tensor& boxes,
                         const base::ImageSize& size = {10000, 10000}, double minSide = 0) {
  const at::Tensor all = torch::arange(boxes.size(0)).unsqueeze(0);
  return ops::decodeBoxes({deltas.unsqueeze(0), boxes, 1, all}, kWeights,
                          structures::boxLimits({size}, at::kCPU), minSide);
}

}  // namespace

class TstBoxCoding : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { torch::manual_seed(1); }

  void boxesAreClippedToTheirImage() {
    const at::Tensor boxes = torch::tensor({{-5.f, -6.f, 200.f, 300.f}, {1.f, 2.f, 3.f, 4.f}});
    const at::Tensor expected = torch::tensor({{{0.f, 0.f, 100.f, 50.f}, {1.f, 2.f, 3.f, 4.f}},
                                               {{0.f, 0.f, 2.f, 7.f}, {1.f, 2.f, 2.f, 4.f}}});
    const at::Tensor both = torch::tensor({0, 1, 0, 1}, at::kLong).view({2, 2});
    const auto decoded =
        ops::decodeBoxes({torch::zeros({2, 2, 4}), boxes, 1, both}, kWeights,
                         structures::boxLimits({{50, 100}, {7, 2}}, at::kCPU), 1.5);
    QVERIFY(at::equal(decoded.boxesXyxy, expected));
    QVERIFY(at::equal(decoded.isLarge, torch::tensor({true, true, true, false}).view({2, 2})));
  }

  void smallBoxesAndNanAreNotLarge() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const at::Tensor boxes = torch::tensor(
        {{0.f, 0.f, 5.f, 5.f}, {0.f, 0.f, .5f, 5.f}, {0.f, 0.f, 5.f, 1.f}, {nan, 0.f, nan, 5.f}});
    at::Tensor deltas = torch::zeros({4, 4});
    QVERIFY(at::equal(decode(deltas, boxes, {50, 50}, 1.0).isLarge,
                      torch::tensor({{true, false, true, false}})));
    deltas[0][3] = nan;
    QVERIFY(!decode(deltas, boxes, {50, 50}, 1.0).isLarge[0][0].item<bool>());
  }

  void encodingOfAKnownPair() {
    const at::Tensor anchor = torch::tensor({{0.f, 0.f, 10.f, 20.f}}),
                     target = torch::tensor({{5.f, 5.f, 25.f, 15.f}});
    const auto log2 = static_cast<float>(std::log(2.0));
    const at::Tensor expected = torch::tensor({{10.f, 0.f, 5 * log2, -5 * log2}});
    QVERIFY(at::allclose(encode(target, anchor), expected));
  }

  void decodingUndoesEncoding() {
    const at::Tensor anchors = randomBoxes(50), targets = randomBoxes(50);
    const at::Tensor decoded = decode(encode(targets, anchors), anchors).boxesXyxy[0];
    QVERIFY(at::allclose(decoded, targets, 1e-4, 1e-3));
  }

  void aBoxGrowsAtMost1000By16Times() {
    const at::Tensor anchor = torch::tensor({{1000.f, 1000.f, 1016.f, 1016.f}});
    const at::Tensor decoded = decode(torch::tensor({{0.f, 0.f, 1e6f, 1e6f}}), anchor).boxesXyxy[0];
    QVERIFY(at::allclose(decoded, torch::tensor({{508.f, 508.f, 1508.f, 1508.f}})));
  }

  void selectedDeltasBelongToTheirBoxes_data() {
    QTest::addColumn<int>("perBox");
    QTest::addColumn<bool>("isShared");
    QTest::addColumn<int>("type");
    QTest::newRow("anchors of all images") << 1 << true << static_cast<int>(at::kFloat);
    QTest::newRow("classes") << 5 << false << static_cast<int>(at::kFloat);
    QTest::newRow("bfloat16") << 5 << false << static_cast<int>(at::kBFloat16);
    QTest::newRow("float16") << 1 << true << static_cast<int>(at::kHalf);
    QTest::newRow("float64") << 1 << false << static_cast<int>(at::kDouble);
  }
  void selectedDeltasBelongToTheirBoxes() {
    QFETCH(int, perBox);
    QFETCH(bool, isShared);
    QFETCH(int, type);
    const at::Tensor boxes =
        (isShared ? randomBoxes(20) : randomBoxes(60).view({3, 20, 4})) + 10000;
    const at::Tensor deltas =
        torch::randn({3, 20 * perBox, 4}).to(static_cast<at::ScalarType>(type));
    // A part of wider rows.
    const at::Tensor chosen = torch::randint(20 * perBox, {3, 9}, at::kLong).slice(1, 0, 7);
    const auto decoded = ops::decodeBoxes({deltas, boxes, perBox, chosen}, kWeights,
                                          torch::full({3, 1, 4}, 1e6f), 1.0);
    QVERIFY(isClose(
        decoded.boxesXyxy,
        slowDecode(rowsOf(deltas, chosen), rowsOf(boxes, chosen.div(perBox, "floor")), kWeights)));
    QCOMPARE(decoded.boxesXyxy.scalar_type(), at::kFloat);
  }

  void selectedBoxesBelongToTheirObjects_data() {
    QTest::addColumn<bool>("isShared");
    QTest::newRow("anchors of all images") << true;
    QTest::newRow("boxes of each") << false;
  }
  void selectedBoxesBelongToTheirObjects() {
    QFETCH(bool, isShared);
    const at::Tensor boxes = isShared ? randomBoxes(20) : randomBoxes(60).view({3, 20, 4});
    const at::Tensor objects = randomBoxes(12).view({3, 4, 4});
    const at::Tensor matches = torch::randint(-2, 4, {3, 20}, at::kLong);
    const at::Tensor chosen = torch::randint(20, {3, 16}, at::kLong).slice(1, 0, 11);
    const at::Tensor isPositive = matches.gather(1, chosen) >= 0;
    const at::Tensor targets =
        ops::encodeBoxes({boxes, matches, objects, chosen, isPositive}, kWeights);
    const at::Tensor expected = slowEncode(rowsOf(objects, matches.gather(1, chosen).clamp_min(0)),
                                           rowsOf(boxes, chosen), kWeights)
                                    .masked_fill(isPositive.logical_not().unsqueeze(2), 0);
    QVERIFY(isPositive.any().item<bool>() && !isPositive.all().item<bool>());
    QVERIFY(isClose(targets, expected));
  }

  void emptySelectionGivesEmptyTensors() {
    const at::Tensor none = torch::zeros({2, 0}, at::kLong);
    const auto decoded = ops::decodeBoxes({torch::zeros({2, 3, 4}), randomBoxes(3), 1, none},
                                          kWeights, torch::ones({2, 1, 4}), 1.0);
    QVERIFY((decoded.boxesXyxy.sizes() == at::IntArrayRef{2, 0, 4}));
    QVERIFY((decoded.isLarge.sizes() == at::IntArrayRef{2, 0}));
    const at::Tensor targets = ops::encodeBoxes({randomBoxes(3), torch::zeros({2, 3}, at::kLong),
                                                 torch::zeros({2, 1, 4}), none, none.to(at::kBool)},
                                                kWeights);
    QVERIFY((targets.sizes() == at::IntArrayRef{2, 0, 4}));
  }
};

LOCKSTEP_TEST(TstBoxCoding)
#include "tst_box_coding.moc"
