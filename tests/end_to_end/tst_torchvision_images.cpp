#include <QProcess>
#include <QRegularExpression>
#include <QTest>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/test_workspace.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using Json = nlohmann::json;
using tests::ProcessResult;
using tests::TestWorkspace;

namespace {

QString pathText(const std::filesystem::path& path) {
  return QString::fromStdString(path.string());
}

/// With every anchor and every proposal sampled no loss depends on a random choice.
QByteArray evaluationExperiment(const QString& images) {
  return QStringLiteral(
             "name: beside_torchvision\n"
             "dataset:\n"
             "  train: {images: %1, annotations: other.json}\n"
             "  val: {images: %1, annotations: torchvision/subset.json}\n"
             "augment: {min_size: [320], max_size: 533}\n"
             "model:\n"
             "  backbone: resnet18\n"
             "  norm: frozen_batch\n"
             "  weights: torchvision/weights.safetensors\n"
             "  rpn: {batch_size_per_image: 1000000}\n"
             "  box_head: {batch_size_per_image: 1000000}\n")
      .arg(images)
      .toUtf8();
}

/// Two training steps that start from the script's weights and change all of them.
QByteArray trainingExperiment(const QString& norm) {
  return QStringLiteral(
             "name: beside_torchvision\n"
             "dataset:\n"
             "  train: {images: shapes/train, annotations: "
             "shapes/annotations/instances_train.json}\n"
             "  val: {images: shapes/val, annotations: torchvision/subset.json}\n"
             "augment: {min_size: [320], max_size: 533}\n"
             "model:\n"
             "  backbone: resnet18\n"
             "  norm: %1\n"
             "  freeze_stages: 0\n"
             "  weights: torchvision/weights.safetensors\n"
             "  box_head: {batch_size_per_image: 64}\n"
             "solver: {max_steps: 2, batch_size: 1, base_lr: 0.01, warmup_steps: 0, schedule: "
             "constant, clip_grad_norm: 1}\n"
             "monitor: {predictions_every: 0}\n"
             "runtime: {device: cpu}\n")
      .arg(norm)
      .toUtf8();
}

}  // namespace

