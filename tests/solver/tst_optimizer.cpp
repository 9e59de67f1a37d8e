#include <QTest>

#include "engine/base/error.h"
#include "engine/solver/optimizer.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"
#include "tests/support/torch_reference.h"

using namespace lockstep;
using tests::messageOf;

namespace {

/// A convolution (channels last), a matrix and a bias: the same every time.
std::vector<at::Tensor> startValues() {
  torch::manual_seed(5);
  return {torch::randn({8, 3, 3, 3}).contiguous(at::MemoryFormat::ChannelsLast).requires_grad_(),
          torch::randn({64, 700}).requires_grad_(), torch::randn({64}).requires_grad_()};
}

void setGradients(const std::vector<at::Tensor>& parameters, int step) {
  torch::manual_seed(100 + step);
  for (const at::Tensor& parameter : parameters) {
    const_cast<at::Tensor&>(parameter).mutable_grad() =
        torch::randn(parameter.sizes());  // contiguous
  }
}

std::vector<solver::Parameter> named(const std::vector<at::Tensor>& tensors) {
  return {{"conv.weight", tensors[0], true, false, false},
          {"fc.weight", tensors[1], false, false, false},
          {"fc.bias", tensors[2], false, false, true}};
}

void compareAll(const std::vector<at::Tensor>& ours, const std::vector<at::Tensor>& theirs,
                double tolerance) {
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double difference = (ours[i] - theirs[i]).abs().max().item<double>();
    QVERIFY2(difference <= tolerance,
             qPrintable(QStringLiteral("tensor %1 differs by %2").arg(i).arg(difference)));
  }
}

}  // namespace

