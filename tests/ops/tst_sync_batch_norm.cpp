#include <QTest>

#include "engine/ops/sync_batch_norm.h"
#include "tests/dist/ranks.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using tests::onRanks;
using tests::require;

namespace {

constexpr double kEpsilon = 1e-5;
constexpr std::int64_t kChannels = 5;

/// Images of a rank; their size differs between ranks.
at::Tensor imagesOf(int rank) {
  const std::int64_t count = 2 + rank;
  return torch::arange(count * kChannels * 3 * 4, torch::kDouble)
                 .reshape({count, kChannels, 3, 4})
                 .mul(0.7 + rank)
                 .sin() *
             3 +
         2;
}

at::Tensor lossOf(const at::Tensor& y, int rank) {
  return (y * torch::arange(y.numel(), torch::kDouble).reshape(y.sizes()).cos()).sum() * (1 + rank);
}

struct Parameters {
  at::Tensor weight = torch::linspace(0.5, 2, kChannels, torch::kDouble).requires_grad_();
  at::Tensor bias = torch::linspace(-1, 1, kChannels, torch::kDouble).requires_grad_();
  ops::RunningStatistics running{torch::full({kChannels}, 0.25, torch::kDouble),
                                 torch::full({kChannels}, 1.5, torch::kDouble)};
};

}  // namespace

class TstSyncBatchNorm : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsBatchNormOverAllRanks_data() {
    QTest::addColumn<int>("ranks");
    for (const int ranks : {1, 2, 3}) QTest::addRow("%d ranks", ranks) << ranks;
  }
  /// Output, gradients and running statistics are torch's of one batch with the pixels of all.
  void equalsBatchNormOverAllRanks() {
    QFETCH(int, ranks);
    Parameters expected;
    // One batch: [1, C, every pixel of every image of every rank].
    std::vector<at::Tensor> inputs, flat;
    for (int rank = 0; rank < ranks; ++rank) {
      inputs.push_back(imagesOf(rank).requires_grad_());
      flat.push_back(inputs.back().permute({1, 0, 2, 3}).reshape({1, kChannels, -1}));
    }
    const at::Tensor all =
        torch::batch_norm(at::cat(flat, 2), expected.weight, expected.bias, expected.running.mean,
                          expected.running.variance, true, 0.1, kEpsilon, false);
    std::vector<at::Tensor> outputs;
    std::int64_t begin = 0;
    at::Tensor loss = torch::zeros({}, torch::kDouble);
    for (int rank = 0; rank < ranks; ++rank) {
      const at::Tensor& x = inputs[rank];
      const std::int64_t pixels = x.numel() / kChannels;
      outputs.push_back(
          all.narrow(2, begin, pixels).view({kChannels, x.size(0), 3, 4}).permute({1, 0, 2, 3}));
      loss = loss + lossOf(outputs.back(), rank);
      begin += pixels;
    }
    loss.backward();

    std::vector<Parameters> own(ranks);
    onRanks(ranks, [&](dist::World& world) {
      const int rank = world.rank();
      Parameters& mine = own[rank];
      const at::Tensor x = imagesOf(rank).requires_grad_();
      const at::Tensor y = ops::syncBatchNorm(x, mine.weight, mine.bias, mine.running, kEpsilon,
                                              world.sumOverRanks(at::kCPU, std::nullopt));
      lossOf(y, rank).backward();
      require(torch::allclose(y, outputs[rank], 1e-9, 1e-9), "output");
      require(torch::allclose(x.grad(), inputs[rank].grad(), 1e-9, 1e-9), "gradient of x");
      require(torch::allclose(mine.running.mean, expected.running.mean, 1e-9), "running mean");
      require(torch::allclose(mine.running.variance, expected.running.variance, 1e-9),
              "running variance");
    });
    at::Tensor weight = torch::zeros({kChannels}, torch::kDouble), bias = weight.clone();
    for (const Parameters& ofRank : own) weight += ofRank.weight.grad(), bias += ofRank.bias.grad();
    QVERIFY(torch::allclose(weight, expected.weight.grad(), 1e-9, 1e-9));
    QVERIFY(torch::allclose(bias, expected.bias.grad(), 1e-9, 1e-9));
  }
};

LOCKSTEP_TEST(TstSyncBatchNorm)
#include "tst_sync_batch_norm.moc"
