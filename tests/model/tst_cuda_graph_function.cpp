#include <QObject>
#include <QTest>
#include <functional>
#include <memory>

#include "engine/base/error.h"
#include "engine/model/activation_watch.h"
#include "engine/model/layers.h"
#include "engine/model/mask_rcnn.h"
#include "engine/model/tensor_cache.h"
#include "engine/structures/ground_truth.h"
#include "tests/model/small_model.h"
#include "tests/support/capture_lint.h"
#include "tests/support/cuda_graph_captures.h"
#include "tests/support/masks.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using tests::EagerCapture;
using tests::smallModel;
using tests::tapeCapture;

namespace {

/// Noise with one object.
struct Scene {
  Scene(std::int64_t height, std::int64_t width, std::uint64_t seed) : keys{seed} {
    torch::manual_seed(seed);
    images = torch::randn({1, 3, height, width});
    sizes = {{height - 3, width - 5}};
    at::Tensor masks = torch::zeros({1, height - 3, width - 5}, at::kByte);
    masks.slice(1, 8, 40).slice(2, 10, 50).fill_(1);
    gts = {{torch::tensor({{10.f, 8.f, 50.f, 40.f}}), torch::tensor({std::int64_t{1}}),
            tests::cropped(masks)}};
  }
  at::Tensor images;
  std::vector<structures::ImageSize> sizes;
  std::vector<structures::GtInstances> gts;
  std::vector<std::uint64_t> keys;
};

at::Tensor lossOf(model::MaskRcnn& model, const Scene& scene) {
  return model
      .losses(scene.images, scene.sizes, structures::batchGroundTruth(scene.gts), scene.keys)
      .total({});
}

/// How a step begins.
enum class Gradients { Zeroed, Undefined };

/// A step of plain descent on the sum of the losses of its parts; returns the last.
double step(model::MaskRcnn& model, const std::vector<Scene>& parts,
            Gradients cleared = Gradients::Zeroed) {
  at::Tensor loss;
  for (const Scene& scene : parts) {
    loss = lossOf(model, scene);
    loss.backward();
  }
  const at::NoGradGuard noGradient;
  for (const model::ParameterInfo& parameter : model.trainableParameters()) {
    parameter.tensor.detach().sub_(parameter.tensor.grad(), 0.01);
    if (cleared == Gradients::Zeroed) {
      parameter.tensor.grad().zero_();
    } else {
      parameter.tensor.mutable_grad().reset();
    }
  }
  return loss.item<double>();
}

/// A function with two parameters and a constant, which it reads as it is and through a
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

/// Counts what is captured.
model::CudaGraphCapture counted(int& count, model::CudaGraphCapture capture) {
  return [&count, capture = std::move(capture)](const model::CudaGraphWork& work) {
    ++count;
    return capture(work);
  };
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
  void replayedStepsAreTheSteps_data() {
    QTest::addColumn<QString>("norm");
    QTest::addColumn<int>("parts");
    QTest::addColumn<bool>("areUndefined");
    QTest::newRow("gradients zeroed") << QStringLiteral("frozen_batch") << 1 << false;
    QTest::newRow("gradients undefined") << QStringLiteral("frozen_batch") << 1 << true;
    QTest::newRow("gradients added") << QStringLiteral("group") << 2 << true;
  }
  void replayedStepsAreTheSteps() {
    QFETCH(QString, norm);
    QFETCH(int, parts);
    QFETCH(bool, areUndefined);
    const Gradients cleared = areUndefined ? Gradients::Undefined : Gradients::Zeroed;
    config::ModelConfig config = smallModel(norm.toStdString());
    if (norm == QStringLiteral("frozen_batch")) config.freezeStages = 2;
    model::MaskRcnn plain(config, 3, 1), captured(config, 3, 1);
    EagerCapture eager;
    captured.useCudaGraphs(eager.capture());
    const std::pair<int, int> sizes[] = {{64, 96}, {64, 96}, {96, 64}, {64, 96}, {96, 64}};
    std::uint64_t seed = 1;
    for (const auto& [height, width] : sizes) {
      std::vector<Scene> scenes;
      for (int part = 0; part < parts; ++part) scenes.emplace_back(height, width, seed++);
      QCOMPARE(step(captured, scenes, cleared), step(plain, scenes, cleared));
    }
    const auto expected = plain.trainableParameters(), got = captured.trainableParameters();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const at::Tensor& weight = expected[i].tensor;
      QVERIFY2(at::equal(got[i].tensor, weight), expected[i].name.c_str());
      QVERIFY2(weight.isfinite().all().item<bool>(), expected[i].name.c_str());
    }
    // Forward and backward of two sizes, each from the second time on.
    QCOMPARE(eager.captured, 4);
    QCOMPARE(eager.replayed, 2 * (5 * parts - 2));
    QCOMPARE(captured.cudaGraphs()->capturedShapes(), std::size_t{2});
    QVERIFY(captured.cudaGraphs()->failure().empty());
  }

