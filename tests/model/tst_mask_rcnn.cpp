#include <QObject>
#include <QTest>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string_view>

#include "engine/base/error.h"
#include "engine/config/backbones.h"
#include "engine/model/activation_watch.h"
#include "engine/model/mask_rcnn.h"
#include "engine/model/resnet.h"
#include "engine/ops/resize_images.h"
#include "engine/structures/ground_truth.h"
#include "tests/model/small_model.h"
#include "tests/support/masks.h"
#include "tests/support/test_main.h"
#include "tests/support/torch_reference.h"
#ifndef Q_MOC_RUN
#include <ATen/record_function.h>
#endif

using namespace lockstep;
using config::Loss;
using tests::smallModel;

namespace {

struct Scene {
  at::Tensor images;
  std::vector<base::ImageSize> sizes;
  std::vector<structures::GtInstances> gts;
  std::vector<std::uint64_t> keys;
};

/// Two images, one object each; `objects` false: none.
Scene makeScene(bool hasObjects = true) {
  Scene scene;
  scene.images = torch::linspace(-2, 2, 2 * 3 * 64 * 96).sin().view({2, 3, 64, 96}) * 2;
  scene.sizes = {{60, 90}, {64, 80}};
  scene.keys = {11, 12};
  for (const base::ImageSize& size : scene.sizes) {
    at::Tensor masks = torch::zeros({1, size.height, size.width}, at::kByte);
    masks.slice(1, 8, 40).slice(2, 10, 50).fill_(1);
    const structures::GtInstances one{torch::tensor({{10.f, 8.f, 50.f, 40.f}}),
                                      torch::tensor({std::int64_t{1}}), tests::cropped(masks)};
    scene.gts.push_back(hasObjects ? one : structures::GtInstances{});
  }
  return scene;
}

model::Losses lossesOf(model::MaskRcnn& model, const Scene& scene) {
  return model.losses(scene.images, scene.sizes, structures::batchGroundTruth(scene.gts),
                      scene.keys);
}

using Maps = std::map<std::string, at::Tensor>;

/// The losses and the outputs of every layer (the last one of layers that run several times).
std::pair<model::Losses, Maps> lossesAndMaps(model::MaskRcnn& model, const Scene& scene) {
  Maps maps;
  const model::ActivationWatch watch([&](const std::string& name, const at::Tensor& output) {
    maps.insert_or_assign(name, output.detach().clone());
  });
  return {lossesOf(model, scene), maps};
}

/// Difference of all gradients of two models, as one vector each.
double cosineOfGradients(const model::MaskRcnn& one, const model::MaskRcnn& other) {
  const auto gradient = [](const model::MaskRcnn& model) {
    std::vector<at::Tensor> parts;
    for (const model::ParameterInfo& parameter : model.trainableParameters())
      parts.push_back(parameter.tensor.grad().flatten().to(at::kDouble));
    return at::cat(parts);
  };
  const at::Tensor a = gradient(one), b = gradient(other);
  return (a.dot(b) / (a.norm() * b.norm())).item<double>();
}

}  // namespace

