// The model beside torchvision's on the same weights and images
// (tests/reference/torchvision_model.py).
#include <QObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "engine/checkpoint/safetensors.h"
#include "engine/model/mask_rcnn.h"
#include "engine/ops/boxes.h"
#include "engine/ops/paste_masks.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

namespace {

config::ModelConfig smallModel(const std::string& backbone, const std::string& norm) {
  config::ModelConfig config;
  config.backbone = backbone;
  config.norm = norm;
  config.freezeStages = 0;
  config.fpnChannels = 32;
  config.rpn.preNmsTopNTrain = 400;
  config.rpn.preNmsTopNTest = 200;
  config.rpn.postNmsTopNTrain = 300;
  config.rpn.postNmsTopNTest = 150;
  config.rpn.batchSizePerImage = 1000000;
  config.boxHead.fcDim = 64;
  config.boxHead.batchSizePerImage = 1000000;
  config.maskHead.convs = 2;
  config.maskHead.channels = 32;
  return config;
}

/// What the reference script wrote, and the model with its weights.
struct Reference {
  checkpoint::SafetensorsFile weights, scene, expected;
  std::unique_ptr<model::MaskRcnn> model;
  std::vector<ops::ImageSize> sizes;
  std::vector<ops::GtInstances> gts;
  std::vector<std::uint64_t> keys;

  at::Tensor of(const std::string& name) const { return *expected.find(name); }
  at::Tensor images() const { return *scene.find("images"); }
};

Reference makeReference(const QString& folder, const std::string& backbone,
                        const std::string& norm) {
  const std::filesystem::path out = folder.toStdString();
  Reference reference;
  reference.weights = checkpoint::readSafetensors(out / "weights.safetensors");
  reference.scene = checkpoint::readSafetensors(out / "scene.safetensors");
  reference.expected = checkpoint::readSafetensors(out / "expected.safetensors");
  reference.model = std::make_unique<model::MaskRcnn>(smallModel(backbone, norm), 5, 1);
  const at::NoGradGuard noGrad;
  for (auto& [name, tensor] : reference.model->namedState()) {
    if (const at::Tensor* value = reference.weights.find(name)) tensor.copy_(*value);
  }
  const at::Tensor sizes = *reference.scene.find("sizes");
  for (std::int64_t i = 0; i < sizes.size(0); ++i) {
    const auto number = std::to_string(i);
    reference.sizes.push_back({sizes[i][0].item<std::int64_t>(), sizes[i][1].item<std::int64_t>()});
    reference.gts.push_back({*reference.scene.find("boxes." + number),
                             *reference.scene.find("classes." + number),
                             *reference.scene.find("masks." + number)});
    reference.keys.push_back(i);
  }
  return reference;
}

/// Of gradients in float32. Through random weights a rounding error in the stem grows on its way
/// through max-pool and ReLU; in float64 they are held to 1e-5, losses and detections to that in
/// float32 too.
constexpr double kGradientTolerance = 2e-2;

/// In the L2 norm.
double relativeDifference(const at::Tensor& value, const at::Tensor& reference) {
  const at::Tensor expected = reference.to(at::kDouble);
  const double difference = (value - expected).norm().item<double>();
  return difference / std::max(expected.norm().item<double>(), 1e-6);
}

void compareLosses(const model::Losses& losses, const Reference& reference,
                   const std::string& prefix) {
  for (const auto& [name, value] : losses.named()) {
    const double expected = reference.of(prefix + std::string(name)).item<double>();
    const double found = value.item<double>();
    const double difference = std::abs(found - expected) / std::max(std::abs(expected), 1e-6);
    QVERIFY2(difference < 1e-5, qPrintable(QStringLiteral("%1%2: %3 instead of %4")
                                               .arg(QString::fromStdString(prefix),
                                                    QLatin1String(name.data(), name.size()))
                                               .arg(found, 0, 'g', 9)
                                               .arg(expected, 0, 'g', 9)));
  }
}

/// Share of the expected detections of one image that were found too: score, box and full-size
/// mask.
double shareRepeated(const ops::PredInstances& found, const Reference& reference, int image) {
  const std::string number = std::to_string(image);
  const at::Tensor boxes = reference.of("boxes." + number),
                   scores = reference.of("scores." + number);
  const at::Tensor classes = reference.of("classes." + number),
                   pasted = reference.of("pasted." + number);
  const at::Tensor masks =
      ops::fullMasks(ops::pasteMasks(found.maskProbs, found.boxesXyxy, reference.sizes[image]),
                     reference.sizes[image]);
  std::int64_t repeated = 0;
  for (std::int64_t i = 0; i < boxes.size(0); ++i) {
    const at::Tensor fits =
        (found.classes == classes[i])
            .logical_and((found.scores - scores[i]).abs() <= 1e-3)
            .logical_and(std::get<0>((found.boxesXyxy - boxes[i]).abs().max(1)) <= 0.5);
    for (std::int64_t j = 0; j < masks.size(0); ++j) {
      if (!fits[j].item<bool>()) continue;
      const double both = masks[j].logical_and(pasted[i]).sum().item<double>();
      const double either = masks[j].logical_or(pasted[i]).sum().item<double>();
      if (either == 0 || both / either >= 0.98) {
        ++repeated;
        break;
      }
    }
  }
  return static_cast<double>(repeated) / static_cast<double>(boxes.size(0));
}

}  // namespace

