#include <QProcess>
#include <QTest>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/workplace.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::Ended;
using tests::Workplace;

namespace {

QString text(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

/// With every anchor and every proposal sampled no loss depends on a random choice.
QByteArray experiment(const QString& images) {
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

}  // namespace

/// The three programs as a user starts them, beside torchvision with the same weights on the same
/// image files: decoding, resizing, boxes and masks of the annotations, losses, detections, pasted
/// masks and what is written.
class TstTorchvisionImages : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    if (tests::python().isEmpty()) QSKIP("torchvision is not installed (packaging/setup.sh --dev)");
    place_ = std::make_unique<Workplace>();
  }
  void cleanup() { place_.reset(); }

  void madeScenes() {
    QVERIFY(place_->makeShapes());
    compare(place_->path(QStringLiteral("shapes/train")),
            place_->path(QStringLiteral("shapes/annotations/instances_train.json")));
  }

  void realPhotographs() {
    const auto data = tests::realData("coco-tiny");
    if (data.empty()) QSKIP("LOCKSTEP_TEST_DATA has no coco-tiny");
    compare(text(data / "val2017"), text(data / "annotations/instances_val2017.json"));
  }

 private:
  Ended python(const QStringList& arguments) {
    const auto script = tests::sourceFolder() / "tests/reference/torchvision_images.py";
    QProcess process;
    process.start(tests::python(), QStringList{text(script)} + arguments);
    return Workplace::finish(process);
  }

  void compare(const QString& images, const QString& annotations) {
    const QString folder = place_->path(QStringLiteral("torchvision"));
    const Ended made = python({QStringLiteral("make"), folder, images, annotations});
    QVERIFY2(made.status == 0, made.err);
    place_->write(QStringLiteral("other.json"), place_->read(annotations));
    place_->write(QStringLiteral("experiment.yaml"), experiment(images));
    const QString file = place_->path(QStringLiteral("experiment.yaml"));
    const QString evaluation = place_->path(QStringLiteral("evaluation.json"));
    const QString predictions = place_->path(QStringLiteral("predictions.json"));
    const Ended evaluated =
        place_->engine({QStringLiteral("evaluate"), file, QStringLiteral("--per-image"),
                        QStringLiteral("--out"), evaluation});
    QVERIFY2(evaluated.status == 0, evaluated.err);
    const Ended predicted =
        place_->engine({QStringLiteral("predict"), file, QStringLiteral("--split"),
                        QStringLiteral("val"), QStringLiteral("--out"), predictions});
    QVERIFY2(predicted.status == 0, predicted.err);

    const Ended compared = python({QStringLiteral("compare"), folder, evaluation, predictions});
    QVERIFY2(compared.status == 0, compared.err);
    const auto result = nlohmann::json::parse(compared.out.toStdString());
    QVERIFY(result["detections"] > 100);
    QVERIFY2(result["loss_difference"] < 1e-3, compared.out);
    QVERIFY2(result["repeated"] >= 0.98, compared.out);
  }

  std::unique_ptr<Workplace> place_;
};

LOCKSTEP_TEST(TstTorchvisionImages)
#include "tst_torchvision_images.moc"