class TstOptimizer : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anUpdateBumpsVersionCounters_data() {
    QTest::addColumn<QString>("optimizer");
    QTest::newRow("sgd") << QStringLiteral("sgd");
    QTest::newRow("adamw") << QStringLiteral("adamw");
  }
  /// Version counters show which tensors were written; parameters without a gradient are not.
  void anUpdateBumpsVersionCounters() {
    QFETCH(QString, optimizer);
    config::SolverConfig config;
    config.optimizer = *base::parseEnum<config::OptimizerKind>(optimizer.toStdString());
    const auto tensors = startValues();
    const auto update = solver::makeOptimizer(config, named(tensors));
    setGradients(tensors, 0);
    const_cast<at::Tensor&>(tensors[1]).mutable_grad().reset();
    std::vector<std::uint32_t> before;
    for (const at::Tensor& tensor : tensors) before.push_back(tensor._version());
    update->step(0.1);
    QVERIFY(tensors[0]._version() > before[0]);
    QVERIFY(tensors[1]._version() == before[1]);
    QVERIFY(tensors[2]._version() > before[2]);
  }

  void sgdEqualsTorch_data() {
    QTest::addColumn<double>("momentum");
    QTest::addColumn<bool>("nesterov");
    QTest::addColumn<double>("decay");
    QTest::newRow("plain") << 0.0 << false << 0.0;
    QTest::newRow("momentum") << 0.9 << false << 0.0;
    QTest::newRow("momentum, decay") << 0.9 << false << 0.01;
    QTest::newRow("nesterov, decay") << 0.9 << true << 0.01;
  }
  void sgdEqualsTorch() {
    QFETCH(double, momentum);
    QFETCH(bool, nesterov);
    QFETCH(double, decay);
    config::SolverConfig config;
    config.momentum = momentum;
    config.nesterov = nesterov;
    config.weightDecay = decay;
    const auto ours = startValues(), theirs = startValues();
    const auto optimizer = solver::makeOptimizer(config, named(ours));
    torch::optim::SGD reference(
        theirs,
        torch::optim::SGDOptions(0.1).momentum(momentum).nesterov(nesterov).weight_decay(decay));
    for (int step = 0; step < 12; ++step) {
      const double rate = 0.1 / (1 + step);
      setGradients(ours, step);
      setGradients(theirs, step);
      static_cast<torch::optim::SGDOptions&>(reference.param_groups()[0].options()).lr(rate);
      optimizer->step(rate);
      reference.step();
    }
    compareAll(ours, theirs, 2e-6);
  }

  void adamWEqualsTorch() {
    config::SolverConfig config;
    config.optimizer = config::OptimizerKind::AdamW;
    config.momentum = 0.85;
    config.weightDecay = 0.05;
    const auto ours = startValues(), theirs = startValues();
    const auto optimizer = solver::makeOptimizer(config, named(ours));
    torch::optim::AdamW reference(
        theirs, torch::optim::AdamWOptions(0.01).betas({0.85, 0.999}).eps(1e-8).weight_decay(0.05));
    for (int step = 0; step < 12; ++step) {
      setGradients(ours, step);
      setGradients(theirs, step);
      optimizer->step(0.01);
      reference.step();
    }
    compareAll(ours, theirs, 2e-6);
  }

  void factorsAndDecaysApplyToTheirParameters() {
    config::SolverConfig config;
    config.momentum = 0;
    config.weightDecay = 0.5;
    config.normWeightDecay = 0.25;
    config.backboneLrFactor = 0.1;
    config.biasLrFactor = 2;
    std::vector<solver::Parameter> parameters{{"body", {}, true, false, false},
                                              {"body.bias", {}, true, false, true},
                                              {"norm", {}, false, true, false},
                                              {"norm.bias", {}, false, true, true},
                                              {"head", {}, false, false, false}};
    for (solver::Parameter& parameter : parameters) {
      parameter.tensor = torch::ones({1}).requires_grad_();
      parameter.tensor.mutable_grad() = torch::full({1}, 4.0f);
    }
    solver::makeOptimizer(config, parameters)->step(0.01);
    // 1 - rate * (4 + decay * 1)
    const double expected[] = {1 - 0.001 * 4.5, 1 - 0.002 * 4.5, 1 - 0.01 * 4.25, 1 - 0.02 * 4.25,
                               1 - 0.01 * 4.5};
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      QVERIFY(std::abs(parameters[i].tensor.item<double>() - expected[i]) < 1e-6);
    }
  }

  void aParameterWithoutAGradientIsNotChanged() {
    const auto tensors = startValues();
    const auto optimizer = solver::makeOptimizer({}, named(tensors));
    setGradients(tensors, 0);
    const_cast<at::Tensor&>(tensors[1]).mutable_grad() = at::Tensor();
    optimizer->step(0.1);
    compareAll({tensors[1].detach()}, {startValues()[1].detach()}, 0);
    QVERIFY(!torch::equal(tensors[2], startValues()[2]));
  }

  void resumingIsBitwiseIdentical_data() {
    QTest::addColumn<QString>("kind");
    QTest::newRow("sgd") << QStringLiteral("sgd");
    QTest::newRow("adamw") << QStringLiteral("adamw");
  }
  void resumingIsBitwiseIdentical() {
    QFETCH(QString, kind);
    config::SolverConfig config;
    config.optimizer = *base::parseEnum<config::OptimizerKind>(kind.toStdString());
    const auto whole = startValues(), resumed = startValues();
    const auto first = solver::makeOptimizer(config, named(whole));
    for (int step = 0; step < 3; ++step) {
      setGradients(whole, step);
      first->step(0.05);
    }
    solver::NamedTensors saved;
    for (const auto& [name, tensor] : first->state()) saved.emplace_back(name, tensor.clone());
    {
      torch::NoGradGuard noGradient;
      for (std::size_t i = 0; i < whole.size(); ++i) resumed[i].copy_(whole[i]);
    }
    const auto second = solver::makeOptimizer(config, named(resumed));
    second->loadState(saved);
    for (int step = 3; step < 6; ++step) {
      setGradients(whole, step);
      setGradients(resumed, step);
      first->step(0.05);
      second->step(0.05);
    }
    compareAll(resumed, whole, 0);
  }

  void aSkippedStepChangesNothing_data() { resumingIsBitwiseIdentical_data(); }
  void aSkippedStepChangesNothing() {
    QFETCH(QString, kind);
    config::SolverConfig config;
    config.optimizer = *base::parseEnum<config::OptimizerKind>(kind.toStdString());
    const auto skipping = startValues(), plain = startValues();
    const auto first = solver::makeOptimizer(config, named(skipping));
    const auto second = solver::makeOptimizer(config, named(plain));
    for (int step = 0; step < 4; ++step) {
      setGradients(skipping, step);
      setGradients(plain, step);
      first->step(0.05, torch::zeros({}));
      second->step(0.05);
      setGradients(skipping, 50 + step);
      for (const at::Tensor& tensor : skipping) tensor.grad().view(-1)[0] = NAN;
      first->step(0.05, torch::ones({}));
    }
    compareAll(skipping, plain, 0);
    for (std::size_t i = 0; i < first->state().size(); ++i)
      QVERIFY(torch::equal(first->state()[i].second, second->state()[i].second));
  }

  void zeroingKeepsTheGradientsMemory() {
    const auto tensors = startValues();
    setGradients(tensors, 0);
    const void* place = tensors[1].grad().data_ptr();
    const auto optimizer = solver::makeOptimizer({}, named(tensors));
    optimizer->zeroGradients();
    QCOMPARE(tensors[1].grad().const_data_ptr(), place);
    QCOMPARE(tensors[1].grad().abs().max().item<float>(), 0.0f);
  }

  void stateOfAnotherModelIsRefused() {
    const auto optimizer = solver::makeOptimizer({}, named(startValues()));
    solver::NamedTensors state = optimizer->state();
    solver::NamedTensors fewer(state.begin(), state.end() - 1), other = state, more = state;
    other[0].second = torch::zeros({2});
    more.emplace_back("momentum_buffer.extra", torch::zeros({1}));
    QVERIFY(messageOf([&] {
              optimizer->loadState(fewer);
            }).find("'momentum_buffer.fc.bias' is missing") != std::string::npos);
    QVERIFY(messageOf([&] { optimizer->loadState(other); }).find("does not have the shape") !=
            std::string::npos);
    QVERIFY(messageOf([&] { optimizer->loadState(more); }).find("'momentum_buffer.extra'") !=
            std::string::npos);
  }
};

LOCKSTEP_TEST(TstOptimizer)
#include "tst_optimizer.moc"
