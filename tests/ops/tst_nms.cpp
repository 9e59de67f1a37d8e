#include <QObject>
#include <QTest>

#include "engine/ops/boxes.h"
#include "engine/ops/nms.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

namespace {

at::Tensor indices(std::initializer_list<std::int64_t> values) {
  return torch::tensor(std::vector<std::int64_t>(values), at::kLong);
}

struct Candidates {
  at::Tensor boxes, scores, groups;
};

/// Crowded boxes with scores out of a few values, so that there are ties.
Candidates randomCandidates(std::int64_t count) {
  const at::Tensor corners = torch::rand({count, 2}) * 40;
  return {at::cat({corners, corners + torch::rand({count, 2}) * 40 + 1}, 1),
          torch::randint(0, 50, {count}).to(at::kFloat) / 50,
          torch::randint(0, 4, {count}, at::kLong) * 7 - 3};
}

/// The definition, box by box: best first, kept unless a kept one of its group overlaps too much.
std::vector<std::int64_t> slowNms(const Candidates& all, float threshold) {
  const at::Tensor order = std::get<1>(all.scores.sort(/*stable=*/true, 0, /*descending=*/true));
  const at::Tensor iou = ops::boxIou(all.boxes, all.boxes);
  std::vector<std::int64_t> kept;
  for (std::int64_t i = 0; i < order.size(0); ++i) {
    const auto index = order[i].item<std::int64_t>();
    bool isFree = true;
    for (const std::int64_t other : kept) {
      const bool isSameGroup =
          all.groups[other].item<std::int64_t>() == all.groups[index].item<std::int64_t>();
      if (isSameGroup && iou[other][index].item<float>() > threshold) isFree = false;
    }
    if (isFree) kept.push_back(index);
  }
  return kept;
}

}  // namespace

class TstNms : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { torch::manual_seed(2); }

  void overlappingBoxIsSuppressed() {
    const at::Tensor boxes =
        torch::tensor({{0.f, 0.f, 10.f, 10.f}, {1.f, 0.f, 11.f, 10.f}, {20.f, 0.f, 30.f, 10.f}});
    QVERIFY(at::equal(ops::nms(boxes, torch::tensor({0.5f, 0.9f, 0.1f}), 0.5), indices({1, 2})));
    QVERIFY(at::equal(ops::nms(boxes, torch::tensor({0.5f, 0.9f, 0.1f}), 0.9), indices({1, 0, 2})));
  }

  void anOverlapOfExactlyTheThresholdStays() {
    const at::Tensor boxes = torch::tensor({{0.f, 0.f, 10.f, 10.f}, {0.f, 0.f, 10.f, 5.f}});
    QVERIFY(at::equal(ops::nms(boxes, torch::tensor({0.9f, 0.8f}), 0.5), indices({0, 1})));
  }

  /// 0.3 in float32 is above 0.3: torchvision compares with the threshold in double.
  void theThresholdIsNotRounded() {
    const at::Tensor boxes = torch::tensor({{0.f, 0.f, 10.f, 10.f}, {0.f, 0.f, 10.f, 3.f}});
    QVERIFY(at::equal(ops::nms(boxes, torch::tensor({0.9f, 0.8f}), 0.3), indices({0})));
  }

  void equalScoresKeepTheirOrder() {
    const at::Tensor boxes =
        torch::tensor({{0.f, 0.f, 10.f, 10.f}, {0.f, 0.f, 10.f, 10.f}, {20.f, 0.f, 30.f, 10.f}});
    QVERIFY(at::equal(ops::nms(boxes, torch::full({3}, 0.5f), 0.5), indices({0, 2})));
  }

  void groupsDoNotSuppressEachOther() {
    const at::Tensor boxes =
        torch::tensor({{0.f, 0.f, 10.f, 10.f}, {0.f, 0.f, 10.f, 10.f}, {0.f, 0.f, 10.f, 10.f}});
    const at::Tensor scores = torch::tensor({0.1f, 0.9f, 0.5f});
    QVERIFY(at::equal(ops::batchedNms(boxes, scores, indices({7, 7, -2}), 0.5), indices({1, 2})));
  }

  void resultIsThatOfTheDefinition_data() {
    QTest::addColumn<int>("count");
    for (const int count : {1, 2, 17, 64, 300}) QTest::addRow("%d boxes", count) << count;
  }

  void resultIsThatOfTheDefinition() {
    QFETCH(int, count);
    const Candidates all = randomCandidates(count);
    for (const double threshold : {0.3, 0.7}) {
      const at::Tensor kept = ops::batchedNms(all.boxes, all.scores, all.groups, threshold);
      QVERIFY(
          at::equal(kept, torch::tensor(slowNms(all, static_cast<float>(threshold)), at::kLong)));
    }
  }

  void eachImageIsChosenFromAlone() {
    const std::int64_t images = 3, count = 60, most = 9;
    const Candidates all = randomCandidates(images * count);
    const at::Tensor isThere = torch::rand({images, count}) < 0.8;
    isThere[2].fill_(false);
    const auto ofImages = [&](const at::Tensor& rows) {
      return rows.dim() == 1 ? rows.view({images, count}) : rows.view({images, count, 4});
    };
    const ops::Selection kept = ops::selectByNms(
        {ofImages(all.boxes), ofImages(all.scores), ofImages(all.groups), isThere}, 0.5, most);
    for (int n = 0; n < images; ++n) {
      const at::Tensor rows = isThere[n].nonzero().squeeze(1);
      const Candidates own{ofImages(all.boxes)[n].index_select(0, rows),
                           ofImages(all.scores)[n].index_select(0, rows),
                           ofImages(all.groups)[n].index_select(0, rows)};
      const at::Tensor expected =
          rows.index_select(0, torch::tensor(slowNms(own, 0.5f), at::kLong)).slice(0, 0, most);
      QVERIFY(at::equal(kept.indices[n].masked_select(kept.valid[n]), expected));
      QCOMPARE(kept.indices.size(1), most);
    }
  }

  void nothingGivesNothing() {
    const at::Tensor kept =
        ops::batchedNms(torch::zeros({0, 4}), torch::zeros({0}), torch::zeros({0}, at::kLong), 0.5);
    QCOMPARE(kept.size(0), 0);
    QVERIFY(kept.scalar_type() == at::kLong);
  }

  void wrongShapesAreRefused() {
    QVERIFY_EXCEPTION_THROWN(ops::nms(torch::zeros({3, 5}), torch::zeros({3}), 0.5), c10::Error);
    QVERIFY_EXCEPTION_THROWN(ops::nms(torch::zeros({3, 4}), torch::zeros({2}), 0.5), c10::Error);
  }
};

LOCKSTEP_TEST(TstNms)
#include "tst_nms.moc"