class TstTorchvisionParity : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (tests::python().isEmpty()) QSKIP("needs Python with torchvision: packaging/setup.sh --dev");
    QVERIFY(folder_.isValid());
  }

  void lossesGradientsAndDetectionsAreTorchvisions_data() {
    QTest::addColumn<QString>("backbone");
    QTest::addColumn<QString>("norm");
    for (const auto& [backbone, norm] : {std::pair{"resnet18", "frozen_batch"},
                                         {"resnet18", "batch"},
                                         {"resnet18", "group"},
                                         {"resnet50", "frozen_batch"}}) {
      QTest::addRow("%s %s", backbone, norm)
          << QString::fromLatin1(backbone) << QString::fromLatin1(norm);
    }
  }

  void lossesGradientsAndDetectionsAreTorchvisions() {
    QFETCH(QString, backbone);
    QFETCH(QString, norm);
    const QString out = folder_.filePath(backbone + QLatin1Char('-') + norm);
    QVERIFY(runReference(out, backbone, norm));
    Reference reference = makeReference(out, backbone.toStdString(), norm.toStdString());
    compareNames(reference);
    compareEvaluation(reference);
    compareTrainingStep(reference);
    compareExactGradients(reference);
  }

 private:
  bool runReference(const QString& out, const QString& backbone, const QString& norm) {
    const auto script = tests::sourceFolder() / "tests/reference/torchvision_model.py";
    QProcess process;
    process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    process.start(tests::python(),
                  {QString::fromStdString(script.string()), out, QStringLiteral("--backbone"),
                   backbone, QStringLiteral("--norm"), norm});
    return process.waitForFinished(300000) && process.exitCode() == 0;
  }

  /// Names, order and shapes of the state; the classifier of the ResNet is not kept by torchvision
  /// either.
  void compareNames(const Reference& reference) {
    std::map<std::string, at::Tensor> ours;
    for (const auto& [name, tensor] : reference.model->namedState()) ours[name] = tensor;
    QCOMPARE(ours.size(), reference.weights.tensors.size());
    for (const auto& [name, tensor] : reference.weights.tensors) {
      QVERIFY2(ours.contains(name), name.c_str());
      QVERIFY2(ours[name].sizes() == tensor.sizes(), name.c_str());
      QVERIFY2(ours[name].scalar_type() == tensor.scalar_type(), name.c_str());
    }
  }

  /// Norms in evaluation mode: losses of each image alone and detections of the batch, and both
  /// from one pass.
  void compareEvaluation(Reference& reference) {
    const at::NoGradGuard noGrad;
    reference.model->eval();
    const auto detections = reference.model->detect(reference.images(), reference.sizes);
    for (int i = 0; i < 3; ++i) {
      QVERIFY(detections[i].scores.size(0) > 20);
      const double share = shareRepeated(detections[i], reference, i);
      QVERIFY2(share >= 0.98,
               qPrintable(QStringLiteral("image %1: %2 repeated").arg(i).arg(share)));

      const auto [height, width] = reference.sizes[i];
      const at::Tensor image = reference.images()[i]
                                   .unsqueeze(0)
                                   .slice(2, 0, (height + 31) / 32 * 32)
                                   .slice(3, 0, (width + 31) / 32 * 32);
      const auto alone = reference.model->lossesAndDetections(
          image, {reference.sizes[i]}, {reference.gts[i]}, {reference.keys[i]});
      compareLosses(alone.losses, reference, "image." + std::to_string(i) + ".");
      const auto only = reference.model->detect(image, {reference.sizes[i]});
      QVERIFY(at::equal(alone.detections[0].boxesXyxy, only[0].boxesXyxy));
      QVERIFY(at::equal(alone.detections[0].maskProbs, only[0].maskProbs));
    }
  }

  /// Losses, and what the step leaves in the statistics of batch norm.
  void compareTrainingStep(Reference& reference) {
    reference.model->train();
    const model::Losses losses =
        reference.model->losses(reference.images(), reference.sizes, reference.gts, reference.keys);
    compareLosses(losses, reference, "");
    losses.total({}).backward();
    for (const auto& [name, tensor] : reference.model->namedState()) {
      const at::Tensor* after = reference.expected.find("after." + name);
      if (after != nullptr) QVERIFY2(relativeDifference(tensor, *after) < 1e-5, name.c_str());
    }
    compareGradients(reference, kGradientTolerance);
  }

  /// The same step in float64, where no rounding hides what is wrong.
  void compareExactGradients(Reference& reference) {
    for (const model::ParameterInfo& info : reference.model->trainableParameters()) {
      info.tensor.mutable_grad().reset();
    }
    reference.model->to(at::kDouble);
    reference.model
        ->losses(reference.images().to(at::kDouble), reference.sizes, reference.gts, reference.keys)
        .total({})
        .backward();
    compareGradients(reference, 1e-5);
  }

  void compareGradients(const Reference& reference, double limit) {
    QStringList different;
    for (const model::ParameterInfo& info : reference.model->trainableParameters()) {
      const at::Tensor* expected = reference.expected.find("grad." + info.name);
      if (expected == nullptr) continue;
      const double difference = relativeDifference(info.tensor.grad(), *expected);
      if (difference < limit) continue;
      different
          << QStringLiteral("%1 by %2").arg(QString::fromStdString(info.name)).arg(difference);
    }
    QVERIFY2(different.isEmpty(), qPrintable(different.join(QStringLiteral(", "))));
  }

  QTemporaryDir folder_;
};

LOCKSTEP_TEST(TstTorchvisionParity)
#include "tst_torchvision_parity.moc"
