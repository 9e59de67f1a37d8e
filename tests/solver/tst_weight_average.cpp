#include <QTest>

#include "engine/base/error.h"
#include "engine/solver/weight_average.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

namespace {

struct Model {
  at::Tensor a = torch::randn({4, 3}).requires_grad_(), b = torch::randn({5}).requires_grad_();
  std::vector<solver::Parameter> parameters() const { return {{"a", a}, {"b", b}}; }
  void train(int step) {
    torch::manual_seed(step);
    const at::NoGradGuard noGrad;
    a.add_(torch::randn({4, 3}));
    b.add_(torch::randn({5}));
  }
};

}  // namespace

class TstWeightAverage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void emaEqualsItsDefinition() {
    Model model;
    solver::WeightAverage average(0.9, model.parameters());
    at::Tensor expected;
    for (int step = 1; step <= 6; ++step) {
      model.train(step);
      average.update();
      const at::Tensor weights = model.a.detach().to(at::kDouble);
      expected = step == 1 ? weights.clone() : 0.9 * expected + 0.1 * weights;
      const at::Tensor trained = model.a.detach().clone();
      {
        const solver::WeightAverage::InPlace inPlace(average);
        QVERIFY((model.a.detach() - expected).abs().max().item<double>() < 1e-6);
        if (step > 1) QVERIFY(!at::equal(model.a, trained));
      }
      QVERIFY2(at::equal(model.a, trained), "the trained weights are back");
    }
  }

  void resumingIsBitwiseIdentical() {
    Model whole;
    solver::WeightAverage average(0.9, whole.parameters());
    const at::Tensor start = whole.a.detach().clone(), startB = whole.b.detach().clone();
    for (int step = 1; step <= 3; ++step) {
      whole.train(step);
      average.update();
    }
    solver::NamedTensors saved{{"momentum_buffer.a", at::zeros({1})}};
    Model resumed;
    {
      for (auto& [name, tensor] : average.trainedWeights())
        saved.emplace_back(name, tensor.clone());
      const solver::WeightAverage::InPlace inPlace(average);
      const at::NoGradGuard noGrad;
      resumed.a.copy_(whole.a);
      resumed.b.copy_(whole.b);
    }
    const solver::NamedTensors trained = solver::takeTrainedWeights(saved);
    QCOMPARE(trained.size(), std::size_t{2});
    QCOMPARE(saved.size(), std::size_t{1});
    solver::WeightAverage goesOn(0.9, resumed.parameters());
    goesOn.resume(trained);
    QVERIFY(at::equal(resumed.a, whole.a));
    for (int step = 4; step <= 6; ++step) {
      for (auto [model, its] : {std::pair{&whole, &average}, {&resumed, &goesOn}}) {
        model->train(step);
        its->update();
      }
    }
    const solver::WeightAverage::InPlace first(average), second(goesOn);
    QVERIFY(at::equal(resumed.a, whole.a));
    QVERIFY(at::equal(resumed.b, whole.b));
  }

  void withoutSavedAverageItStartsAtTheWeights() {
    Model model;
    solver::WeightAverage average(0.5, model.parameters());
    average.resume({});
    const at::Tensor before = model.b.detach().clone();
    model.train(1);
    average.update();
    const at::Tensor expected = 0.5 * (before + model.b.detach());
    const solver::WeightAverage::InPlace inPlace(average);
    QVERIFY((model.b.detach() - expected).abs().max().item<double>() < 1e-6);
  }

  void weightsOfAnotherModelAreRefused() {
    Model model;
    QVERIFY_EXCEPTION_THROWN(
        solver::restoreTrainedWeights({{"weight.a", at::zeros({4, 3})}}, model.parameters()),
        Error);
    QVERIFY_EXCEPTION_THROWN(
        solver::restoreTrainedWeights(
            {{"weight.a", at::zeros({4, 3})}, {"weight.b", at::zeros({6})}}, model.parameters()),
        Error);
  }
};

LOCKSTEP_TEST(TstWeightAverage)
#include "tst_weight_average.moc"
