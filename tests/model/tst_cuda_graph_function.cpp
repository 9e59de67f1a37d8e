#include <QObject>
#include <QTest>
#include <functional>
#include <memory>

#include "engine/model/cuda_graph_function.h"
#include "engine/model/tensor_cache.h"
#include "tests/support/capture_lint.h"
#include "tests/support/cuda_graph_captures.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using tests::counted;
using tests::EagerCapture;
using tests::tapeCapture;

namespace {

/// A function with two parameters and a constant, which it reads directly and through a
/// TensorCache.
struct Toy {
  at::Tensor weight = at::linspace(-1, 1, 6, at::kDouble).requires_grad_();
  at::Tensor bias = at::linspace(2, 3, 6, at::kDouble).requires_grad_();
  at::Tensor constant = at::linspace(0.5, 1, 6, at::kDouble);
  std::shared_ptr<model::TensorCache> cache = std::make_shared<model::TensorCache>();

  at::Tensor tripled() const {
    return cache->get({constant}, [&] { return std::vector<at::Tensor>{constant * 3}; })[0];
  }
  std::vector<at::Tensor> operator()(const at::Tensor& x) const {
    return {(x * weight * tripled()).tanh(), (x + bias) * constant};
  }
  model::CudaGraphFunction capturedBy(const model::CudaGraphCapture& capture) const {
    return {
        [this](const at::Tensor& x) { return (*this)(x); }, {{weight, bias}, {constant}}, capture};
  }
  std::vector<at::Tensor> gradients() const { return {weight.grad(), bias.grad()}; }
  void clearGradients() {
    for (at::Tensor* each : {&weight, &bias}) each->mutable_grad().reset();
  }
};

at::Tensor madeInput(std::uint64_t seed) {
  torch::manual_seed(seed);
  return at::randn({4, 6}, at::kDouble);
}

at::Tensor sumOf(const std::vector<at::Tensor>& outputs) {
  return outputs[0].square().sum() + outputs[1].sum();
}

/// The sum that a function gives, and the gradients of the toy's parameters alone.
std::vector<at::Tensor> resultsOf(
    Toy& toy, const std::function<std::vector<at::Tensor>(const at::Tensor&)>& function,
    std::uint64_t seed) {
  toy.clearGradients();
  const at::Tensor sum = sumOf(function(madeInput(seed)));
  sum.backward();
  return {sum.detach(), toy.weight.grad(), toy.bias.grad()};
}

bool areEqual(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  return std::ranges::equal(a, b, [](const at::Tensor& x, const at::Tensor& y) {
    return x.defined() && y.defined() && at::equal(x, y);
  });
}

QString lintOf(const model::CudaGraphFunction::Compute& compute,
               const std::vector<at::Tensor>& parameters) {
  tests::CaptureLint lint;
  model::CudaGraphFunction function(compute, {parameters, {}},
                                    [&](const model::CudaGraphWork& work) {
                                      return model::CapturedCudaGraph{lint.run(work), [] {}};
                                    });
  for (int i = 0; i < 2; ++i) function(madeInput(1));
  return QString::fromStdString(lint.findings() + function.failure());
}

}  // namespace

