#include <QObject>
#include <QTest>
#include <algorithm>
#include <vector>

#include "engine/base/counter_hash.h"
#include "engine/ops/sampling.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

class TstSampling : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theSmallestKeysAreChosen() {
    torch::manual_seed(7);
    const at::Tensor isCandidate = torch::rand({200}) < 0.5;
    std::vector<std::pair<std::uint64_t, std::int64_t>> keys;
    for (std::int64_t i = 0; i < 200; ++i) {
      if (isCandidate[i].item<bool>())
        keys.emplace_back(base::counterHash({42, std::uint64_t(i)}), i);
    }
    std::sort(keys.begin(), keys.end());
    std::vector<std::int64_t> expected;
    for (int i = 0; i < 30; ++i) expected.push_back(keys[i].second);
    std::sort(expected.begin(), expected.end());
    const ops::Sample sample = ops::sampleSmallestKeys(isCandidate, 30, 42);
    QVERIFY(at::equal(sample.compact(), torch::tensor(expected, at::kLong)));
    QVERIFY(sample.valid.all().item<bool>());
  }

  void sizeIsFixedWhereCandidatesAreFew() {
    at::Tensor isCandidate = torch::zeros({50}, at::kBool);
    isCandidate[3] = isCandidate[17] = true;
    const ops::Sample sample = ops::sampleSmallestKeys(isCandidate, 10, 1);
    QCOMPARE(sample.indices.size(0), 10);
    QCOMPARE(sample.valid.sum().item<std::int64_t>(), 2);
    QVERIFY(at::equal(sample.compact(), torch::tensor({3, 17}, at::kLong)));
    QCOMPARE(ops::sampleSmallestKeys(isCandidate, 1000, 1).indices.size(0), 50);
    QCOMPARE(ops::sampleSmallestKeys(torch::zeros({0}, at::kBool), 5, 1).indices.size(0), 0);
  }

  void everyCandidateIsChosenAboutAsOften() {
    const at::Tensor all = torch::ones({20}, at::kBool);
    std::vector<int> chosen(20, 0);
    for (std::uint64_t key = 0; key < 2000; ++key) {
      const at::Tensor indices = ops::sampleSmallestKeys(all, 5, key).compact();
      for (int i = 0; i < 5; ++i) ++chosen[indices[i].item<std::int64_t>()];
    }
    for (const int count : chosen)
      QVERIFY(std::abs(count - 500) < 5 * 20);  // deviation of each: 19.4
  }

  void positivesAreLimitedAndNegativesFillUp() {
    at::Tensor labels = torch::full({100}, -1, at::kLong);
    labels.slice(0, 0, 30).fill_(2);
    labels.slice(0, 50, 100).fill_(0);
    const ops::BalancedSample sample = ops::sampleBalanced(labels, {40, 0.25}, 1, 2);
    const at::Tensor positives = sample.positives.compact(), negatives = sample.negatives.compact();
    QCOMPARE(positives.size(0), 10);
    QCOMPARE(negatives.size(0), 30);
    QVERIFY((labels.index_select(0, positives) > 0).all().item<bool>());
    QVERIFY((labels.index_select(0, negatives) == 0).all().item<bool>());
  }

  void missingPositivesAreReplacedByNegatives() {
    at::Tensor labels = torch::zeros({100}, at::kLong);
    labels[4] = 1;
    const ops::BalancedSample sample = ops::sampleBalanced(labels, {40, 0.5}, 1, 2);
    QCOMPARE(sample.positives.compact().size(0), 1);
    QCOMPARE(sample.negatives.compact().size(0), 39);
  }

  void aLargeNumberTakesEverything() {
    const at::Tensor labels = torch::tensor({1, 0, -1, 0, 3}, at::kLong);
    const ops::BalancedSample sample = ops::sampleBalanced(labels, {1000000, 0.5}, 1, 2);
    QVERIFY(at::equal(sample.positives.compact(), torch::tensor({0, 4}, at::kLong)));
    QVERIFY(at::equal(sample.negatives.compact(), torch::tensor({1, 3}, at::kLong)));
  }
};

LOCKSTEP_TEST(TstSampling)
#include "tst_sampling.moc"
