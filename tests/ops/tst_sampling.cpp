#include <QObject>
#include <QTest>
#include <algorithm>
#include <vector>

#include "engine/base/counter_hash.h"
#include "engine/ops/sampling.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

namespace {

/// The valid ones of an image in ascending order.
std::vector<std::int64_t> inOrder(const ops::Selection& selection, std::int64_t image) {
  const at::Tensor valid = selection.indices[image].masked_select(selection.valid[image]);
  std::vector<std::int64_t> values(valid.data_ptr<std::int64_t>(),
                                   valid.data_ptr<std::int64_t>() + valid.numel());
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

class TstSampling : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theSmallestKeysAreChosen() {
    torch::manual_seed(7);
    const at::Tensor isCandidate = torch::rand({3, 200}) < 0.5;
    const ops::Selection chosen = ops::selectSmallestKeys(isCandidate, 30, {42, 43, 42});
    for (const int n : {0, 1, 2}) {
      std::vector<std::pair<std::uint64_t, std::int64_t>> keys;
      for (std::int64_t i = 0; i < 200; ++i) {
        if (isCandidate[n][i].item<bool>())
          keys.emplace_back(base::counterHash({n == 1 ? 43U : 42U, std::uint64_t(i)}), i);
      }
      std::sort(keys.begin(), keys.end());
      for (int i = 0; i < 30; ++i)
        QCOMPARE(chosen.indices[n][i].item<std::int64_t>(), keys[i].second);
    }
    QVERIFY(chosen.valid.all().item<bool>());
  }

  void fewCandidatesArePadded() {
    at::Tensor isCandidate = torch::zeros({2, 50}, at::kBool);
    isCandidate[1][3] = isCandidate[1][17] = true;
    const ops::Selection chosen = ops::selectSmallestKeys(isCandidate, 10, {1, 1});
    QCOMPARE(chosen.size(), 10);
    QVERIFY(at::equal(chosen.valid.sum(1), torch::tensor({0, 2}, at::kLong)));
    QCOMPARE(inOrder(chosen, 1), (std::vector<std::int64_t>{3, 17}));
    QVERIFY(chosen.valid[1][1].item<bool>());  // those first
    QCOMPARE(ops::selectSmallestKeys(isCandidate, 1000, {1, 1}).size(), 50);
    QCOMPARE(ops::selectSmallestKeys(torch::zeros({1, 0}, at::kBool), 5, {1}).size(), 0);
  }

  void numbersReplaceIndices() {
    torch::manual_seed(9);
    const at::Tensor all = torch::ones({1, 40}, at::kBool);
    const at::Tensor numbers = torch::randperm(40, at::kLong).unsqueeze(0);
    const ops::Selection byIndex = ops::selectSmallestKeys(all, 8, {5});
    const ops::Selection byNumber = ops::selectSmallestKeys(all, 8, {5}, numbers);
    QVERIFY(at::equal(numbers.gather(1, byNumber.indices), byIndex.indices));
  }

  void everyCandidateIsChosenAboutAsOften() {
    const at::Tensor all = torch::ones({1, 20}, at::kBool);
    std::vector<int> chosen(20, 0);
    for (std::uint64_t key = 0; key < 2000; ++key) {
      for (const std::int64_t i : inOrder(ops::selectSmallestKeys(all, 5, {key}), 0)) ++chosen[i];
    }
    for (const int count : chosen)
      QVERIFY(std::abs(count - 500) < 5 * 20);  // deviation of each: 19.4
  }

  void positivesAreLimitedAndNegativesFillUp() {
    at::Tensor labels = torch::full({1, 100}, -1, at::kLong);
    labels.slice(1, 0, 30).fill_(2);
    labels.slice(1, 50, 100).fill_(0);
    const ops::BalancedSelection sample = ops::sampleBalanced(labels, {40, 0.25}, {{1}, {2}});
    const at::Tensor chosen = labels.gather(1, sample.indices);
    QVERIFY(sample.valid.all().item<bool>());
    QCOMPARE(sample.isPositive.sum().item<std::int64_t>(), 10);
    QVERIFY(sample.isPositive.slice(1, 0, 10).all().item<bool>());
    QVERIFY(at::equal(chosen > 0, sample.isPositive));
    QVERIFY((chosen >= 0).all().item<bool>());
    const std::vector<std::int64_t> indices = inOrder(sample, 0);
    QVERIFY(std::adjacent_find(indices.begin(), indices.end()) == indices.end());
  }

  void negativesFillUpMissingPositives() {
    at::Tensor labels = torch::zeros({2, 100}, at::kLong);
    labels[1][4] = 1;
    const ops::BalancedSelection sample = ops::sampleBalanced(labels, {40, 0.5}, {{1, 1}, {2, 2}});
    QVERIFY(at::equal(sample.isPositive.sum(1), torch::tensor({0, 1}, at::kLong)));
    QVERIFY(at::equal(sample.valid.sum(1), torch::tensor({40, 40}, at::kLong)));
    QCOMPARE(sample.indices[1][0].item<std::int64_t>(), 4);
    // The same negatives as without the positive, but for the last.
    QVERIFY(at::equal(
        sample.indices[1].slice(0, 1, 30),
        ops::sampleBalanced(labels, {39, 0.5}, {{1, 1}, {2, 2}}).indices[1].slice(0, 1, 30)));
  }

  void aLargeCountSelectsEverything() {
    const at::Tensor labels = torch::tensor({1, 0, -1, 0, 3}, at::kLong).unsqueeze(0);
    const ops::BalancedSelection sample = ops::sampleBalanced(labels, {1000000, 0.5}, {{1}, {2}});
    QCOMPARE(sample.size(), 5);
    QCOMPARE(sample.valid.sum().item<std::int64_t>(), 4);
    QCOMPARE(inOrder(sample, 0), (std::vector<std::int64_t>{0, 1, 3, 4}));
    const at::Tensor isPositive = labels.gather(1, sample.indices) > 0;
    QVERIFY(at::equal(isPositive.logical_and(sample.valid), sample.isPositive));
  }
};

LOCKSTEP_TEST(TstSampling)
#include "tst_sampling.moc"