  void aTapeGivesTheStepsToo() {
    config::ModelConfig config = smallModel("frozen_batch");
    config.freezeStages = 2;
    model::MaskRcnn plain(config, 3, 1), captured(config, 3, 1);
    for (model::MaskRcnn* model : {&plain, &captured}) model->to(at::kDouble);
    int captures = 0;
    captured.useCudaGraphs(counted(captures, tapeCapture()));
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Scene scene(64, 96, seed);
      scene.images = scene.images.to(at::kDouble);
      QCOMPARE(step(captured, {scene}), step(plain, {scene}));
      if (seed != 2) continue;
      // As where other weights are loaded.
      const at::NoGradGuard noGradient;
      for (model::MaskRcnn* model : {&plain, &captured}) {
        for (const auto& [name, tensor] : model->namedState())
          if (!tensor.requires_grad()) tensor.mul_(1.25);
      }
    }
    QCOMPARE(captured.cudaGraphs()->failure(), std::string());
    // What is frozen was written to after the second step: captured again in the fourth.
    QCOMPARE(captures, 4);
  }

  void gradientsAreTheParametersOwn_data() {
    QTest::addColumn<bool>("onTape");
    QTest::newRow("plain") << false;
    QTest::newRow("tape") << true;
  }
  void gradientsAreTheParametersOwn() {
    QFETCH(bool, onTape);
    Toy toy, peer;
    EagerCapture plain;
    model::CudaGraphFunction function = toy.capturedBy(onTape ? tapeCapture() : plain.capture());
    function(madeInput(1));  // the shape came once, without a backward pass
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
    // Those of earlier steps too, which later ones did not write over.
    for (std::size_t i = 0; i < got.size(); ++i)
      QVERIFY2(areEqual(got[i], expected[i]), qPrintable(QString::number(i)));
  }

  void whatIsReadMayMoveAndChange() {
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
    // As where averaged weights take the trained ones' place, and hand it back.
    const at::Tensor trained = toy.bias.detach();
    toy.bias.set_data(trained * 3);
    QVERIFY(staysRight());
    QCOMPARE(captures, 8);
    toy.bias.set_data(trained);
    QVERIFY(staysRight());
    QCOMPARE(captures, 10);
  }

  void whatIsReadLivesAsLongAsTheGraph() {
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

  void anOutputThatIsNotUsedGivesNoGradient() {
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
      // A graph gives zeros where nothing comes back.
      const at::Tensor bias = peer.bias.grad();
      QVERIFY(at::equal(toy.bias.grad(), bias.defined() ? bias : at::zeros_like(toy.bias)));
    }
  }

  void aBackwardPassThatComesTooLateIsRefused() {
    Toy toy;
    model::CudaGraphFunction function = toy.capturedBy(tapeCapture());
    for (int i = 0; i < 2; ++i) function(madeInput(1));
    const at::Tensor first = sumOf(function(madeInput(1))), second = sumOf(function(madeInput(2)));
    QVERIFY_EXCEPTION_THROWN(first.backward(), c10::Error);
    second.backward({}, /*retain_graph=*/true);
    QVERIFY_EXCEPTION_THROWN(second.backward(), c10::Error);
  }

  void typesHaveGraphsOfTheirOwn() {
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

  void whereACaptureFailsAllGoesOnWithout() {
    model::MaskRcnn plain(smallModel("group"), 3, 1), captured(smallModel("group"), 3, 1);
    int tries = 0;
    captured.useCudaGraphs([&tries](const model::CudaGraphWork& work) -> model::CapturedCudaGraph {
      ++tries;
      work.run();
      TORCH_CHECK(false, "the device cannot");
    });
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Scene scene(64, 96, seed);
      QCOMPARE(step(captured, {scene}), step(plain, {scene}));
    }
    QCOMPARE(tries, 1);
    QCOMPARE(captured.cudaGraphs()->failure(), std::string("the device cannot"));
  }

  void onlyTrainingStepsAreCaptured() {
    model::MaskRcnn model(smallModel("group"), 3, 1);
    EagerCapture eager;
    model.useCudaGraphs(eager.capture());
    const Scene scene(64, 96, 1);
    for (int i = 0; i < 3; ++i) {
      {
        const at::NoGradGuard noGradient;
        lossOf(model, scene);
        model.eval();
        model.detect(scene.images, scene.sizes);
        model.train();
      }
      const model::ActivationWatch watch([](const std::string&, const at::Tensor&) {});
      lossOf(model, scene).backward();
    }
    QCOMPARE(eager.captured, 0);
  }

  void nothingThatIsCapturedAsksTheHost_data() {
    QTest::addColumn<QString>("backbone");
    QTest::addColumn<QString>("norm");
    QTest::addColumn<int>("frozen");
    QTest::addColumn<bool>("inHalves");
    const auto row = [](const char* name, const char* backbone, const char* norm, int frozen,
                        bool inHalves) {
      QTest::newRow(name) << QString::fromLatin1(backbone) << QString::fromLatin1(norm) << frozen
                          << inHalves;
    };
    row("R18, group", "resnet18", "group", 0, false);
    row("R18, group, bfloat16", "resnet18", "group", 0, true);
    row("R50, frozen_batch", "resnet50", "frozen_batch", 2, false);
    row("R50, frozen_batch, bfloat16", "resnet50", "frozen_batch", 2, true);
  }
  void nothingThatIsCapturedAsksTheHost() {
    QFETCH(QString, backbone);
    QFETCH(QString, norm);
    QFETCH(int, frozen);
    QFETCH(bool, inHalves);
    config::ModelConfig config = smallModel(norm.toStdString());
    config.backbone = backbone.toStdString();
    config.freezeStages = frozen;
    model::MaskRcnn model(config, 3, 1);
    Scene scene(64, 96, 1);
    if (inHalves) {
      model.setComputeType(at::kBFloat16);
    } else {
      model.to(at::kDouble);
      scene.images = scene.images.to(at::kDouble);
    }
    tests::CaptureLint lint;
    int captures = 0;
    model.useCudaGraphs([&](const model::CudaGraphWork& work) {
      ++captures;
      return model::CapturedCudaGraph{lint.run(work), [] {}};
    });
    for (int i = 0; i < 2; ++i) lossOf(model, scene);
    QCOMPARE(captures, 2);
    QCOMPARE(QString::fromStdString(model.cudaGraphs()->failure()), QString());
    QCOMPARE(QString::fromStdString(lint.findings()), QString());
  }

  void theLintFindsWhatAsksTheHost() {
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

  void cudnnLooksForAlgorithmsBeforeTheFirstStep_data() {
    QTest::addColumn<bool>("isDeterministic");
    QTest::newRow("free") << false;
    QTest::newRow("deterministic") << true;
  }
  /// Forward and backward: what it used first for a shape it keeps.
  void cudnnLooksForAlgorithmsBeforeTheFirstStep() {
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

  void aSearchThatFailsLeavesCudnnAndTheCaptureAsTheyWere() {
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

  void furtherShapesRunWithoutAndAreTold() {
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
    QVERIFY(!function.leavesOutShapes());  // it may never come again
    QCOMPARE(sumOf(kMost + 1), static_cast<float>(2 * kMost + 2));
    QVERIFY(function.leavesOutShapes());
    QCOMPARE(function.capturedShapes(), static_cast<std::size_t>(kMost));
  }

  /// A graph reads the cached weights without asking for them.
  void aStepBeginsWithWeightsUpToDate() {
    model::MaskRcnn model(smallModel(), 3, 1);
    model.setComputeType(at::kBFloat16);
    const auto conv = std::dynamic_pointer_cast<model::Conv2d>(
        model.named_modules("", /*include_self=*/false)["rpn.head.conv.0.0"]);
    at::Tensor kept;  // as a graph has it
    EagerCapture eager;
    int outOfDate = 0;
    model.useCudaGraphs([&, capture = eager.capture()](const model::CudaGraphWork& work) {
      const model::CapturedCudaGraph graph = capture(work);
      return model::CapturedCudaGraph{graph.outputs, [&, replay = graph.replay] {
                                        outOfDate +=
                                            !at::equal(kept, conv->weight().to(at::kBFloat16));
                                        replay();
                                      }};
    });
    const Scene scene(64, 96, 1);
    step(model, {scene});
    {
      const at::NoGradGuard noGradient;
      kept = conv->weightFor(torch::zeros({1}, at::kBFloat16));
    }
    const at::Tensor before = kept.clone();
    for (int i = 0; i < 3; ++i) step(model, {scene});
    QCOMPARE(eager.replayed, 6);
    QCOMPARE(outOfDate, 0);
    QVERIFY(!at::equal(kept, before));
  }

  void normsThatFollowTheBatchAreRefused() {
    for (const char* norm : {"batch", "sync_batch"}) {
      config::ModelConfig config = smallModel("group");
      config.norm = norm;
      model::MaskRcnn model(config, 3, 1);
      QVERIFY_EXCEPTION_THROWN(model.useCudaGraphs(EagerCapture().capture()), Error);
    }
  }
};

LOCKSTEP_TEST(TstCudaGraphFunction)
#include "tst_cuda_graph_function.moc"
