// Compares the model with torchvision's on the same weights and images
// (tests/reference/torchvision_model.py).
#include <QDebug>
#include <QObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "engine/checkpoint/weights_layout.h"
#include "engine/structures/ground_truth.h"
#include "tests/model/torchvision_case.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using tests::TorchvisionCase;

namespace {

/// BACKBONE-NORM-SCENE, as the script names them.
const QStringList kCases{
    QStringLiteral("resnet18-frozen_batch-small"), QStringLiteral("resnet18-batch-small"),
    QStringLiteral("resnet18-group-small"),        QStringLiteral("resnet50-frozen_batch-small"),
    QStringLiteral("resnet50-batch-small"),        QStringLiteral("resnet50-group-small"),
    QStringLiteral("resnet18-frozen_batch-large")};

/// Relative, in the L2 norm. Layers of the mask head differ most, 1.1e-5 with AVX2: their RoIs are
/// detected boxes, which are within 0.001 px of torchvision's.
constexpr double kTolerance = 3e-5;
/// Where batch statistics of some tens of pixels multiply a rounding error through 53 layers:
/// torchvision's own float32 is 6e-5 from its float64 there.
constexpr double kDeepBatchTolerance = 1e-4;
/// For gradients in float32: a multiple of torchvision's own difference from float64, and the
/// effect of rounding that switches some ReLU, which varies between processors.
constexpr double kFloatGradientFactor = 3, kFloatGradientTolerance = 1e-3;
/// For gradients in float64, which are within 1e-7 with one exception: RoI coordinates are float32
/// by design, and one that switches a ReLU of the heads causes about 1e-5.
constexpr double kExactGradientTolerance = 1e-4;
constexpr double kProposalTolerancePx = 1e-2;

}  // namespace