class TstCudaGraphFunction : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void gradientsAreCopiedToTheParameters_data() {
    QTest::addColumn<bool>("onTape");
    QTest::newRow("plain") << false;
    QTest::newRow("tape") << true;
  }
  void gradientsAreCopiedToTheParameters() {
    QFETCH(bool, onTape);
    Toy toy, peer;
    EagerCapture plain;
    model::CudaGraphFunction function = toy.capturedBy(onTape ? tapeCapture() : plain.capture());
    function(madeInput(1));  // the shape occurs once, without a backward pass
    std::vector<std::vector<at::Tensor>> got, expected;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const int parts = seed < 3 ? 1 : 3;  // first undefined at every pass, then added up
      for (int part = 0; part < parts; ++part) {
        sumOf(function(madeInput(10 * seed + part))).backward();
        sumOf(peer(madeInput(10 * seed + part))).backward();
      }
      got.push_back(toy.gradients());
      expected.push_back(peer.gradients());
      toy.clearGradients();
      peer.clearGradients();
    }
    QCOMPARE(function.capturedShapes(), std::size_t{1});
    // Also those of earlier steps, which later ones must not overwrite.
    for (std::size_t i = 0; i < got.size(); ++i)
      QVERIFY2(areEqual(got[i], expected[i]), qPrintable(QString::number(i)));
  }

  void movedOrChangedTensorsAreCapturedAgain() {
    Toy toy;
    int captures = 0;
    model::CudaGraphFunction function = toy.capturedBy(counted(captures, tapeCapture()));
    std::uint64_t seed = 0;
    const auto isRight = [&] {
      ++seed;
      const auto expected = resultsOf(toy, toy, seed);
      return areEqual(resultsOf(toy, std::ref(function), seed), expected);
    };
    const auto staysRight = [&] { return isRight() && isRight() && isRight(); };
    QVERIFY(staysRight());
    QCOMPARE(captures, 2);
    {
      const at::NoGradGuard noGradient;
      toy.weight.mul_(2);  // as an optimizer does
    }
    QVERIFY(staysRight());
    QCOMPARE(captures, 2);
    toy.constant.add_(1);
    QVERIFY(staysRight());
    QCOMPARE(captures, 4);
    toy.constant.set_data(at::full({6}, 4.0, at::kDouble));
    QVERIFY(staysRight());
    QCOMPARE(captures, 6);
    // As when EMA weights are swapped in and out.
    const at::Tensor trained = toy.bias.detach();
    toy.bias.set_data(trained * 3);
    QVERIFY(staysRight());
    QCOMPARE(captures, 8);
    toy.bias.set_data(trained);
    QVERIFY(staysRight());
    QCOMPARE(captures, 10);
  }

  void memoryIsKeptAliveByTheGraph() {
    Toy toy;
    EagerCapture eager;
    auto function = std::make_unique<model::CudaGraphFunction>(toy.capturedBy(eager.capture()));
    for (int i = 0; i < 2; ++i) sumOf((*function)(madeInput(1))).backward();
    QCOMPARE(function->capturedShapes(), std::size_t{1});
    const auto memoryOf = [](const at::Tensor& tensor) {
      return c10::weak_intrusive_ptr<c10::StorageImpl>(
          c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(
              tensor.storage().unsafeGetStorageImpl()));
    };
    const auto kept = memoryOf(toy.tripled()), weight = memoryOf(toy.weight);
    toy.constant.fill_(5);
    toy.tripled();  // these are cached now
    toy.weight.set_data(toy.weight.detach().clone());
    QVERIFY(!kept.expired());
    QVERIFY(!weight.expired());
    function.reset();
    QVERIFY(kept.expired());
    QVERIFY(weight.expired());
  }

  void anUnusedOutputGivesNoGradient() {
    Toy toy, peer;
    model::CudaGraphFunction function = toy.capturedBy(tapeCapture());
    for (int i = 0; i < 2; ++i) sumOf(function(madeInput(1))).backward();
    QCOMPARE(function.capturedShapes(), std::size_t{1});
    for (std::uint64_t seed = 2; seed <= 4; ++seed) {
      const bool areBothUsed = seed == 3;
      std::vector<std::vector<at::Tensor>> outputs{function(madeInput(seed)),
                                                   peer(madeInput(seed))};
      for (Toy* each : {&toy, &peer}) each->clearGradients();
      for (const std::vector<at::Tensor>& each : outputs)
        (areBothUsed ? sumOf(each) : each[0].sum()).backward();
      QVERIFY(at::equal(toy.weight.grad(), peer.weight.grad()));
      // A graph gives zeros for outputs without a gradient.
      const at::Tensor bias = peer.bias.grad();
      QVERIFY(at::equal(toy.bias.grad(), bias.defined() ? bias : at::zeros_like(toy.bias)));
    }
  }

  void aLateBackwardPassIsRefused() {
    Toy toy;
    model::CudaGraphFunction function = toy.capturedBy(tapeCapture());
    for (int i = 0; i < 2; ++i) function(madeInput(1));
    const at::Tensor first = sumOf(function(madeInput(1))), second = sumOf(function(madeInput(2)));
    QVERIFY_EXCEPTION_THROWN(first.backward(), c10::Error);
    second.backward({}, /*retain_graph=*/true);
    QVERIFY_EXCEPTION_THROWN(second.backward(), c10::Error);
  }

  void eachTypeHasItsOwnGraph() {
    const at::Tensor weight = at::full({6}, 0.1, at::kDouble).requires_grad_();
    model::CudaGraphFunction function(
        [&](const at::Tensor& x) {
          return std::vector<at::Tensor>{x * weight.to(x.scalar_type())};
        },
        {{weight}, {}}, tapeCapture());
    for (int i = 0; i < 3; ++i) {
      for (const at::ScalarType type : {at::kDouble, at::kFloat})
        QCOMPARE(function(at::ones({2, 6}, type))[0].scalar_type(), type);
    }
    QCOMPARE(function.capturedShapes(), std::size_t{2});
  }
  void hostSynchronisationsAreDetected() {
    const at::Tensor weight = at::ones({6}, at::kDouble).requires_grad_();
    const at::Tensor strange = at::ones({6}, at::kDouble);
    const auto lint = [&](const std::function<at::Tensor(const at::Tensor&)>& compute) {
      return lintOf(
          [&](const at::Tensor& x) { return std::vector<at::Tensor>{compute(x * weight)}; },
          {weight});
    };
    QCOMPARE(lint([](const at::Tensor& y) { return (y * 2 + at::zeros_like(y)).relu_(); }),
             QString());
    QCOMPARE(lint([](const at::Tensor& y) { return y * y.detach().sum().item<double>(); }),
             QStringLiteral("aten::_local_scalar_dense: the host waits"));
    QCOMPARE(lint([](const at::Tensor& y) {
               return y + static_cast<double>(y.detach().nonzero().size(0));
             }),
             QStringLiteral("aten::nonzero: the host waits"));
    QCOMPARE(lint([](const at::Tensor& y) { return y.masked_select(y.detach() > 0); }),
             QStringLiteral("aten::masked_select: the host waits"));
    const std::vector<double> numbers{1, 2, 3, 4, 5, 6};
    QCOMPARE(lint([&](const at::Tensor& y) { return y * at::tensor(numbers, at::kDouble); }),
             QStringLiteral("aten::mul: reads what the host wrote"));
    QVERIFY(lint([](const at::Tensor& y) {
              const at::Tensor table = at::empty({6}, at::kLong);
              std::fill_n(table.data_ptr<std::int64_t>(), 6, 3);
              return y.index_select(1, table);
            }).startsWith(QStringLiteral("aten::index_select: reads what the host wrote")));
    QCOMPARE(lint([](const at::Tensor& y) {
               return y * torch::tensor({1., 2., 3., 4., 5., 6.}, at::kDouble);
             }),
             QStringLiteral("aten::to: sends to a device"));
    QCOMPARE(lint([&](const at::Tensor& y) { return y.to(at::kCPU, /*non_blocking=*/true); }),
             QStringLiteral("aten::to: sends to a device"));
    std::vector<double> values(6, 2);
    QCOMPARE(lint([&](const at::Tensor& y) {
               return y * at::from_blob(values.data(), {6}, at::kDouble);
             }),
             QStringLiteral("aten::mul: reads memory that nothing keeps"));
    QCOMPARE(lint([&](const at::Tensor& y) { return y * strange; }),
             QStringLiteral("aten::mul: reads memory that nothing keeps"));
    tests::CaptureLint pinned;
    try {
      pinned.run({[] {
                    const auto options = at::TensorOptions(at::kDouble).pinned_memory(true);
                    return std::vector<at::Tensor>{at::empty({6}, options)};
                  },
                  {}});
    } catch (const c10::Error&) {  // without a GPU there is none
    }
    QCOMPARE(QString::fromStdString(pinned.findings()),
             QStringLiteral("aten::empty: pinned memory"));
  }

  void cudnnBenchmarksBeforeTheFirstStep_data() {
    QTest::addColumn<bool>("isDeterministic");
    QTest::newRow("free") << false;
    QTest::newRow("deterministic") << true;
  }
  /// Forward and backward: cuDNN keeps the first algorithm for a shape.
  void cudnnBenchmarksBeforeTheFirstStep() {
    QFETCH(bool, isDeterministic);
    at::Context& context = at::globalContext();
    context.setDeterministicCuDNN(isDeterministic);
    std::string flags;  // of passes in their order
    const auto note = [&](const char* pass) {
      flags += pass + std::string(context.benchmarkCuDNN() ? "+ " : "- ");
    };
    const at::Tensor weight = torch::ones({2}).requires_grad_();
    EagerCapture eager;
    model::CudaGraphFunction function(
        [&](const at::Tensor& input) {
          note("f");
          const at::Tensor product = input * weight;
          product.register_hook([&](const at::Tensor&) { note("b"); });
          return std::vector<at::Tensor>{product};
        },
        {{weight}, {}}, eager.capture());
    const auto step = [&] {
      flags.clear();
      function(torch::ones({2}))[0].sum().backward();
      return flags;
    };
    const std::string first = step(), second = step();
    context.setDeterministicCuDNN(false);
    QCOMPARE(first, std::string(isDeterministic ? "f- b- " : "f+ b+ f- b- "));
    // Warm-ups, the capture, and its first replay.
    QCOMPARE(second, std::string(isDeterministic ? "f- b- f- b- f- b- f- b- "
                                                 : "f+ b+ f+ b+ f- b- f- b- "));
    QVERIFY(weight.grad().eq(2).all().item<bool>());
  }

  void aFailedWarmUpRestoresCudnnSettingsAndCaptures() {
    const at::Tensor weight = torch::full({2}, 2.f).requires_grad_();
    int passes = 0;
    model::CudaGraphFunction function(
        [&](const at::Tensor& input) {
          TORCH_CHECK(++passes > 1, "no memory");
          return std::vector<at::Tensor>{input * weight};
        },
        {{weight}, {}}, tapeCapture());
    QCOMPARE(function(torch::ones({2}))[0].sum().item<float>(), 4.f);
    QVERIFY(!at::globalContext().benchmarkCuDNN());
    QCOMPARE(function(torch::ones({2}))[0].sum().item<float>(), 4.f);
    QCOMPARE(function.failure(), std::string());
    QCOMPARE(function.capturedShapes(), std::size_t{1});
  }

  void furtherShapesRunWithoutAGraphAndAreReported() {
    constexpr std::int64_t kMost = model::CudaGraphFunction::kMostShapes;
    const at::Tensor weight = torch::full({1}, 2.f).requires_grad_();
    model::CudaGraphFunction function(
        [&](const at::Tensor& input) { return std::vector<at::Tensor>{input * weight}; },
        {{weight}, {}}, tapeCapture());
    const auto sumOf = [&](std::int64_t length) {
      return function(torch::ones({length}))[0].sum().item<float>();
    };
    for (int round = 0; round < 2; ++round)
      for (std::int64_t length = 1; length <= kMost; ++length)
        QCOMPARE(sumOf(length), static_cast<float>(2 * length));
    QCOMPARE(sumOf(kMost + 1), static_cast<float>(2 * kMost + 2));
    QVERIFY(!function.leavesOutShapes());  // it may not be repeated
    QCOMPARE(sumOf(kMost + 1), static_cast<float>(2 * kMost + 2));
    QVERIFY(function.leavesOutShapes());
    QCOMPARE(function.capturedShapes(), static_cast<std::size_t>(kMost));
  }
};

LOCKSTEP_TEST(TstCudaGraphFunction)
#include "tst_cuda_graph_function.moc"
