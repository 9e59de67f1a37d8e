#include <QTest>

#include "engine/dist/world.h"
#include "tests/dist/ranks.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using tests::onRanks;
using tests::require;

namespace {

/// Two layers, and a third that only some losses use.
struct Net {
  at::Tensor first = torch::linspace(-1, 1, 12).reshape({4, 3}).requires_grad_();
  at::Tensor second = torch::linspace(1, 2, 8).reshape({2, 4}).requires_grad_();
  at::Tensor side = torch::ones({4}).requires_grad_();
  at::Tensor unused = torch::ones({5}).requires_grad_();

  std::vector<at::Tensor> parameters() const { return {first, second, side, unused}; }
  at::Tensor loss(int sample, bool usesSide) const {
    const at::Tensor x = torch::arange(3, torch::kFloat) + sample;
    const at::Tensor hidden = first.matmul(x).tanh();
    at::Tensor out = second.matmul(hidden).square().sum();
    if (usesSide) out = out + (side * hidden).sum();
    return out;
  }
};

void setToZero(const std::vector<at::Tensor>& parameters) {
  const at::NoGradGuard noGradient;
  for (const at::Tensor& parameter : parameters)
    if (parameter.grad().defined()) parameter.grad().zero_();
}

/// The gradients of a single process that runs all micro-batches of all ranks one after another.
std::vector<at::Tensor> expectedGradients(int ranks, int microBatches, int step,
                                          const std::function<bool(int)>& usesSide) {
  const Net net;
  for (int rank = 0; rank < ranks; ++rank) {
    for (int microBatch = 0; microBatch < microBatches; ++microBatch)
      (net.loss(100 * step + 10 * rank + microBatch, usesSide(rank)) / (ranks * microBatches))
          .backward();
  }
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : net.parameters()) {
    gradients.push_back(parameter.grad().defined() ? parameter.grad()
                                                   : torch::zeros_like(parameter));
  }
  return gradients;
}

}  // namespace

class TstGradientAverage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void gradientsAreTheMeansOverRanksAndMicroBatches_data() {
    QTest::addColumn<int>("ranks");
    QTest::addColumn<int>("microBatches");
    QTest::addColumn<int>("sideRank");
    for (const int ranks : {1, 2, 3}) {
      for (const int microBatches : {1, 3}) {
        QTest::addRow("%d ranks, %d micro-batches", ranks, microBatches)
            << ranks << microBatches << -1;
        QTest::addRow("%d ranks, %d micro-batches, all with the third layer", ranks, microBatches)
            << ranks << microBatches << -2;
        QTest::addRow("%d ranks, %d micro-batches, the last with the third layer", ranks,
                      microBatches)
            << ranks << microBatches << ranks - 1;
      }
    }
  }
  /// Also if a parameter is used on no rank, or on one only.
  void gradientsAreTheMeansOverRanksAndMicroBatches() {
    QFETCH(int, ranks);
    QFETCH(int, microBatches);
    QFETCH(int, sideRank);
    const auto usesSide = [&](int rank) { return sideRank == -2 || rank == sideRank; };
    onRanks(ranks, [&](dist::World& world) {
      const Net net;
      const auto average = world.averageGradients(net.parameters(), 2, std::nullopt);
      for (int step = 0; step < 3; ++step) {
        setToZero(net.parameters());
        for (int microBatch = 0; microBatch < microBatches; ++microBatch) {
          const at::Tensor loss =
              net.loss(100 * step + 10 * world.rank() + microBatch, usesSide(world.rank()));
          average->backward(loss / microBatches,
                            torch::tensor({1.f + world.rank(), float(step)}) / microBatches,
                            microBatch + 1 == microBatches);
        }
        const auto expected = expectedGradients(ranks, microBatches, step, usesSide);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          const at::Tensor& gradient = net.parameters()[i].grad();
          const at::Tensor found = gradient.defined() ? gradient : torch::zeros_like(expected[i]);
          require(torch::allclose(found, expected[i], 1e-6, 1e-6),
                  ("gradient " + std::to_string(i) + " of step " + std::to_string(step)).c_str());
        }
        const at::Tensor figures = average->figures();
        REQUIRE(torch::allclose(figures, torch::tensor({(1.f + ranks) / 2, float(step)})));
      }
    });
  }

  /// A non-finite gradient on one rank is non-finite on all ranks.
  void nanReachesEveryRank() {
    onRanks(3, [](dist::World& world) {
      const Net net;
      const auto average = world.averageGradients(net.parameters(), 1, std::nullopt);
      const float figure = world.rank() == 1 ? std::nanf("") : 1;
      average->backward(net.loss(1, false), torch::tensor({figure}), true);
      REQUIRE(average->figures().isnan().item<bool>());
      REQUIRE(torch::isfinite(net.first.grad()).all().item<bool>());
    });
  }

  /// Two trainings with three ranks are bitwise identical, and so are the ranks.
  void gradientsAreDeterministic() {
    std::vector<at::Tensor> ends(6);
    for (int run = 0; run < 2; ++run) {
      onRanks(3, [&](dist::World& world) {
        torch::manual_seed(1);
        std::vector<at::Tensor> weights;
        for (int i = 0; i < 40; ++i)
          weights.push_back((torch::arange(300 * 300, torch::kFloat) * (0.37f + i))
                                .sin()
                                .reshape({300, 300})
                                .mul(0.1)
                                .requires_grad_());
        const auto average = world.averageGradients(weights, 1, std::nullopt);
        for (int step = 0; step < 3; ++step) {
          at::Tensor x = torch::full({300}, 0.1 * (1 + world.rank() + step));
          for (const at::Tensor& weight : weights) x = weight.matmul(x).tanh();
          setToZero(weights);
          average->backward(x.square().sum(), torch::zeros({1}), true);
          const at::NoGradGuard noGradient;
          for (const at::Tensor& weight : weights) weight.sub_(weight.grad(), 0.1);
        }
        std::vector<at::Tensor> flat;
        for (const at::Tensor& weight : weights) flat.push_back(weight.detach().flatten());
        ends[run * 3 + world.rank()] = at::cat(flat);
      });
    }
    for (const at::Tensor& end : ends) QVERIFY(torch::equal(end, ends[0]));
  }
};

LOCKSTEP_TEST(TstGradientAverage)
#include "tst_gradient_average.moc"