class TstTorchvisionParity : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (tests::python().isEmpty()) QSKIP("needs Python with torchvision: packaging/setup.sh --dev");
    QVERIFY(folder_.isValid());
    const auto script = tests::sourceFolder() / "tests/reference/torchvision_model.py";
    QProcess process;
    process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    process.start(tests::python(),
                  QStringList{QString::fromStdString(script.string()), folder_.path()} + kCases);
    QVERIFY(process.waitForFinished(300000) && process.exitCode() == 0);
  }

  void cleanupTestCase() {
    for (const QString& line : largest_.lines()) qInfo().noquote() << line;
  }

  void everythingEqualsTorchvision_data() {
    QTest::addColumn<QString>("name");
    for (const QString& name : kCases) QTest::newRow(qPrintable(name)) << name;
  }

  void everythingEqualsTorchvision() {
    QFETCH(QString, name);
    case_ = name;
    const QStringList parts = name.split(QLatin1Char('-'));
    TorchvisionCase reference(folder_.filePath(name).toStdString(), parts[0].toStdString(),
                              parts[1].toStdString());
    compareNames(reference);
    compareInference(reference);
    compareHeldOutLosses(reference);
    compareTrainingStep(reference);
    if (parts[2] == QStringLiteral("large")) return;  // it has no gradients
    compareGradients(
        reference, QStringLiteral("gradients, float32"),
        std::max(kFloatGradientTolerance,
                 kFloatGradientFactor * reference.of("float32_gradients").item<double>()));
    compareExactGradients(reference);
  }

 private:
  /// Records a difference; false when it is too large or NaN.
  bool fits(const QString& kind, double difference, double limit, const std::string& what) {
    largest_.add(kind, difference, case_ + QLatin1Char(' ') + QString::fromStdString(what));
    return difference <= limit;
  }

  double trainingTolerance() const {
    return case_.startsWith(QStringLiteral("resnet50-batch")) ? kDeepBatchTolerance : kTolerance;
  }

  /// Names and shapes of the state; torchvision does not keep the classifier of the ResNet either.
  void compareNames(const TorchvisionCase& reference) {
    std::map<std::string, at::Tensor> ours;
    for (const auto& [name, tensor] : checkpoint::inFileShapes(reference.model->namedState()))
      ours[name] = tensor;
    QCOMPARE(ours.size(), reference.weights.size());
    for (const auto& [name, tensor] : reference.weights) {
      QVERIFY2(ours.contains(name), name.c_str());
      QVERIFY2(ours[name].sizes() == tensor.sizes(), name.c_str());
      QVERIFY2(ours[name].scalar_type() == tensor.scalar_type(), name.c_str());
    }
  }

  /// Detections of the batch, the proposals, and every layer.
  void compareInference(TorchvisionCase& reference) {
    const at::NoGradGuard noGrad;
    reference.model->eval();
    std::vector<structures::PredInstances> detections;
    const auto recorded = tests::recordActivations(
        [&] { detections = reference.model->detect(reference.images, reference.sizes); });
    std::vector<at::Tensor> found, expected;
    for (std::size_t i = 0; i < detections.size(); ++i) {
      found.push_back(detections[i].boxesXyxy);
      expected.push_back(reference.of("boxes." + std::to_string(i)));
      compareDetections(reference, detections[i], i);
    }
    const at::Tensor boxRows = compareProposals(reference, tests::runRpn(reference), "eval.");
    compareActivations(recorded, reference, "eval.",
                       {boxRows, tests::matchRows(at::cat(found), at::cat(expected)).rows},
                       kTolerance);
  }

  void compareDetections(const TorchvisionCase& reference,
                         const structures::PredInstances& detections, std::size_t image) {
    QVERIFY(detections.scores.size(0) > 20);
    const auto found = tests::compareDetections(detections, reference, image);
    largest_.add(QStringLiteral("detections, score"), found.score, case_);
    largest_.add(QStringLiteral("detections, box px"), found.boxPx, case_);
    largest_.add(QStringLiteral("detections, mask probability"), found.maskProb, case_);
    QVERIFY2(
        fits(QStringLiteral("detections, share not repeated"), 1 - found.shareRepeated, 0.02, ""),
        qPrintable(QStringLiteral("image %1: %2 repeated").arg(image).arg(found.shareRepeated)));
  }

  /// Norms in evaluation mode; each image alone, its losses and detections from one pass.
  void compareHeldOutLosses(TorchvisionCase& reference) {
    const at::NoGradGuard noGrad;
    for (std::size_t i = 0; i < reference.sizes.size(); ++i) {
      const at::Tensor image = reference.imageAlone(i);
      const auto both = reference.model->lossesAndDetections(
          image, {reference.sizes[i]}, structures::batchGroundTruth({reference.gts[i]}),
          {reference.keys[i]});
      compareLosses(both.losses, reference, "image." + std::to_string(i) + ".");
      const auto only = reference.model->detect(image, {reference.sizes[i]});
      QVERIFY(at::equal(both.detections[0].boxesXyxy, only[0].boxesXyxy));
      QVERIFY(at::equal(both.detections[0].maskProbs, only[0].maskProbs));
    }
  }

  /// Losses, what the step leaves in the statistics of batch norm, the RPN, and every layer.
  void compareTrainingStep(TorchvisionCase& reference) {
    reference.model->train();
    model::Losses losses;
    const auto recorded = tests::recordActivations([&] {
      losses = reference.model->losses(reference.images, reference.sizes, reference.groundTruth(),
                                       reference.keys);
    });
    compareLosses(losses, reference, "");
    losses.total({}).backward();
    for (const auto& [name, tensor] : reference.model->namedState()) {
      if (!reference.expected.contains("after." + name)) continue;
      const double difference = tests::relativeDifference(tensor, reference.of("after." + name));
      QVERIFY2(
          fits(QStringLiteral("statistics of batch norm"), difference, trainingTolerance(), name),
          name.c_str());
    }
    const tests::RpnPass pass = tests::runRpn(reference);
    compareRpn(reference, pass);
    compareProposals(reference, pass, "train.");
    const at::Tensor rows = tests::regionRows(reference, pass);
    const at::Tensor positive = (reference.of("train.labels") > 0).nonzero().squeeze(1);
    // The mask head gets only the positives, in the order of our RoIs.
    compareActivations(recorded, reference, "train.",
                       {rows, rows.index_select(0, positive).argsort().argsort()},
                       trainingTolerance());
  }

  /// FPN levels and the RPN outputs of every anchor.
  void compareRpn(const TorchvisionCase& reference, const tests::RpnPass& pass) {
    QCOMPARE(pass.levels.size(), std::size_t{5});
    std::vector<std::pair<std::string, at::Tensor>> figures{{"objectness", pass.output.objectness},
                                                            {"deltas", pass.output.deltas}};
    for (std::size_t i = 0; i < pass.levels.size(); ++i)
      figures.emplace_back("level." + std::to_string(i), pass.levels[i]);
    for (const auto& [name, value] : figures) {
      const double difference = tests::relativeDifference(value, reference.of("train." + name));
      QVERIFY2(fits(QStringLiteral("pyramid and RPN"), difference, trainingTolerance(), name),
               name.c_str());
    }
    QVERIFY(at::equal(pass.output.anchors, reference.of("train.anchors")));
  }

  /// The boxes of all images; of each expected one the row of ours. pass: `train.`, `eval.` or
  /// `exact.`, of which the last is in order.
  at::Tensor compareProposals(const TorchvisionCase& reference, const tests::RpnPass& rpn,
                              const std::string& pass) {
    const auto& proposals = pass == "eval." ? rpn.testProposals : rpn.trainingProposals;
    std::vector<at::Tensor> rows;
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < proposals.size(); ++i) {
      const auto match =
          tests::matchRows(proposals[i], reference.of(pass + "proposals." + std::to_string(i)));
      const std::string what = pass + "image " + std::to_string(i);
      const bool fit =
          fits(QStringLiteral("proposals, px"), match.largestPx, kProposalTolerancePx, what);
      largest_.add(QStringLiteral("proposals, share in another place"), match.shareMoved,
                   case_ + QLatin1Char(' ') + QString::fromStdString(what));
      if (!fit || (pass == "exact." && match.shareMoved > 0) || match.rows.size(0) < 50) {
        QTest::qFail(qPrintable(QStringLiteral("%1: %2 proposals, %3 px, %4 moved")
                                    .arg(QString::fromStdString(what))
                                    .arg(proposals[i].size(0))
                                    .arg(match.largestPx)
                                    .arg(match.shareMoved)),
                     __FILE__, __LINE__);
      }
      rows.push_back(match.rows + offset);
      offset += proposals[i].size(0);
    }
    return at::cat(rows);
  }

  /// The same step in float64, where rounding does not hide errors.
  void compareExactGradients(TorchvisionCase& reference) {
    for (const model::ParameterInfo& info : reference.model->trainableParameters())
      info.tensor.mutable_grad().reset();
    reference.model->to(at::kDouble);
    reference.images = reference.images.to(at::kDouble);
    reference.model
        ->losses(reference.images, reference.sizes, reference.groundTruth(), reference.keys)
        .total({})
        .backward();
    compareProposals(reference, tests::runRpn(reference), "exact.");
    compareGradients(reference, QStringLiteral("gradients, float64"), kExactGradientTolerance);
  }

  void compareActivations(const tests::Activations& recorded, const TorchvisionCase& reference,
                          const std::string& pass, const tests::HeadRows& rows, double limit) {
    const auto found = tests::compareActivations(recorded, reference, pass, rows, limit);
    largest_.add(limit > kTolerance ? QStringLiteral("activations, deep batch statistics")
                                    : QStringLiteral("activations"),
                 found.largest,
                 case_ + QLatin1Char(' ') + QString::fromStdString(found.largestName));
    QVERIFY2(found.fault.isEmpty(), qPrintable(found.fault));
  }

  void compareLosses(const model::Losses& losses, const TorchvisionCase& reference,
                     const std::string& prefix) {
    for (const auto& [name, value] : losses.named()) {
      const std::string full = prefix + std::string(name);
      const double difference = tests::relativeDifference(value, reference.of(full));
      QVERIFY2(fits(QStringLiteral("losses"), difference, kTolerance, full),
               qPrintable(QStringLiteral("%1: %2 instead of %3")
                              .arg(QString::fromStdString(full))
                              .arg(value.item<double>(), 0, 'g', 9)
                              .arg(reference.of(full).item<double>(), 0, 'g', 9)));
    }
  }

  /// Of every parameter.
  void compareGradients(const TorchvisionCase& reference, const QString& kind, double limit) {
    QStringList different;
    const auto parameters = reference.model->trainableParameters();
    const auto expected = std::ranges::count_if(
        reference.expected, [](const auto& entry) { return entry.first.starts_with("grad."); });
    QCOMPARE(static_cast<std::ptrdiff_t>(parameters.size()), expected);
    for (const model::ParameterInfo& info : parameters) {
      const double difference =
          tests::relativeDifference(checkpoint::inFileShape(info.name, info.tensor.grad()),
                                    reference.of("grad." + info.name));
      if (!fits(kind, difference, limit, info.name))
        different
            << QStringLiteral("%1 by %2").arg(QString::fromStdString(info.name)).arg(difference);
    }
    QVERIFY2(different.isEmpty(), qPrintable(different.join(QStringLiteral(", "))));
  }

  QTemporaryDir folder_;
  QString case_;
  tests::LargestDifferences largest_;
};

LOCKSTEP_TEST(TstTorchvisionParity)
#include "tst_torchvision_parity.moc"
