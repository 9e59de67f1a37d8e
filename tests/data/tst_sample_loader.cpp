#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/data/sample_loader.h"
#include "tests/data/small_data_set.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using data::Batch;
using data::Sampler;

namespace {

constexpr std::uint64_t kSeed = 3;

QString text(const std::string& value) { return QString::fromStdString(value); }

QJsonObject annotationToJson(const coco::Annotation& annotation) {
  QJsonArray box, segmentation;
  for (double side : annotation.boxXywh) box.append(side);
  QJsonObject json{{QStringLiteral("bbox"), box}};
  if (const auto* runs = std::get_if<coco::Rle>(&annotation.segmentation)) {
    QJsonArray counts;
    for (std::uint32_t count : runs->counts) counts.append(static_cast<qint64>(count));
    json[QStringLiteral("segmentation")] =
        QJsonObject{{QStringLiteral("size"), QJsonArray{runs->height, runs->width}},
                    {QStringLiteral("counts"), counts}};
    return json;
  }
  for (const auto& polygon : std::get<0>(annotation.segmentation)) {
    QJsonArray points;
    for (double value : polygon) points.append(value);
    segmentation.append(points);
  }
  json[QStringLiteral("segmentation")] = segmentation;
  return json;
}

/// An image as tests/reference/torchvision_transform.py wants it.
QJsonObject imageToJson(const coco::Dataset& dataset, std::size_t index,
                        const data::TransformPlan& plan, int minSize) {
  QJsonArray annotations;
  for (const coco::Annotation& annotation : dataset.annotationsOf(index)) {
    if (annotation.isUsable()) annotations.append(annotationToJson(annotation));
  }
  return {{QStringLiteral("file"), text(dataset.images()[index].fileName)},
          {QStringLiteral("min_size"), minSize},
          {QStringLiteral("hflip"), plan.flipHorizontal},
          {QStringLiteral("vflip"), plan.flipVertical},
          {QStringLiteral("annotations"), annotations}};
}

/// min_size is read off the plan: an image of its own size each would say too little.
int minSizeOf(const config::AugmentConfig& augment, const data::TransformPlan& plan) {
  for (int size : augment.minSize) {
    if (data::resizedSize(plan.original, size, augment.maxSize) == plan.resized) return size;
  }
  return -1;
}

std::vector<Sampler::Draw> drawsOfEpoch(std::initializer_list<std::size_t> indices,
                                        std::int64_t epoch) {
  std::vector<Sampler::Draw> draws;
  for (std::size_t index : indices) draws.push_back({index, epoch});
  return draws;
}

}  // namespace

