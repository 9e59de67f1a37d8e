#include <QObject>
#include <QTest>
#include <limits>

#include "engine/ops/segment_best.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

class TstSegmentBest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void bestOfKnownScores() {
    const float infinity = std::numeric_limits<float>::infinity();
    const at::Tensor scores = torch::tensor(
        {{1.f, 3.f, 2.f, -infinity, 5.f, -1.f}, {0.f, -0.f, 0.f, -7.f, -8.f, infinity}});
    const ops::SegmentedTopK best = ops::segmentedTopK(scores, {3, 3}, 2);
    QVERIFY(at::equal(best.indices, torch::tensor({{1, 2, 4, 5}, {0, 1, 5, 3}}, at::kLong)));
    QVERIFY(at::equal(best.segments, torch::tensor({{0, 0, 1, 1}, {0, 0, 1, 1}}, at::kLong)));
  }

  void resultEqualsAStableSort_data() {
    QTest::addColumn<double>("step");
    QTest::newRow("different scores") << 1e-6;
    QTest::newRow("ties") << 0.5;
    QTest::newRow("all equal") << 1e9;
  }
  void resultEqualsAStableSort() {
    QFETCH(double, step);
    torch::manual_seed(3);
    const std::vector<std::int64_t> sizes{900, 0, 50, 1};
    const at::Tensor scores = (torch::randn({3, 951}) / step).round() * step;
    for (const std::int64_t most : {1, 40, 50, 60, 5000}) {
      std::vector<at::Tensor> expected;
      std::int64_t first = 0;
      for (const std::int64_t size : sizes) {
        const at::Tensor own = scores.slice(1, first, first + size);
        expected.push_back(
            std::get<1>(own.sort(/*stable=*/true, 1, /*descending=*/true)).slice(1, 0, most) +
            first);
        first += size;
      }
      QVERIFY(at::equal(ops::segmentedTopK(scores, sizes, most).indices, at::cat(expected, 1)));
    }
  }

  void emptyInputGivesEmptyOutput() {
    QVERIFY((ops::segmentedTopK(torch::zeros({2, 0}), {0, 0}, 5).indices.sizes() ==
             at::IntArrayRef{2, 0}));
    QVERIFY((ops::segmentedTopK(torch::zeros({0, 3}), {3}, 2).indices.sizes() ==
             at::IntArrayRef{0, 2}));
  }
};

LOCKSTEP_TEST(TstSegmentBest)
#include "tst_segment_best.moc"
