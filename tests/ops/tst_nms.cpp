#include <ATen/Parallel.h>

#include <QObject>
#include <QTest>
#include <algorithm>

#include "engine/ops/nms.h"
#include "engine/structures/boxes.h"
#include "tests/ops/tensors.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using tests::indices;

namespace {

/// Of one image.
struct Candidates {
  at::Tensor boxes, scores, groups;
};

constexpr std::int64_t kGroups = 5;

/// Crowded boxes with scores out of a few values, so that there are ties; nothing of group 2.
Candidates randomCandidates(std::int64_t count) {
  const at::Tensor corners = torch::rand({count, 2}) * 40;
  const at::Tensor groups = torch::randint(0, kGroups - 1, {count}, at::kLong);
  return {at::cat({corners, corners + torch::rand({count, 2}) * 40 + 1}, 1),
          torch::randint(0, 50, {count}).to(at::kFloat) / 50, groups + (groups >= 2)};
}

/// What stays of one image.
at::Tensor kept(const Candidates& all, double threshold) {
  const at::Tensor valid = torch::ones({1, all.scores.size(0)}, at::kBool);
  const ops::Selection selection = ops::selectByNms(
      {all.boxes.unsqueeze(0), all.scores.unsqueeze(0), all.groups.unsqueeze(0), valid, kGroups},
      threshold, all.scores.size(0));
  return selection.indices.masked_select(selection.valid);
}

at::Tensor kept(const at::Tensor& boxes, const at::Tensor& scores, double threshold) {
  return kept({boxes, scores, torch::zeros({scores.size(0)}, at::kLong)}, threshold);
}

/// The definition: by falling score, a box is kept unless its IoU with a kept one of its group
/// exceeds the threshold.
std::vector<std::int64_t> slowNms(const Candidates& all, float threshold) {
  const at::Tensor order = std::get<1>(all.scores.sort(/*stable=*/true, 0, /*descending=*/true));
  const at::Tensor overlaps = structures::boxIou(all.boxes, all.boxes),
                   names = all.groups.contiguous();
  const auto iou = overlaps.accessor<float, 2>();
  const auto group = names.accessor<std::int64_t, 1>();
  std::vector<std::int64_t> kept;
  for (std::int64_t i = 0; i < order.size(0); ++i) {
    const auto index = order[i].item<std::int64_t>();
    const bool isFree = std::ranges::none_of(kept, [&](std::int64_t other) {
      return group[other] == group[index] && iou[other][index] > threshold;
    });
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
    QVERIFY(at::equal(kept(boxes, torch::tensor({0.5f, 0.9f, 0.1f}), 0.5), indices({1, 2})));
    QVERIFY(at::equal(kept(boxes, torch::tensor({0.5f, 0.9f, 0.1f}), 0.9), indices({1, 0, 2})));
  }

  void anIouEqualToTheThresholdIsKept() {
    const at::Tensor boxes = torch::tensor({{0.f, 0.f, 10.f, 10.f}, {0.f, 0.f, 10.f, 5.f}});
    QVERIFY(at::equal(kept(boxes, torch::tensor({0.9f, 0.8f}), 0.5), indices({0, 1})));
  }

  /// 0.3 in float32 is above 0.3: torchvision compares with the threshold in double.
  void theThresholdIsNotRounded() {
    const at::Tensor boxes = torch::tensor({{0.f, 0.f, 10.f, 10.f}, {0.f, 0.f, 10.f, 3.f}});
    QVERIFY(at::equal(kept(boxes, torch::tensor({0.9f, 0.8f}), 0.3), indices({0})));
  }

  void equalScoresKeepTheirOrder() {
    const at::Tensor boxes =
        torch::tensor({{0.f, 0.f, 10.f, 10.f}, {0.f, 0.f, 10.f, 10.f}, {20.f, 0.f, 30.f, 10.f}});
    QVERIFY(at::equal(kept(boxes, torch::full({3}, 0.5f), 0.5), indices({0, 2})));
  }

  void groupsDoNotSuppressEachOther() {
    const at::Tensor boxes =
        torch::tensor({{0.f, 0.f, 10.f, 10.f}, {0.f, 0.f, 10.f, 10.f}, {0.f, 0.f, 10.f, 10.f}});
    const at::Tensor scores = torch::tensor({0.1f, 0.9f, 0.5f});
    QVERIFY(at::equal(kept({boxes, scores, indices({4, 4, 0})}, 0.5), indices({1, 2})));
  }

  void resultEqualsTheDefinition_data() {
    QTest::addColumn<int>("count");
    for (const int count : {1, 2, 17, 64, 300, 1000, 4000})
      QTest::addRow("%d boxes", count) << count;
  }

  void resultEqualsTheDefinition() {
    QFETCH(int, count);
    const Candidates all = randomCandidates(count);
    for (const double threshold : {0.3, 0.7}) {
      QVERIFY(at::equal(kept(all, threshold),
                        torch::tensor(slowNms(all, static_cast<float>(threshold)), at::kLong)));
    }
  }

  void imagesAreIndependent() {
    const std::int64_t images = 3, count = 60, most = 9;
    const Candidates all = randomCandidates(images * count);
    const at::Tensor valid = torch::rand({images, count}) < 0.8;
    valid[2].fill_(false);
    const auto ofImages = [&](const at::Tensor& rows) {
      return rows.dim() == 1 ? rows.view({images, count}) : rows.view({images, count, 4});
    };
    const ops::Selection kept = ops::selectByNms(
        {ofImages(all.boxes), ofImages(all.scores), ofImages(all.groups), valid, kGroups}, 0.5,
        most);
    for (int n = 0; n < images; ++n) {
      const at::Tensor rows = valid[n].nonzero().squeeze(1);
      const Candidates own{ofImages(all.boxes)[n].index_select(0, rows),
                           ofImages(all.scores)[n].index_select(0, rows),
                           ofImages(all.groups)[n].index_select(0, rows)};
      const at::Tensor expected =
          rows.index_select(0, torch::tensor(slowNms(own, 0.5f), at::kLong)).slice(0, 0, most);
      QVERIFY(at::equal(kept.indices[n].masked_select(kept.valid[n]), expected));
      QCOMPARE(kept.indices.size(1), most);
    }
  }

  void threadsChangeNothing() {
    const std::int64_t images = 4, count = 1000;
    const Candidates all = randomCandidates(images * count);
    const ops::NmsCandidates from{all.boxes.view({images, count, 4}),
                                  all.scores.view({images, count}),
                                  all.groups.view({images, count}),
                                  torch::rand({images, count}) < 0.9,
                                  kGroups,
                                  400};
    const int before = at::get_num_threads();
    at::set_num_threads(1);
    const ops::Selection expected = ops::selectByNms(from, 0.6, 300);
    at::set_num_threads(3);
    const ops::Selection got = ops::selectByNms(from, 0.6, 300);
    at::set_num_threads(before);
    QVERIFY(at::equal(got.indices, expected.indices));
    QVERIFY(at::equal(got.valid, expected.valid));
  }

  void emptyInputGivesEmptyOutput() {
    const ops::Selection none =
        ops::selectByNms({torch::zeros({2, 0, 4}), torch::zeros({2, 0}),
                          torch::zeros({2, 0}, at::kLong), torch::zeros({2, 0}, at::kBool)},
                         0.5, 10);
    QVERIFY((none.indices.sizes() == at::IntArrayRef{2, 0}));
    QVERIFY(none.indices.scalar_type() == at::kLong);
  }

  void wrongShapesAreRefused() {
    const at::Tensor scores = torch::zeros({1, 3}), groups = torch::zeros({1, 3}, at::kLong),
                     valid = torch::ones({1, 3}, at::kBool);
    const auto select = [&](const ops::NmsCandidates& all) { ops::selectByNms(all, 0.5, 3); };
    QVERIFY_EXCEPTION_THROWN(select({torch::zeros({1, 3, 5}), scores, groups, valid}), c10::Error);
    QVERIFY_EXCEPTION_THROWN(select({torch::zeros({1, 2, 4}), scores, groups, valid}), c10::Error);
    QVERIFY_EXCEPTION_THROWN(
        select({torch::zeros({1, 3, 4}), scores, groups.slice(1, 0, 2), valid}), c10::Error);
  }

  void groupsOutOfRangeAreRefused() {
    const at::Tensor boxes = torch::zeros({1, 3, 4}), scores = torch::zeros({1, 3}),
                     valid = torch::ones({1, 3}, at::kBool);
    const auto select = [&](const at::Tensor& groups, std::int64_t count, std::int64_t most) {
      ops::selectByNms({boxes, scores, groups.unsqueeze(0), valid, count, most}, 0.5, 3);
    };
    select(indices({0, 1, 1}), 2, 2);
    QVERIFY_EXCEPTION_THROWN(select(indices({0, 1, 2}), 2, 2), c10::Error);
    QVERIFY_EXCEPTION_THROWN(select(indices({0, -1, 0}), 2, 2), c10::Error);
    QVERIFY_EXCEPTION_THROWN(select(indices({0, 1, 1}), 2, 1), c10::Error);
  }
};

LOCKSTEP_TEST(TstNms)
#include "tst_nms.moc"