/// The three programs compared with torchvision, with the same weights and image files: decoding,
/// resizing, boxes and masks of the annotations, losses, detections, pasted masks and output files;
/// weights in both directions.
class TstTorchvisionImages : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    if (tests::python().isEmpty()) QSKIP("torchvision is not installed (packaging/setup.sh --dev)");
    place_ = std::make_unique<TestWorkspace>();
  }
  void cleanup() { place_.reset(); }

  void generatedScenes() {
    place_->copyShapes();
    compareEvaluation(place_->path(QStringLiteral("shapes/train")),
                      place_->path(QStringLiteral("shapes/annotations/instances_train.json")));
  }

  void realPhotographs() {
    const auto data = tests::realData("coco-tiny");
    if (data.empty()) QSKIP("LOCKSTEP_TEST_DATA has no coco-tiny");
    compareEvaluation(pathText(data / "val2017"),
                      pathText(data / "annotations/instances_val2017.json"));
  }

  /// With every tensor that a norm can have.
  void aTrainedModelLoadsInPythonAndPredictsTheSame_data() {
    QTest::addColumn<QString>("norm");
    QTest::newRow("batch") << QStringLiteral("batch");
    QTest::newRow("group") << QStringLiteral("group");
  }
  void aTrainedModelLoadsInPythonAndPredictsTheSame() {
    QFETCH(QString, norm);
    place_->copyShapes();
    const QString held = place_->path(QStringLiteral("shapes/val"));
    QVERIFY(makeWeights(held, place_->path(QStringLiteral("shapes/annotations/instances_val.json")),
                        {QStringLiteral("--norm"), norm, QStringLiteral("--no-figures")}));
    place_->write(QStringLiteral("experiment.yaml"), trainingExperiment(norm));
    const QString run = place_->path(QStringLiteral("run"));
    const ProcessResult trained =
        place_->engine({QStringLiteral("train"), place_->path(QStringLiteral("experiment.yaml")),
                        QStringLiteral("--output"), run});
    QVERIFY2(trained.status == 0, trained.err);
    const QString predictions = place_->path(QStringLiteral("ours.json"));
    const ProcessResult predicted =
        place_->engine({QStringLiteral("predict"), run, QStringLiteral("--split"),
                        QStringLiteral("val"), QStringLiteral("--out"), predictions});
    QVERIFY2(predicted.status == 0, predicted.err);

    const ProcessResult loaded = images({QStringLiteral("predict"), folder(), held,
                                         run + QStringLiteral("/checkpoints/step-00000002/"
                                                              "model.safetensors")});
    QVERIFY2(loaded.status == 0, loaded.err);
    const Json result = compared({predictions});
    QVERIFY(result["detections"] > 50);
    QVERIFY2(result["repeated"] >= 0.98, result.dump().c_str());
  }

  void aConvertedBackboneTrainsAndTheLogNamesItsTensors() {
    place_->copyShapes();
    place_->writeExperiment();
    const QString pth = place_->path(QStringLiteral("resnet18.pth"));
    const QString weights = place_->path(QStringLiteral("resnet18.safetensors"));
    const ProcessResult made =
        python({pathText(tests::sourceFolder() / "tests/reference/weights_files.py"),
                QStringLiteral("resnet18"), pth});
    QVERIFY2(made.status == 0, made.err);
    const ProcessResult converted =
        python({pathText(tests::sourceFolder() / "packaging/convert_weights.py"), pth, weights});
    QVERIFY2(converted.status == 0, converted.err);
    const ProcessResult trained =
        place_->engine({QStringLiteral("train"), place_->path(QStringLiteral("experiment.yaml")),
                        QStringLiteral("--set"), QStringLiteral("model.weights=") + weights,
                        QStringLiteral("--set"), QStringLiteral("model.norm=frozen_batch"),
                        QStringLiteral("--set"), QStringLiteral("solver.max_steps=1")});
    QVERIFY2(trained.status == 0, trained.err);
    const QRegularExpression line(
        QStringLiteral("resnet18\\.safetensors: 100 tensors loaded, \\d+ missing "
                       "\\(backbone\\.fpn\\.inner_blocks\\.0\\.0\\.weight, .* and \\d+ more\\), "
                       "2 unexpected \\(fc\\.bias, fc\\.weight\\)"));
    QVERIFY2(QString::fromUtf8(trained.err).contains(line), trained.err);
  }

 private:
  static ProcessResult python(const QStringList& arguments) {
    QProcess process;
    process.start(tests::python(), arguments);
    return TestWorkspace::finish(process);
  }
  static ProcessResult images(const QStringList& arguments) {
    const auto script = tests::sourceFolder() / "tests/reference/torchvision_images.py";
    return python(QStringList{pathText(script)} + arguments);
  }

  QString folder() const { return place_->path(QStringLiteral("torchvision")); }
  /// The script's model and its results for the first images.
  bool makeWeights(const QString& imagesFolder, const QString& annotations,
                   const QStringList& options = {}) {
    const ProcessResult made =
        images(QStringList{QStringLiteral("make"), folder(), imagesFolder, annotations} + options);
    if (made.status != 0) qWarning("%s", made.err.constData());
    return made.status == 0;
  }

  /// The script's comparison with our predictions; null if it fails.
  Json compared(const QStringList& arguments) {
    const ProcessResult ended =
        images(QStringList{QStringLiteral("compare"), folder()} + arguments);
    if (ended.status != 0) qWarning("%s", ended.err.constData());
    return ended.status == 0 ? Json::parse(ended.out.toStdString()) : Json();
  }

  void compareEvaluation(const QString& imagesFolder, const QString& annotations) {
    QVERIFY(makeWeights(imagesFolder, annotations));
    place_->write(QStringLiteral("other.json"), place_->read(annotations));
    place_->write(QStringLiteral("experiment.yaml"), evaluationExperiment(imagesFolder));
    const QString file = place_->path(QStringLiteral("experiment.yaml"));
    const QString evaluation = place_->path(QStringLiteral("evaluation.json"));
    const QString predictions = place_->path(QStringLiteral("predictions.json"));
    const ProcessResult evaluated =
        place_->engine({QStringLiteral("evaluate"), file, QStringLiteral("--per-image"),
                        QStringLiteral("--out"), evaluation});
    QVERIFY2(evaluated.status == 0, evaluated.err);
    const ProcessResult predicted =
        place_->engine({QStringLiteral("predict"), file, QStringLiteral("--split"),
                        QStringLiteral("val"), QStringLiteral("--out"), predictions});
    QVERIFY2(predicted.status == 0, predicted.err);
    const Json result = compared({predictions, QStringLiteral("--evaluation"), evaluation});
    QVERIFY(result["detections"] > 100);
    QVERIFY2(result["loss_difference"] < 1e-3, result.dump().c_str());
    QVERIFY2(result["repeated"] >= 0.98, result.dump().c_str());
  }

  std::unique_ptr<TestWorkspace> place_;
};

LOCKSTEP_TEST(TstTorchvisionImages)
#include "tst_torchvision_images.moc"
