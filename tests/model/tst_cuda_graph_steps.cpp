#include <QObject>
#include <QTest>
#include <memory>
#include <vector>

#include "engine/base/enum_text.h"
#include "engine/base/error.h"
#include "engine/model/activation_watch.h"
#include "engine/model/layers.h"
#include "engine/model/mask_rcnn.h"
#include "tests/model/small_model.h"
#include "tests/support/capture_lint.h"
#include "tests/support/cuda_graph_captures.h"
#include "tests/support/masks.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using tests::counted;
using tests::EagerCapture;
using tests::smallModel;
using tests::tapeCapture;

namespace {

/// Noise with one object.
struct NoiseScene {
  NoiseScene(std::int64_t height, std::int64_t width, std::uint64_t seed) : keys{seed} {
    torch::manual_seed(seed);
    images = torch::randn({1, 3, height, width});
    sizes = {{height - 3, width - 5}};
    at::Tensor masks = torch::zeros({1, height - 3, width - 5}, at::kByte);
    masks.slice(1, 8, 40).slice(2, 10, 50).fill_(1);
    gts = {{torch::tensor({{10.f, 8.f, 50.f, 40.f}}), torch::tensor({std::int64_t{1}}),
            tests::cropped(masks)}};
  }
  at::Tensor images;
  std::vector<base::ImageSize> sizes;
  std::vector<structures::GtInstances> gts;
  std::vector<std::uint64_t> keys;
};

at::Tensor lossOf(model::MaskRcnn& model, const NoiseScene& scene) {
  return model
      .losses(scene.images, scene.sizes, structures::batchGroundTruth(scene.gts), scene.keys)
      .total({});
}

/// The start of a step.
enum class Gradients { Zeroed, Undefined };

/// A step of plain gradient descent over its micro-batches; returns the last loss.
double step(model::MaskRcnn& model, const std::vector<NoiseScene>& parts,
            Gradients cleared = Gradients::Zeroed) {
  at::Tensor loss;
  for (const NoiseScene& scene : parts) {
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

}  // namespace

class TstCudaGraphSteps : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void replayedStepsEqualEagerSteps_data() {
    QTest::addColumn<QString>("norm");
    QTest::addColumn<int>("parts");
    QTest::addColumn<bool>("areUndefined");
    QTest::newRow("gradients zeroed") << QStringLiteral("frozen_batch") << 1 << false;
    QTest::newRow("gradients undefined") << QStringLiteral("frozen_batch") << 1 << true;
    QTest::newRow("gradients added") << QStringLiteral("group") << 2 << true;
  }

  void replayedStepsEqualEagerSteps() {
    QFETCH(QString, norm);
    QFETCH(int, parts);
    QFETCH(bool, areUndefined);
    const Gradients cleared = areUndefined ? Gradients::Undefined : Gradients::Zeroed;
    config::ModelConfig config = smallModel(*base::parseEnum<config::Norm>(norm.toStdString()));
    if (norm == QStringLiteral("frozen_batch")) config.freezeStages = 2;
    model::MaskRcnn plain(config, 3, 1), captured(config, 3, 1);
    EagerCapture eager;
    captured.useCudaGraphs(eager.capture());
    const std::pair<int, int> sizes[] = {{64, 96}, {64, 96}, {96, 64}, {64, 96}, {96, 64}};
    std::uint64_t seed = 1;
    for (const auto& [height, width] : sizes) {
      std::vector<NoiseScene> scenes;
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

  void aTapeGivesTheSameSteps() {
    config::ModelConfig config = smallModel(config::Norm::FrozenBatch);
    config.freezeStages = 2;
    model::MaskRcnn plain(config, 3, 1), captured(config, 3, 1);
    for (model::MaskRcnn* model : {&plain, &captured}) model->to(at::kDouble);
    int captures = 0;
    captured.useCudaGraphs(counted(captures, tapeCapture()));
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      NoiseScene scene(64, 96, seed);
      scene.images = scene.images.to(at::kDouble);
      QCOMPARE(step(captured, {scene}), step(plain, {scene}));
      if (seed != 2) continue;
      // As when other weights are loaded.
      const at::NoGradGuard noGradient;
      for (model::MaskRcnn* model : {&plain, &captured}) {
        for (const auto& [name, tensor] : model->namedState())
          if (!tensor.requires_grad()) tensor.mul_(1.25);
      }
    }
    QCOMPARE(captured.cudaGraphs()->failure(), std::string());
    // Frozen weights were written to after the second step: captured again in the fourth.
    QCOMPARE(captures, 4);
  }

  void aFailedCaptureFallsBackToEagerSteps() {
    model::MaskRcnn plain(smallModel(), 3, 1), captured(smallModel(), 3, 1);
    int tries = 0;
    captured.useCudaGraphs([&tries](const model::CudaGraphWork& work) -> model::CapturedCudaGraph {
      ++tries;
      work.run();
      TORCH_CHECK(false, "the device cannot");
    });
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const NoiseScene scene(64, 96, seed);
      QCOMPARE(step(captured, {scene}), step(plain, {scene}));
    }
    QCOMPARE(tries, 1);
    QCOMPARE(captured.cudaGraphs()->failure(), std::string("the device cannot"));
  }

  void onlyTrainingStepsAreCaptured() {
    model::MaskRcnn model(smallModel(), 3, 1);
    EagerCapture eager;
    model.useCudaGraphs(eager.capture());
    const NoiseScene scene(64, 96, 1);
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

  void capturedWorkDoesNotSynchroniseWithTheHost_data() {
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

  void capturedWorkDoesNotSynchroniseWithTheHost() {
    QFETCH(QString, backbone);
    QFETCH(QString, norm);
    QFETCH(int, frozen);
    QFETCH(bool, inHalves);
    config::ModelConfig config = smallModel(*base::parseEnum<config::Norm>(norm.toStdString()));
    config.backbone = backbone.toStdString();
    config.freezeStages = frozen;
    model::MaskRcnn model(config, 3, 1);
    NoiseScene scene(64, 96, 1);
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

  /// A graph reads cached weights directly, without refreshing them.
  void replaysUseRefreshedWeights() {
    model::MaskRcnn model(smallModel(), 3, 1);
    model.setComputeType(at::kBFloat16);
    const auto conv = std::dynamic_pointer_cast<model::Conv2d>(
        model.named_modules("", /*include_self=*/false)["rpn.head.conv.0.0"]);
    at::Tensor kept;  // as a graph has it
    EagerCapture eager;
    int outOfDate = 0;
    model.useCudaGraphs([&, capture = eager.capture()](const model::CudaGraphWork& work) {
      const model::CapturedCudaGraph captured = capture(work);
      return model::CapturedCudaGraph{captured.outputs, [&, replay = captured.replay] {
                                        outOfDate +=
                                            !at::equal(kept, conv->weight().to(at::kBFloat16));
                                        replay();
                                      }};
    });
    const NoiseScene scene(64, 96, 1);
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

  void normsWithBatchStatisticsAreRefused() {
    for (const config::Norm norm : {config::Norm::Batch, config::Norm::SyncBatch}) {
      config::ModelConfig config = smallModel();
      config.norm = norm;
      model::MaskRcnn model(config, 3, 1);
      QVERIFY_EXCEPTION_THROWN(model.useCudaGraphs(EagerCapture().capture()), Error);
    }
  }
};

LOCKSTEP_TEST(TstCudaGraphSteps)
#include "tst_cuda_graph_steps.moc"
