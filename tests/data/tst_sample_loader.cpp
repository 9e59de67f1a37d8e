#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/config/padded_sizes.h"
#include "engine/config/resized_size.h"
#include "engine/data/bad_image.h"
#include "engine/data/photometric.h"
#include "engine/data/sample_loader.h"
#include "engine/structures/instances.h"
#include "tests/data/small_data_set.h"
#include "tests/support/masks.h"
#include "tests/support/resource_limits.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using data::Batch;
using data::Sampler;

namespace {

constexpr std::uint64_t kSeed = 3;
constexpr std::array kBlurs{0.3, 1.0, 2.5};
/// Brightness, contrast and saturation of the jitter cases.
constexpr std::array<std::array<double, 3>, 4> kFactors{
    {{1.4, 1, 1}, {1, 0.6, 1}, {1, 1, 1.7}, {0.8, 1.3, 0.4}}};

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

/// An image in the format of tests/reference/torchvision_transform.py.
QJsonObject imageToJson(const coco::Dataset& dataset, std::size_t index,
                        const data::TransformPlan& plan, int minSize,
                        const std::filesystem::path& folder) {
  QJsonArray annotations;
  for (const coco::Annotation& annotation : dataset.annotationsOf(index)) {
    if (annotation.isUsable()) annotations.append(annotationToJson(annotation));
  }
  return {{QStringLiteral("file"), text((folder / dataset.images()[index].fileName).string())},
          {QStringLiteral("min_size"), minSize},
          {QStringLiteral("hflip"), plan.flipHorizontal},
          {QStringLiteral("vflip"), plan.flipVertical},
          {QStringLiteral("annotations"), annotations}};
}

/// min_size is taken from the plan: with a different size for every image the test would be too
/// weak.
int minSizeOf(const config::AugmentConfig& augment, const data::TransformPlan& plan) {
  for (int size : augment.minSize) {
    if (config::resizedSize(plan.original, size, augment.maxSize) == plan.resized) return size;
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
  QJsonArray batchCases_;
  std::map<std::string, Batch> batches_;  ///< by the name of their case
  checkpoint::SafetensorsFile
      fromTorchvision_;  ///< one run for all cases, because Python is slow to start

  std::filesystem::path path(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }
  void addCase(const std::string& name, int maxSize, const QJsonArray& images, Batch batch) {
    batchCases_.append(QJsonObject{{QStringLiteral("name"), text(name)},
                                   {QStringLiteral("max_size"), maxSize},
                                   {QStringLiteral("images"), images}});
    batches_[name] = std::move(batch);
  }
  void addTrainingCases() {
    config::AugmentConfig augment;
    augment.minSize = {40, 64, 75, 130};
    augment.maxSize = 150;
    augment.verticalFlip = 0.5;
    const data::SampleLoader loader(dataset_, path(""), augment, data::ClassTable(dataset_),
                                    {.seed = kSeed});
    for (std::int64_t epoch = 0; epoch < 8; ++epoch) {
      const auto draws = drawsOfEpoch({static_cast<std::size_t>(epoch % 6), 1, 4}, epoch);
      QJsonArray images;
      for (const Sampler::Draw& draw : draws) {
        const coco::Image& image = dataset_.images()[draw.imageIndex];
        const auto plan =
            data::planTraining(augment, {image.height, image.width}, image.id, epoch, kSeed);
        images.append(
            imageToJson(dataset_, draw.imageIndex, plan, minSizeOf(augment, plan), path("")));
      }
      addCase("made." + std::to_string(epoch), augment.maxSize, images, loader.loadTraining(draws));
    }
  }
  void addPhotographs() {
    const auto root = tests::realData("coco-tiny");
    if (root.empty()) return;
    const coco::Dataset dataset = coco::Dataset::load(root / "annotations/instances_val2017.json");
    config::AugmentConfig augment;
    augment.minSize = {256};
    augment.maxSize = 512;
    const data::SampleLoader loader(dataset, root / "val2017", augment, data::ClassTable(dataset),
                                    {.seed = kSeed});
    for (std::size_t i = 0; i < 12; ++i) {
      const QJsonObject image =
          imageToJson(dataset, i, data::TransformPlan(), augment.minSize[0], root / "val2017");
      addCase("real." + std::to_string(i), augment.maxSize, {image}, loader.loadEvaluation(i));
    }
  }
  QJsonArray jitterCases() const {
    QJsonArray cases;
    for (std::size_t i = 0; i < kFactors.size(); ++i) {
      cases.append(QJsonObject{{QStringLiteral("name"), QStringLiteral("jitter.%1").arg(i)},
                               {QStringLiteral("file"), text(path("c.png").string())},
                               {QStringLiteral("brightness"), kFactors[i][0]},
                               {QStringLiteral("contrast"), kFactors[i][1]},
                               {QStringLiteral("saturation"), kFactors[i][2]}});
    }
    return cases;
  }
  QJsonArray blurCases() const {
    QJsonArray cases;
    for (std::size_t i = 0; i < kBlurs.size(); ++i) {
      cases.append(QJsonObject{{QStringLiteral("name"), text("blur." + std::to_string(i))},
                               {QStringLiteral("file"), text(path("c.png").string())},
                               {QStringLiteral("sigma"), kBlurs[i]}});
    }
    return cases;
  }
  void askTorchvision() {
    const QJsonObject cases{{QStringLiteral("batches"), batchCases_},
                            {QStringLiteral("jitters"), jitterCases()},
                            {QStringLiteral("blurs"), blurCases()}};
    base::writeFileAtomically(path("cases.json"), QJsonDocument(cases).toJson().toStdString());
    QProcess process;
    const auto script = tests::sourceFolder() / "tests/reference/torchvision_transform.py";
    process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    process.start(tests::python(), {text(script.string()), text(path("cases.json").string()),
                                    text(path("answer.safetensors").string())});
    if (!process.waitForFinished(300000) || process.exitCode() != 0)
      throw Error("torchvision_transform.py failed");
    fromTorchvision_ = checkpoint::readSafetensors(path("answer.safetensors"));
  }
  void compare(const std::string& name) {
    const Batch& batch = batches_.at(name);
    const at::Tensor& images = *fromTorchvision_.find(name + ".images");
    QVERIFY(batch.images.sizes() == images.sizes());
    const double difference = (batch.images - images).abs().max().item<double>();
    QVERIFY2(difference <= 1e-6, qPrintable(QString::number(difference)));
    for (std::int64_t i = 0; i < batch.count(); ++i) {
      const std::string start = name + "." + std::to_string(i);
      const structures::GtInstances gt = tests::instancesOf(batch.gts, i);
      QVERIFY(torch::equal(gt.boxesXyxy, *fromTorchvision_.find(start + ".boxes")));
      QVERIFY(torch::equal(tests::wholeMasks(gt.masks), *fromTorchvision_.find(start + ".masks")));
    }
  }

 private Q_SLOTS:
  void initTestCase() {
    tests::writePictures(dataset_, path(""));
    addTrainingCases();
    addPhotographs();
    if (!tests::python().isEmpty()) askTorchvision();
  }

  void trainingBatchesEqualTorchvision() {
    if (tests::python().isEmpty()) QSKIP("needs Python with torchvision");
    for (int i = 0; i < 8; ++i) compare("made." + std::to_string(i));
  }

  void photographsEqualTorchvision() {
    if (tests::python().isEmpty()) QSKIP("needs Python with torchvision");
    if (tests::realData("coco-tiny").empty()) QSKIP("LOCKSTEP_TEST_DATA has no coco-tiny");
    for (int i = 0; i < 12; ++i) compare("real." + std::to_string(i));
  }

  void colourJitterEqualsTorchvision() {
    if (tests::python().isEmpty()) QSKIP("needs Python with torchvision");
    for (std::size_t i = 0; i < kFactors.size(); ++i) {
      data::RgbImage image = data::readImage(path("c.png"));
      data::jitterColour(image, kFactors[i][0], kFactors[i][1], kFactors[i][2]);
      const at::Tensor ours =
          torch::from_blob(image.pixels.get(), {image.height, image.width, 3}, torch::kByte);
      const at::Tensor& theirs = *fromTorchvision_.find("jitter." + std::to_string(i));
      const at::Tensor difference = (ours.to(torch::kInt) - theirs.to(torch::kInt)).abs();
      // A float32 sum may round to the other side of an integer.
      QVERIFY(difference.max().item<int>() <= 1);
      QVERIFY((difference == 0).to(torch::kFloat).mean().item<double>() > 0.999);
    }
  }

  void blurEqualsTorchvision() {
    if (tests::python().isEmpty()) QSKIP("needs Python with torchvision");
    for (std::size_t i = 0; i < kBlurs.size(); ++i) {
      data::RgbImage image = data::readImage(path("c.png"));
      data::blur(image, kBlurs[i]);
      const at::Tensor ours =
          torch::from_blob(image.pixels.get(), {image.height, image.width, 3}, torch::kByte);
      const at::Tensor& theirs = *fromTorchvision_.find("blur." + std::to_string(i));
      const at::Tensor difference = (ours.to(torch::kInt) - theirs.to(torch::kInt)).abs();
      QVERIFY(difference.max().item<int>() <= 1);  // float32 sums in another order
      QVERIFY((difference == 0).to(torch::kFloat).mean().item<double>() > 0.99);
    }
  }

  void evaluationSeesOneImageAloneAndUnchanged() {
    config::AugmentConfig augment;
    augment.minSize = {40, 50};
    augment.maxSize = 90;
    augment.horizontalFlip = 1;
    const data::SampleLoader loader(dataset_, folder_.path().toStdString(), augment,
                                    data::ClassTable(dataset_), {.seed = kSeed});
    const std::size_t index = dataset_.imageIndex({7});  // 97 x 61
    const Batch batch = loader.loadEvaluation(index);
    QVERIFY((batch.sizes == std::vector<base::ImageSize>{{50, 79}}));
    QVERIFY((batch.originalSizes == std::vector<base::ImageSize>{{61, 97}}));
    QVERIFY((batch.images.sizes() == at::IntArrayRef{1, 3, 64, 96}));
    QVERIFY(batch.ids == std::vector<ImageId>{{7}});
    QCOMPARE(batch.samplingKeys[0], data::evaluationSamplingKey(kSeed, {7}));
    QCOMPARE(batch.images.slice(2, 50).abs().max().item<float>(), 0.0f);
    QCOMPARE(batch.images.slice(3, 79).abs().max().item<float>(), 0.0f);
    const Batch single = data::loadForPrediction(path("a.png"), {99}, augment);
    QVERIFY(torch::equal(single.images, batch.images));
    QVERIFY(single.ids == std::vector<ImageId>{{99}});
    QCOMPARE(single.gts.counts.item<std::int64_t>(), std::int64_t{0});
  }

  void canonicalPaddingOnlyAddsPadding() {
    config::AugmentConfig augment;
    augment.minSize = {40, 64, 75, 130};
    augment.maxSize = 150;
    config::AugmentConfig canonical = augment;
    canonical.padTo = config::PadTo::Canonical;
    const auto loaderOf = [&](const config::AugmentConfig& config, data::LoaderOutput output) {
      return std::make_unique<data::SampleLoader>(dataset_, path(""), config,
                                                  data::ClassTable(dataset_),
                                                  data::LoaderOptions{kSeed, output});
    };
    const auto plain = loaderOf(augment, data::LoaderOutput::Transformed),
               padded = loaderOf(canonical, data::LoaderOutput::Transformed),
               pictures = loaderOf(canonical, data::LoaderOutput::Decoded);
    const auto allowed = config::canonicalSizes(canonical);
    bool isLarger = false;
    for (std::int64_t epoch = 0; epoch < 6; ++epoch) {
      const auto draws = drawsOfEpoch({static_cast<std::size_t>(epoch % 6), 1, 4}, epoch);
      const Batch expected = plain->loadTraining(draws), got = padded->loadTraining(draws);
      const std::int64_t height = expected.images.size(2), width = expected.images.size(3);
      QVERIFY((got.padded == base::ImageSize{got.images.size(2), got.images.size(3)}));
      QVERIFY(std::ranges::count(allowed, got.padded) == 1);
      isLarger |= got.images.numel() > expected.images.numel();
      QVERIFY(torch::equal(got.images.slice(2, 0, height).slice(3, 0, width), expected.images));
      QCOMPARE(got.images.slice(2, height).count_nonzero().item<std::int64_t>(), std::int64_t{0});
      QCOMPARE(got.images.slice(3, width).count_nonzero().item<std::int64_t>(), std::int64_t{0});
      QVERIFY(torch::equal(got.gts.boxesXyxy, expected.gts.boxesXyxy));
      QVERIFY(torch::equal(pictures->loadTraining(draws).to(at::kCPU).images, got.images));
    }
    QVERIFY(isLarger);
    for (std::size_t i = 0; i < dataset_.images().size(); ++i)
      QVERIFY(torch::equal(padded->loadEvaluation(i).images, plain->loadEvaluation(i).images));
    QVERIFY(torch::equal(data::loadForPrediction(path("a.png"), {99}, canonical).images,
                         data::loadForPrediction(path("a.png"), {99}, augment).images));
  }

  void samplingKeysDifferByImageEpochAndSeed() {
    const std::set<std::uint64_t> keys{
        data::trainingSamplingKey(1, {1}, 0), data::trainingSamplingKey(1, {1}, 1),
        data::trainingSamplingKey(1, {2}, 0), data::trainingSamplingKey(2, {1}, 0),
        data::evaluationSamplingKey(1, {1}),  data::evaluationSamplingKey(1, {2}),
        data::evaluationSamplingKey(2, {1})};
    QCOMPARE(keys.size(), std::size_t{7});
  }

  void batchesAreCopiedToADevice() {
    const data::SampleLoader loader(dataset_, folder_.path().toStdString(), {},
                                    data::ClassTable(dataset_), {.seed = kSeed});
    const Batch batch = loader.loadEvaluation(0), moved = batch.to(at::kCPU);
    QVERIFY(torch::equal(moved.images, batch.images));
    QCOMPARE(moved.ids.size(), std::size_t{1});
  }

  void badImagesAreReported() {
    coco::Image missing{{1}, "not_there.png", 10, 10};
    const coco::Dataset dataset =
        coco::Dataset::fromParts({missing}, {{{1}, "thing"}}, {}, "made.json");
    const data::SampleLoader loader(dataset, folder_.path().toStdString(), {},
                                    data::ClassTable(dataset), {.seed = kSeed});
    try {
      loader.loadEvaluation(0);
      QFAIL("was accepted");
    } catch (const data::BadImage& error) {
      QVERIFY2(QByteArray(error.what()).contains("not_there.png"), error.what());
      QVERIFY(error.info().id == ImageId{1});
    }
  }

  /// Images are left out for good, so errors of the machine must not count as bad images.
  void machineErrorIsNotABadImage() {
    const data::SampleLoader loader(dataset_, folder_.path().toStdString(), {},
                                    data::ClassTable(dataset_), {.seed = kSeed});
    const tests::NoMoreFiles limit;
    try {
      loader.loadEvaluation(0);
      QFAIL("was read");
    } catch (const data::BadImage& error) {
      QFAIL(error.what());
    } catch (const Error& error) {
      QVERIFY2(QByteArray(error.what()).contains("Too many open files"), error.what());
    }
  }
};

LOCKSTEP_TEST(TstSampleLoader)
#include "tst_sample_loader.moc"