class TstSampleLoader : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  coco::Dataset dataset_ = tests::smallDataset();

  std::filesystem::path path(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }
  /// What torchvision makes of the cases.
  checkpoint::SafetensorsFile askTorchvision(QJsonObject cases,
                                             const std::filesystem::path& images) const {
    cases[QStringLiteral("folder")] = text(images.string());
    for (const char* key : {"batches", "jitters", "pictures"}) {
      if (!cases.contains(QLatin1String(key))) cases[QLatin1String(key)] = QJsonArray();
    }
    base::writeFileAtomically(path("cases.json"), QJsonDocument(cases).toJson().toStdString());
    QProcess process;
    const auto script = tests::sourceFolder() / "tests/reference/torchvision_transform.py";
    process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    process.start(tests::python(), {text(script.string()), text(path("cases.json").string()),
                                    text(path("answer.safetensors").string())});
    if (!process.waitForFinished(300000) || process.exitCode() != 0)
      throw Error("torchvision_transform.py failed");
    return checkpoint::readSafetensors(path("answer.safetensors"));
  }
  static void compare(const Batch& batch, const checkpoint::SafetensorsFile& answer,
                      const std::string& name) {
    const at::Tensor& images = *answer.find(name + ".images");
    QVERIFY(batch.images.sizes() == images.sizes());
    const double difference = (batch.images - images).abs().max().item<double>();
    QVERIFY2(difference <= 1e-6, qPrintable(QString::number(difference)));
    for (std::size_t i = 0; i < batch.gts.size(); ++i) {
      const std::string start = name + "." + std::to_string(i);
      QVERIFY(torch::equal(batch.gts[i].boxesXyxy, *answer.find(start + ".boxes")));
      QVERIFY(torch::equal(batch.gts[i].masks, *answer.find(start + ".masks")));
    }
  }

 private Q_SLOTS:
  void initTestCase() { tests::writePictures(dataset_, folder_.path().toStdString()); }

  void trainingBatchesAreTorchvisions() {
    if (tests::python().isEmpty()) QSKIP("needs Python with torchvision");
    config::AugmentConfig augment;
    augment.minSize = {40, 64, 75, 130};
    augment.maxSize = 150;
    augment.verticalFlip = 0.5;
    const data::SampleLoader loader(dataset_, folder_.path().toStdString(), augment, kSeed);
    std::vector<Batch> batches;
    QJsonArray cases;
    for (std::int64_t epoch = 0; epoch < 8; ++epoch) {
      const auto draws = drawsOfEpoch({static_cast<std::size_t>(epoch % 6), 1, 4}, epoch);
      QJsonArray images;
      for (const Sampler::Draw& draw : draws) {
        const coco::Image& image = dataset_.images()[draw.imageIndex];
        const auto plan =
            data::planTraining(augment, {image.height, image.width}, image.id, epoch, kSeed);
        images.append(imageToJson(dataset_, draw.imageIndex, plan, minSizeOf(augment, plan)));
      }
      cases.append(QJsonObject{{QStringLiteral("name"), QString::number(epoch)},
                               {QStringLiteral("max_size"), augment.maxSize},
                               {QStringLiteral("images"), images}});
      batches.push_back(loader.loadTraining(draws));
    }
    const auto answer =
        askTorchvision({{QStringLiteral("batches"), cases}}, folder_.path().toStdString());
    for (std::size_t i = 0; i < batches.size(); ++i) compare(batches[i], answer, std::to_string(i));
  }

  void realPhotographsAreTorchvisions() {
    if (tests::python().isEmpty()) QSKIP("needs Python with torchvision");
    const auto root = tests::realData("coco-tiny");
    if (root.empty()) QSKIP("LOCKSTEP_TEST_DATA has no coco-tiny");
    const coco::Dataset dataset = coco::Dataset::load(root / "annotations/instances_val2017.json");
    const std::filesystem::path images = root / "val2017";
    config::AugmentConfig augment;
    augment.minSize = {256};
    augment.maxSize = 512;
    const data::SampleLoader loader(dataset, images, augment, kSeed);
    QJsonArray cases;
    for (std::size_t i = 0; i < 12; ++i) {
      cases.append(QJsonObject{
          {QStringLiteral("name"), QString::number(i)},
          {QStringLiteral("max_size"), augment.maxSize},
          {QStringLiteral("images"),
           QJsonArray{imageToJson(dataset, i, data::TransformPlan(), augment.minSize[0])}}});
    }
    const auto answer = askTorchvision({{QStringLiteral("batches"), cases}}, images);
    for (std::size_t i = 0; i < 12; ++i)
      compare(loader.loadEvaluation(i), answer, std::to_string(i));
  }

  void colourJitterIsTorchvisions() {
    if (tests::python().isEmpty()) QSKIP("needs Python with torchvision");
    const std::array<std::array<double, 3>, 4> factors{
        {{1.4, 1, 1}, {1, 0.6, 1}, {1, 1, 1.7}, {0.8, 1.3, 0.4}}};
    QJsonArray jitters;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      jitters.append(QJsonObject{{QStringLiteral("name"), QString::number(i)},
                                 {QStringLiteral("file"), QStringLiteral("c.png")},
                                 {QStringLiteral("brightness"), factors[i][0]},
                                 {QStringLiteral("contrast"), factors[i][1]},
                                 {QStringLiteral("saturation"), factors[i][2]}});
    }
    const auto answer =
        askTorchvision({{QStringLiteral("jitters"), jitters}}, folder_.path().toStdString());
    for (std::size_t i = 0; i < factors.size(); ++i) {
      data::RgbImage image = data::readImage(path("c.png"));
      data::jitterColour(image, factors[i][0], factors[i][1], factors[i][2]);
      const at::Tensor ours =
          torch::from_blob(image.pixels.get(), {image.height, image.width, 3}, torch::kByte);
      const at::Tensor difference =
          (ours.to(torch::kInt) - answer.find(std::to_string(i))->to(torch::kInt)).abs();
      // A sum in float32 may fall on the other side of a whole number.
      QVERIFY(difference.max().item<int>() <= 1);
      QVERIFY((difference == 0).to(torch::kFloat).mean().item<double>() > 0.999);
    }
  }

  void evaluationSeesOneImageAloneAndUnchanged() {
    config::AugmentConfig augment;
    augment.minSize = {40, 50};
    augment.maxSize = 90;
    augment.horizontalFlip = 1;
    const data::SampleLoader loader(dataset_, folder_.path().toStdString(), augment, kSeed);
    const std::size_t index = dataset_.imageIndex({7});  // 97 x 61
    const Batch batch = loader.loadEvaluation(index);
    QVERIFY((batch.sizes == std::vector<data::ImageSize>{{50, 79}}));
    QVERIFY((batch.originalSizes == std::vector<data::ImageSize>{{61, 97}}));
    QVERIFY((batch.images.sizes() == at::IntArrayRef{1, 3, 64, 96}));
    QVERIFY(batch.ids == std::vector<ImageId>{{7}});
    QCOMPARE(batch.samplingKeys[0], data::evaluationSamplingKey(kSeed, {7}));
    QCOMPARE(batch.images.slice(2, 50).abs().max().item<float>(), 0.0f);
    QCOMPARE(batch.images.slice(3, 79).abs().max().item<float>(), 0.0f);
    const Batch single = data::loadForPrediction(path("a.png"), {99}, augment);
    QVERIFY(torch::equal(single.images, batch.images));
    QVERIFY(single.ids == std::vector<ImageId>{{99}});
    QCOMPARE(single.gts[0].count(), std::int64_t{0});
  }

  void samplingKeysDifferByImageEpochAndSeed() {
    const std::set<std::uint64_t> keys{
        data::trainingSamplingKey(1, {1}, 0), data::trainingSamplingKey(1, {1}, 1),
        data::trainingSamplingKey(1, {2}, 0), data::trainingSamplingKey(2, {1}, 0),
        data::evaluationSamplingKey(1, {1}),  data::evaluationSamplingKey(1, {2}),
        data::evaluationSamplingKey(2, {1})};
    QCOMPARE(keys.size(), std::size_t{7});
  }

  void batchesAreCopiedToADeviceWhole() {
    const data::SampleLoader loader(dataset_, folder_.path().toStdString(), {}, kSeed);
    const Batch batch = loader.loadEvaluation(0), moved = batch.to(at::kCPU);
    QVERIFY(torch::equal(moved.images, batch.images));
    QCOMPARE(moved.ids.size(), std::size_t{1});
  }

  void faultyImagesAreNamed() {
    coco::Image missing{{1}, "not_there.png", 10, 10};
    const coco::Dataset dataset =
        coco::Dataset::fromParts({missing}, {{{1}, "thing"}}, {}, "made.json");
    const data::SampleLoader loader(dataset, folder_.path().toStdString(), {}, kSeed);
    try {
      loader.loadEvaluation(0);
      QFAIL("was accepted");
    } catch (const Error& error) {
      QVERIFY2(QByteArray(error.what()).contains("not_there.png"), error.what());
    }
  }
};

LOCKSTEP_TEST(TstSampleLoader)
#include "tst_sample_loader.moc"