class TstMaskRcnn : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void samplingDependsOnTheKeysOnly() {
    model::MaskRcnn model(smallModel(), 3, 1);
    Scene scene = makeScene();
    const double first = lossesOf(model, scene)[Loss::Objectness].item<double>();
    QCOMPARE(lossesOf(model, scene)[Loss::Objectness].item<double>(), first);
    scene.keys = {21, 22};
    QVERIFY(lossesOf(model, scene)[Loss::Objectness].item<double>() != first);
  }

  void imagesWithoutObjectsGiveZeroLossesAttachedToTheGraph() {
    model::MaskRcnn model(smallModel(), 3, 1);
    const model::Losses losses = lossesOf(model, makeScene(false));
    for (const at::Tensor& loss :
         {losses[Loss::BoxReg], losses[Loss::Mask], losses[Loss::RpnBoxReg]}) {
      QCOMPARE(loss.item<double>(), 0.0);
      QVERIFY(loss.requires_grad());
    }
    QVERIFY(losses[Loss::Classifier].item<double>() > 0);
    losses.total({}).backward();
    for (const model::ParameterInfo& parameter : model.trainableParameters()) {
      QVERIFY2(parameter.tensor.grad().defined(), parameter.name.c_str());
      QVERIFY2(parameter.tensor.grad().isfinite().all().item<bool>(), parameter.name.c_str());
    }
  }

  void fixedRowsGiveTheLossesOfCompactRows_data() {
    QTest::addColumn<bool>("hasObjects");
    QTest::addColumn<int>("empty");  // image without objects, -1: none
    QTest::newRow("objects") << true << -1;
    QTest::newRow("an image without") << true << 0;
    QTest::newRow("no objects") << false << -1;
  }
  void fixedRowsGiveTheLossesOfCompactRows() {
    QFETCH(bool, hasObjects);
    QFETCH(int, empty);
    Scene scene = makeScene(hasObjects);
    if (empty >= 0) scene.gts[empty] = {};
    model::MaskRcnn compact(smallModel(), 3, 1), fixed(smallModel(), 3, 1);
    compact.setRowShapes(model::RowShapes::Compact);
    fixed.setRowShapes(model::RowShapes::Fixed);
    const model::Losses first = lossesOf(compact, scene), second = lossesOf(fixed, scene);
    for (std::size_t i = 0; i < first.named().size(); ++i) {
      const double expected = first.named()[i].second.item<double>();
      const double difference = second.named()[i].second.item<double>() - expected;
      QVERIFY2(std::abs(difference) <= 1e-5 * std::abs(expected), first.named()[i].first.data());
    }
    first.total({}).backward();
    second.total({}).backward();
    const auto expected = compact.trainableParameters(), got = fixed.trainableParameters();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const at::Tensor gradient = expected[i].tensor.grad();
      const double difference = (got[i].tensor.grad() - gradient).norm().item<double>();
      QVERIFY2(difference <= 1e-5 * gradient.norm().item<double>() + 1e-9,
               expected[i].name.c_str());
    }
  }

  void fixedRowsGiveTheDetectionsOfCompactRows() {
    model::MaskRcnn model(smallModel(), 3, 1);
    model.eval();
    const at::NoGradGuard noGrad;
    const Scene scene = makeScene();
    model.setRowShapes(model::RowShapes::Compact);
    const auto expected = model.detect(scene.images, scene.sizes);
    model.setRowShapes(model::RowShapes::Fixed);
    const auto got = model.detect(scene.images, scene.sizes);
    for (std::size_t n = 0; n < expected.size(); ++n) {
      QVERIFY(expected[n].scores.size(0) > 5);
      QVERIFY(at::equal(got[n].classes, expected[n].classes));
      QVERIFY(at::allclose(got[n].scores, expected[n].scores, 1e-5, 1e-5));
      QVERIFY(at::allclose(got[n].boxesXyxy, expected[n].boxesXyxy, 1e-5, 1e-3));
      QVERIFY(at::allclose(got[n].maskProbs, expected[n].maskProbs, 1e-5, 1e-5));
    }
  }

  void bothHeadsShareOneGradientPerLevel() {
    static std::atomic<int> passes;
    passes = 0;
    const auto count = [](const at::RecordFunction& function) {
      if (std::string_view(function.name()) == "lockstep::roi_align_backward") ++passes;
      return std::unique_ptr<at::ObserverContext>();
    };
    const at::CallbackHandle handle = at::addGlobalCallback(
        at::RecordFunctionCallback(count).scopes({at::RecordScope::FUNCTION}));
    model::MaskRcnn model(smallModel(), 3, 1);
    lossesOf(model, makeScene()).total({}).backward();
    at::removeCallback(handle);
    QCOMPARE(passes.load(), 1);
  }

  void aFourthChannelOfZerosChangesNothing_data() {
    QTest::addColumn<QString>("norm");
    QTest::addColumn<int>("frozenStages");
    QTest::addColumn<bool>("isHalf");
    for (const bool isHalf : {false, true}) {
      const QByteArray type = isHalf ? ", halves" : "";
      QTest::newRow("group norm" + type) << QStringLiteral("group") << 0 << isHalf;
      QTest::newRow("folded" + type) << QStringLiteral("frozen_batch") << 0 << isHalf;
      QTest::newRow("frozen" + type) << QStringLiteral("frozen_batch") << 2 << isHalf;
    }
  }
  /// Except for the order of summation in a library.
  void aFourthChannelOfZerosChangesNothing() {
    QFETCH(QString, norm);
    QFETCH(int, frozenStages);
    QFETCH(bool, isHalf);
    config::ModelConfig config = smallModel(*base::parseEnum<config::Norm>(norm.toStdString()));
    config.freezeStages = frozenStages;
    model::MaskRcnn ofThree(config, 3, 1), ofFour(config, 3, 1);
    for (model::MaskRcnn* model : {&ofThree, &ofFour})
      model->setComputeType(isHalf ? at::kBFloat16 : at::kFloat);
    const Scene scene = makeScene();
    Scene padded = scene;
    padded.images = ops::withFourChannels(scene.images);
    const auto [expected, expectedMaps] = lossesAndMaps(ofThree, scene);
    const auto [got, maps] = lossesAndMaps(ofFour, padded);
    const auto difference = [](const at::Tensor& value, const at::Tensor& reference) {
      return ((value - reference).norm() / reference.norm()).item<double>();
    };
    QVERIFY(difference(maps.at("backbone.body.bn1"), expectedMaps.at("backbone.body.bn1")) <=
            (isHalf ? 1e-3 : 1e-6));
    const double limit = isHalf ? 2e-2 : 1e-5;
    for (std::size_t i = 0; i < expected.named().size(); ++i) {
      const auto [name, loss] = expected.named()[i];
      QVERIFY2(difference(got.named()[i].second, loss) <= limit, name.data());
    }
    expected.total({}).backward();
    got.total({}).backward();
    const auto stemOf = [](const model::MaskRcnn& model) {
      return model.namedState().front();  // in torchvision's order
    };
    const auto [name, weight] = stemOf(ofFour);
    QCOMPARE(name, std::string("backbone.body.conv1.weight"));
    QVERIFY((weight.sizes() == at::IntArrayRef{64, 3, 7, 7}));
    QCOMPARE(weight.grad().defined(), frozenStages == 0);
    if (frozenStages > 0) return;
    QVERIFY((weight.grad().sizes() == weight.sizes()));
    QVERIFY(difference(weight.grad(), stemOf(ofThree).second.grad()) <= (isHalf ? 0.1 : 1e-4));
  }

  void bfloat16IsCloseToFloat32_data() {
    QTest::addColumn<QString>("norm");
    QTest::addColumn<double>("limit");
    QTest::addColumn<double>("cosine");
    QTest::newRow("frozen") << QStringLiteral("frozen_batch") << 0.015 << 0.99;
    QTest::newRow("group") << QStringLiteral("group") << 0.03 << 0.95;
    // Batch statistics of a dozen values in the last stage amplify small differences.
    QTest::newRow("batch") << QStringLiteral("batch") << 0.25 << 0.5;
    QTest::newRow("sync_batch") << QStringLiteral("sync_batch") << 0.25 << 0.5;
  }
  void bfloat16IsCloseToFloat32() {
    QFETCH(QString, norm);
    QFETCH(double, limit);
    QFETCH(double, cosine);
    const config::ModelConfig config =
        smallModel(*base::parseEnum<config::Norm>(norm.toStdString()));
    model::MaskRcnn wide(config, 3, 1), half(config, 3, 1);
    half.setComputeType(at::kBFloat16);
    const Scene scene = makeScene();
    const auto [expected, expectedMaps] = lossesAndMaps(wide, scene);
    const auto [got, maps] = lossesAndMaps(half, scene);
    for (const auto& [name, map] : expectedMaps) {
      QVERIFY2(maps.at(name).scalar_type() == at::kBFloat16, name.c_str());
      // Other proposals give other RoIs.
      if (name.starts_with("roi_heads")) continue;
      const double difference = (maps.at(name) - map).norm().item<double>();
      QVERIFY2(difference <= limit * map.norm().item<double>(), name.c_str());
    }
    for (std::size_t i = 0; i < expected.named().size(); ++i) {
      const auto [name, loss] = expected.named()[i];
      QVERIFY(got.named()[i].second.scalar_type() == at::kFloat);
      const double value = loss.item<double>();
      const double difference = got.named()[i].second.item<double>() - value;
      if (limit < 0.1) QVERIFY2(std::abs(difference) <= 0.01 * std::abs(value), name.data());
    }
    expected.total({}).backward();
    got.total({}).backward();
    QVERIFY(cosineOfGradients(wide, half) > cosine);
  }

  void bfloat16DetectionsMatchFloat32() {
    model::MaskRcnn model(smallModel(), 3, 1);
    model.eval();
    const at::NoGradGuard noGrad;
    const Scene scene = makeScene();
    const auto expected = model.detect(scene.images, scene.sizes);
    model.setComputeType(at::kBFloat16);
    const auto got = model.detect(scene.images, scene.sizes);
    for (std::size_t n = 0; n < expected.size(); ++n) {
      QCOMPARE(got[n].scores.scalar_type(), at::kFloat);
      QCOMPARE(got[n].boxesXyxy.scalar_type(), at::kFloat);
      QCOMPARE(got[n].maskProbs.scalar_type(), at::kFloat);
      QVERIFY(std::abs((got[n].scores[0] - expected[n].scores[0]).item<double>()) < 0.02);
    }
  }

  void lossWeightsAreApplied() {
    model::MaskRcnn model(smallModel(), 3, 1);
    const model::Losses losses = lossesOf(model, makeScene());
    config::LossWeights weights{1, 2, 3, 4, 5};
    double expected = 0, weight = 1;
    for (const auto& [name, value] : losses.named()) expected += weight++ * value.item<double>();
    QVERIFY(std::abs(losses.total(weights).item<double>() - expected) < 1e-5 * expected);
  }

  void detectionsAreSortedClippedAndLimited() {
    config::ModelConfig config = smallModel();
    config.boxHead.detectionsPerImage = 7;
    model::MaskRcnn model(config, 3, 1);
    model.eval();
    const at::NoGradGuard noGrad;
    const Scene scene = makeScene();
    const auto detections = model.detect(scene.images, scene.sizes);
    QCOMPARE(detections.size(), std::size_t{2});
    for (int i = 0; i < 2; ++i) {
      const structures::PredInstances& found = detections[i];
      QCOMPARE(found.scores.size(0), 7);
      QVERIFY((found.scores.slice(0, 1) <= found.scores.slice(0, 0, -1)).all().item<bool>());
      QVERIFY((found.boxesXyxy >= 0).all().item<bool>());
      QVERIFY((found.boxesXyxy.select(1, 2) <= double(scene.sizes[i].width)).all().item<bool>());
      QVERIFY((found.boxesXyxy.select(1, 3) <= double(scene.sizes[i].height)).all().item<bool>());
      QVERIFY((found.classes >= 1).all().item<bool>() && (found.classes <= 2).all().item<bool>());
      QVERIFY((found.maskProbs.sizes() == at::IntArrayRef{7, 28, 28}));
    }
  }

  void nothingAboveTheScoreThresholdGivesEmptyDetections() {
    config::ModelConfig config = smallModel();
    config.boxHead.scoreThreshold = 0.999;
    model::MaskRcnn model(config, 3, 1);
    model.eval();
    const at::NoGradGuard noGrad;
    const Scene scene = makeScene();
    for (const structures::PredInstances& found : model.detect(scene.images, scene.sizes)) {
      QVERIFY((found.boxesXyxy.sizes() == at::IntArrayRef{0, 4}));
      QVERIFY((found.maskProbs.sizes() == at::IntArrayRef{0, 28, 28}));
    }
  }

  void onlyFrozenStagesGetNoGradient() {
    config::ModelConfig config = smallModel();
    config.freezeStages = 2;
    model::MaskRcnn model(config, 3, 1);
    std::set<std::string> trainable;
    for (const model::ParameterInfo& parameter : model.trainableParameters())
      trainable.insert(parameter.name);
    QVERIFY(!trainable.contains("backbone.body.conv1.weight"));
    QVERIFY(!trainable.contains("backbone.body.bn1.bias"));
    QVERIFY(!trainable.contains("backbone.body.layer1.1.conv2.weight"));
    QVERIFY(trainable.contains("backbone.body.layer2.0.conv1.weight"));
    lossesOf(model, makeScene()).total({}).backward();
    for (const auto& [name, tensor] : model.namedState()) {
      QVERIFY2(tensor.grad().defined() == trainable.contains(name), name.c_str());
    }
  }

  void parametersHaveTheirRoles() {
    model::MaskRcnn model(smallModel(), 3, 1);
    std::map<std::string, model::ParameterInfo> infos;
    for (const model::ParameterInfo& info : model.trainableParameters())
      infos.emplace(info.name, info);
    using Role = model::ParameterInfo::Role;
    QVERIFY(infos.at("backbone.body.layer1.0.bn1.weight").role == Role::Norm);
    QVERIFY(infos.at("backbone.body.layer1.0.bn1.bias").role == Role::Norm);
    QVERIFY(infos.at("backbone.fpn.inner_blocks.0.0.bias").role == Role::Bias);
    QVERIFY(infos.at("roi_heads.box_head.fc6.weight").role == Role::Weight);
    QVERIFY(infos.at("backbone.body.conv1.weight").inBackbone);
    QVERIFY(!infos.at("backbone.fpn.inner_blocks.0.0.bias").inBackbone);
  }

  void evaluationDoesNotUpdateBatchNormStatistics() {
    model::MaskRcnn model(smallModel(config::Norm::Batch), 3, 1);
    const auto before = model.namedState();
    std::vector<at::Tensor> copies;
    for (const auto& [name, tensor] : before) copies.push_back(tensor.detach().clone());
    model.eval();
    lossesOf(model, makeScene());
    for (std::size_t i = 0; i < before.size(); ++i) QVERIFY(at::equal(before[i].second, copies[i]));
    model.train();
    lossesOf(model, makeScene());
    bool hasChanged = false;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const bool isStatistic = before[i].first.find("running") != std::string::npos;
      if (isStatistic) hasChanged |= !at::equal(before[i].second, copies[i]);
    }
    QVERIFY(hasChanged);
  }

  void evaluationUsesUpdatedBatchNormStatistics() {
    config::ModelConfig config = smallModel(config::Norm::Batch);
    config.freezeStages = 2;  // their weights stay, their statistics do not
    model::MaskRcnn model(config, 3, 1), fresh(config, 3, 1);
    const auto heldOutLoss = [](model::MaskRcnn& of) {
      of.eval();
      return lossesOf(of, makeScene()).total({}).item<double>();
    };
    const double before = heldOutLoss(model);
    model.train();
    lossesOf(model, makeScene());
    const double after = heldOutLoss(model);
    const auto from = model.namedState(), to = fresh.namedState();
    for (std::size_t i = 0; i < to.size(); ++i) to[i].second.detach().copy_(from[i].second);
    QVERIFY(after != before);
    QCOMPARE(after, heldOutLoss(fresh));
  }

  void gradientsAreDeterministic() {
    model::MaskRcnn model(smallModel(), 3, 1);
    const Scene scene = makeScene();
    std::vector<at::Tensor> first;
    for (int round = 0; round < 2; ++round) {
      lossesOf(model, scene).total({}).backward();
      std::size_t i = 0;
      for (const model::ParameterInfo& parameter : model.trainableParameters()) {
        if (round == 0) first.push_back(parameter.tensor.grad().clone());
        QVERIFY2(at::equal(parameter.tensor.grad(), first[i++]), parameter.name.c_str());
        parameter.tensor.mutable_grad().zero_();
      }
    }
  }

  void oneExampleCanBeOverfitted() {
    model::MaskRcnn model(smallModel(), 3, 1);
    const Scene scene = makeScene();
    std::vector<at::Tensor> parameters;
    for (const model::ParameterInfo& info : model.trainableParameters())
      parameters.push_back(info.tensor);
    torch::optim::SGD optimizer(parameters, torch::optim::SGDOptions(0.02).momentum(0.9));
    const double before = lossesOf(model, scene).total({}).item<double>();
    for (int step = 0; step < 30; ++step) {
      optimizer.zero_grad();
      lossesOf(model, scene).total({}).backward();
      torch::nn::utils::clip_grad_norm_(parameters, 5.0);
      optimizer.step();
    }
    const double after = lossesOf(model, scene).total({}).item<double>();
    QVERIFY2(after < 0.5 * before, qPrintable(QStringLiteral("%1 -> %2").arg(before).arg(after)));
  }

  /// Memory estimates of a training use these counts.
  void parametersOfBackbonesAreCountedFromTheirShape() {
    for (const config::Backbone& backbone : config::backbones()) {
      std::int64_t count = 0;
      for (const at::Tensor& parameter : model::ResNet(backbone, {}).parameters())
        count += parameter.numel();
      QVERIFY2(backbone.parameterCount() == count, backbone.name);
    }
  }

  void unknownBackbonesAreRefused() {
    config::ModelConfig config = smallModel();
    config.backbone = "resnet19";
    QVERIFY_EXCEPTION_THROWN(model::MaskRcnn(config, 3, 1), Error);
  }
};

LOCKSTEP_TEST(TstMaskRcnn)
#include "tst_mask_rcnn.moc"
