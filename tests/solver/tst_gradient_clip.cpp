#include <ATen/Parallel.h>

#include <QTest>

#include "engine/solver/gradient_clip.h"
#include "tests/support/test_main.h"
#include "tests/support/torch_reference.h"

using namespace lockstep;

namespace {

/// Parameters with gradients of several sizes; the last has none.
std::vector<at::Tensor> someParameters() {
  torch::manual_seed(3);
  std::vector<at::Tensor> parameters;
  for (std::int64_t size : {1, 7, 40000, 123457}) {
    parameters.push_back(torch::zeros({size}).requires_grad_());
    parameters.back().mutable_grad() = torch::randn({size});
  }
  parameters.push_back(torch::zeros({3}).requires_grad_());
  return parameters;
}

at::Tensor flatGradients(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> flat;
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) flat.push_back(parameter.grad().flatten().to(torch::kDouble));
  }
  return torch::cat(flat);
}

}  // namespace

class TstGradientClip : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theNormIsOverAllGradients() {
    const auto parameters = someParameters();
    const at::Tensor before = flatGradients(parameters);
    const double norm = solver::clipGradientNorm(parameters, 0).norm.item<double>();
    const double expected = before.norm().item<double>();
    QVERIFY(std::abs(norm - expected) <= 1e-12 * expected);
    QVERIFY(torch::equal(flatGradients(parameters), before));
  }

  void clippingEqualsTorch() {
    const auto ours = someParameters(), theirs = someParameters();
    solver::clipGradientNorm(ours, 10);
    torch::nn::utils::clip_grad_norm_(theirs, 10);
    QVERIFY(torch::allclose(flatGradients(ours), flatGradients(theirs), 1e-5, 1e-9));
    QVERIFY(std::abs(flatGradients(ours).norm().item<double>() - 10) < 1e-4);
  }

  void smallGradientsAreNotScaled() {
    const auto parameters = someParameters();
    const at::Tensor before = flatGradients(parameters);
    solver::clipGradientNorm(parameters, 1e6);
    QVERIFY(torch::equal(flatGradients(parameters), before));
  }

  void theNormDoesNotDependOnThreads() {
    const int threads = at::get_num_threads();
    std::vector<double> norms;
    for (int count : {1, 2, 3}) {
      at::set_num_threads(count);
      norms.push_back(solver::clipGradientNorm(someParameters(), 0).norm.item<double>());
    }
    at::set_num_threads(threads);
    QCOMPARE(norms[1], norms[0]);
    QCOMPARE(norms[2], norms[0]);
  }

  void otherLayoutsAndTypesHaveTheSameNorm() {
    at::Tensor parameter = torch::zeros({4, 6}).requires_grad_();
    parameter.mutable_grad() = torch::randn({6, 8}).t().slice(0, 0, 8, 2);  // with gaps
    const double expected = parameter.grad().to(torch::kDouble).norm().item<double>();
    const double norm = solver::clipGradientNorm({parameter}, expected / 2).norm.item<double>();
    QVERIFY(std::abs(norm - expected) <= 1e-6 * expected);
    QVERIFY(std::abs(parameter.grad().norm().item<double>() - expected / 2) <= 1e-5 * expected);
  }

  void nothingToClipIsZero() { QCOMPARE(solver::clipGradientNorm({}, 1).norm.item<double>(), 0.0); }

  void nanPropagatesToTheGradients() {
    const auto parameters = someParameters();
    parameters[1].grad()[2] = std::numeric_limits<float>::quiet_NaN();
    QVERIFY(std::isnan(solver::clipGradientNorm(parameters, 1).norm.item<double>()));
    QVERIFY(flatGradients(parameters).isnan().all().item<bool>());
  }
};

LOCKSTEP_TEST(TstGradientClip)
#include "tst_gradient_clip.moc"
