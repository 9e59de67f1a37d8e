#include <QCryptographicHash>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <cstring>

#include "engine/coco/evaluation/average_precision.h"
#include "engine/coco/evaluation/pairwise_mean.h"
#include "engine/coco/evaluation/params.h"
#include "engine/coco/evaluation/precision_arrays.h"
#include "tests/coco/made_set.h"
#include "tests/coco/reference.h"
#include "tests/support/box_annotation.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using namespace lockstep::tests;

namespace {

Detection boxDetection(std::int64_t image, std::int64_t category, double score,
                       std::array<double, 4> xywh) {
  return {{image}, {category}, score, xywh, {}};
}

/// Box `index` of rows of twenty, none of which touch.
std::array<double, 4> boxInRows(int index) {
  return {1 + 5.0 * (index % 20), 1 + 5.0 * (index / 20), 4, 4};
}

Dataset twoImages() {
  return Dataset::fromParts(
      {kMadeImage, {{2}, "b.png", 100, 100}}, {{{1}, "cell"}, {{2}, "empty"}},
      {boxAnnotation(1, 1, 1, {10, 10, 20, 20}), boxAnnotation(2, 2, 1, {40, 40, 50, 50})}, "made");
}

bool sameBits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

QString apDifferences(const AveragePrecision& ours, const nlohmann::json& theirs) {
  QString text;
  const auto check = [&](const std::string& name, double our, double their) {
    if (sameBits(our, their)) return;
    text += QStringLiteral(" %1: %2, pycocotools %3;")
                .arg(QString::fromStdString(name), QString::number(our, 'g', 17),
                     QString::number(their, 'g', 17));
  };
  for (std::size_t i = 0; i < ours.names.size(); ++i) {
    check(ours.names[i], ours.stats[i], theirs["stats"][i]);
  }
  if (ours.classes.size() != theirs["classes"].size()) return QStringLiteral("number of classes");
  for (std::size_t k = 0; k < ours.classes.size(); ++k) {
    check("id", double(ours.classes[k].category.value), theirs["classes"][k]["id"]);
    check("class AP", ours.classes[k].ap, theirs["classes"][k]["ap"]);
    check("class AP50", ours.classes[k].ap50, theirs["classes"][k]["ap50"]);
  }
  return text;
}

IouType typeOf(const nlohmann::json& one) {
  return one["type"] == "bbox" ? IouType::Box : IouType::Mask;
}

/// pycocotools', with its fault of annotation id 0.
Params exactParams() {
  Params params;
  params.pycocotoolsExact = true;
  return params;
}

Params paramsOf(const nlohmann::json& settings) {
  Params params = exactParams();
  if (settings.contains("max_dets")) params.maxDetections = settings["max_dets"];
  if (settings.contains("iou_thresholds"))
    params.iouThresholds = settings["iou_thresholds"].get<std::vector<double>>();
  if (!settings.contains("areas")) return params;
  params.areas.resize(1);
  for (const nlohmann::json& area : settings["areas"])
    params.areas.push_back({{area[1], area[2]}, area[0]});
  return params;
}

CategorySelection selectionOf(const nlohmann::json& settings) {
  CategorySelection selection{{}, settings.value("class_agnostic", false)};
  if (!settings.contains("categories")) return selection;
  for (const std::int64_t id : settings["categories"]) selection.categories.push_back({id});
  return selection;
}

/// Of all bits, as coco_reference.py.
std::string digest(const std::vector<double>& values) {
  const QByteArrayView bytes(reinterpret_cast<const char*>(values.data()),
                             qsizetype(values.size() * sizeof(double)));
  return QCryptographicHash::hash(bytes, QCryptographicHash::Md5).toHex().toStdString();
}

}  // namespace

class TstAveragePrecision : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (python().isEmpty()) return;
    QStringList arguments{QStringLiteral("ap"), folder_.path()};
    const std::filesystem::path data = realData("coco-eval").parent_path();
    if (!data.empty()) arguments << QString::fromStdString(data.string());
    const QString failure = runCocoReference(arguments);
    QVERIFY2(failure.isEmpty(), qPrintable(failure));
    expected_ = readJson(folder_.filePath(QStringLiteral("expected.json")).toStdString());
  }

  void objectsAndDetectionsOverMaxDetsAreCounted() {
    std::vector<Annotation> annotations;
    std::vector<Detection> detections;
    for (int i = 0; i < 150; ++i) {  // 150 of class 1 and a hundred of class 2
      annotations.push_back(boxAnnotation(i + 1, 1, 1, boxInRows(i)));
      detections.push_back(boxDetection(1, 1, .9 - .001 * i, boxInRows(i)));
      if (i < 100) annotations.push_back(boxAnnotation(i + 1001, 1, 2, boxInRows(i)));
      if (i < 103) detections.push_back(boxDetection(2, 1, .5, boxInRows(i)));
    }
    annotations.push_back(boxAnnotation(2001, 2, 1, boxInRows(0)));
    annotations.push_back(boxAnnotation(2002, 1, 2, {1, 1, 80, 80}));
    annotations.back().isCrowd = true;
    const Dataset dataset = Dataset::fromParts({{{1}, "a.png", 101, 101}, {{2}, "b.png", 101, 101}},
                                               {{{1}, "cell"}, {{2}, "drop"}}, annotations, "made");
    for (const IouType type : {IouType::Box, IouType::Mask}) {
      const AveragePrecision found = coco::evaluate(dataset, detections, type);
      QCOMPARE(found.pastLimit, (PastLimit{1, 50, 2, 53}));
      // 100 of 150 are matched and all others are true positives: recall 101 of 151 objects.
      QCOMPARE(found.stats[8], (101. / 151 + 0) / 2);
    }
    QCOMPARE(coco::evaluate(dataset, detections, IouType::Box, {{2}}).pastLimit,
             (PastLimit{0, 0, 1, 3}));
    QCOMPARE(objectsPastLimit(dataset), (PastLimit{1, 50, 0, 0}));
    QCOMPARE(objectsPastLimit(twoImages()), PastLimit());
    QCOMPARE(objectsPastLimit(dataset, 140).objects, std::size_t{10});
    QCOMPARE(detectionLimitText(dataset, 200),
             std::string("200 is below the objects of 1 image, which are never all detected: a.png "
                         "has 250"));
    QCOMPARE(detectionLimitText(dataset, 250), std::string());
  }

  void limitTextIsOneSentence() {
    const QString start = QStringLiteral(
        "AP counts only the 100 highest-scoring detections per class and image "
        "(evaluation.max_dets), as COCO's does: ");
    const auto text = [](const PastLimit& past) { return QString::fromStdString(past.text()); };
    QCOMPARE(text({}), QString());
    QCOMPARE(text({1, 1, 0, 0}),
             start + QStringLiteral("1 image has more objects of a class, 1 of which cannot be "
                                    "matched"));
    QCOMPARE(
        text({2, 2800, 3, 7}),
        start + QStringLiteral("2 images have more objects of a class, 2800 of which cannot be "
                               "matched; 7 detections of 3 images are ignored"));
    QCOMPARE(text({0, 0, 1, 1}), start + QStringLiteral("1 detection of 1 image is ignored"));
  }

  void perfectResultsGiveOne() {
    const std::vector<Detection> detections{boxDetection(1, 1, .9, {10, 10, 20, 20}),
                                            boxDetection(2, 1, .8, {40, 40, 50, 50})};
    const AveragePrecision ap = evaluate(twoImages(), detections, IouType::Box);
    const std::array<double, 12> wanted{1, 1, 1, 1, 1, -1, 1, 1, 1, 1, 1, -1};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      QVERIFY2(std::abs(ap.stats[i] - wanted[i]) < 1e-15, ap.names[i].c_str());
    }
    QCOMPARE(ap.classes.size(), 2U);
    QCOMPARE(ap.classes[0].ap, 1.0);
    QCOMPARE(ap.classes[1].ap, -1.0);
  }

  void oneOfTwoMatchedGivesHalfTheRecall() {
    const AveragePrecision ap =
        evaluate(twoImages(), {boxDetection(1, 1, .9, {10, 10, 20, 20})}, IouType::Box);
    QCOMPARE(ap.stats[8], 0.5);           // AR100
    QCOMPARE(ap.stats[0], 51.0 / 101.0);  // precision 1 at the recalls 0 … 0.5
  }

  /// pycocotools: a false positive and a true positive of two objects, so that precision is 0.5 at
  /// the recalls 0 … 0.5.
  void annotationWithIdZeroIsFoundUnlessPycocotoolsIsRepeated() {
    const Dataset dataset = Dataset::fromParts(
        {kMadeImage, {{2}, "b.png", 100, 100}}, {{{1}, "cell"}},
        {boxAnnotation(0, 1, 1, {10, 10, 20, 20}), boxAnnotation(1, 2, 1, {40, 40, 50, 50})},
        "made");
    const std::vector<Detection> detections{boxDetection(1, 1, .9, {10, 10, 20, 20}),
                                            boxDetection(2, 1, .8, {40, 40, 50, 50})};
    for (const IouType type : {IouType::Box, IouType::Mask, IouType::Boundary}) {
      QCOMPARE(evaluate(dataset, detections, type).stats[0], 1.0);
      const AveragePrecision exact = evaluate(dataset, detections, type, {}, exactParams());
      QCOMPARE(exact.stats[0], 51 * .5 / 101);
      QCOMPARE(exact.stats[8], .5);
    }
    QVERIFY(idZeroText(dataset).find("--pycocotools-exact") != std::string::npos);
    QCOMPARE(idZeroText(twoImages()), std::string());
  }

  /// For masks it is a region in which detections are ignored, for boxes an object like others.
  void anObjectWithoutAMaskIsIgnoredForMasks() {
    Annotation whole{1, {1}, {1}, {0, 0, 10, 10}, 100, false, {}};
    whole.segmentation = std::vector<std::vector<double>>{{0, 0, 10, 0, 10, 10, 0, 10}};
    const Annotation boxOnly{2, {1}, {1}, {40, 40, 20, 20}, 400, false, {}};
    const Dataset dataset =
        Dataset::fromParts({{{1}, "a.png", 100, 100}}, {{{1}, "x"}}, {whole, boxOnly}, "made");
    Detection found = boxDetection(1, 1, .5, {0, 0, 10, 10});
    Detection onBox = boxDetection(1, 1, .9, {41, 41, 10, 10});
    QCOMPARE(evaluate(dataset, {found, onBox}, IouType::Mask).stats[0], 1.0);
    QVERIFY(evaluate(dataset, {found, onBox}, IouType::Box).stats[0] < .5);
  }

  void noResultsGiveZero() {
    const AveragePrecision ap = evaluate(twoImages(), {}, IouType::Mask);
    QCOMPARE(ap.stats, (std::vector<double>{0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, -1}));
  }

  void noGroundTruthGivesMinusOne() {
    const Dataset empty = Dataset::fromParts({{{1}, "a.png", 9, 9}}, {{{1}, "cell"}}, {}, "made");
    const AveragePrecision ap =
        evaluate(empty, {boxDetection(1, 1, .9, {1, 1, 2, 2})}, IouType::Box);
    for (double stat : ap.stats) QCOMPARE(stat, -1.0);
  }

  void resultsOfOtherImagesAreLeftOutOfASubset() {
    const std::vector<Detection> detections{boxDetection(1, 1, .9, {10, 10, 20, 20}),
                                            boxDetection(2, 1, .95, {0, 0, 5, 5})};
    QCOMPARE(evaluate(twoImages(), detections, IouType::Box, {{1}, {1}}).stats[0], 1.0);
  }

  void unknownIdsAndScoresAreRefused_data() {
    QTest::addColumn<int>("image");
    QTest::addColumn<int>("category");
    QTest::addColumn<double>("score");
    QTest::addColumn<QString>("message");
    QTest::newRow("image") << 7 << 1 << .5 << QStringLiteral("the dataset has no image 7");
    QTest::newRow("category") << 1 << 8 << .5 << QStringLiteral("the dataset has no category 8");
    QTest::newRow("score") << 1 << 1 << std::nan("")
                           << QStringLiteral("result 1 (image 1): score is not finite");
  }
  void unknownIdsAndScoresAreRefused() {
    QFETCH(int, image);
    QFETCH(int, category);
    QFETCH(double, score);
    QFETCH(QString, message);
    const Detection detection = boxDetection(image, category, score, {1, 1, 5, 5});
    const QString error = errorOf([&] { evaluate(twoImages(), {detection}, IouType::Box); });
    QVERIFY2(error.contains(message), qPrintable(error));
  }

  void maskOfAnotherSizeIsRefused() {
    Detection detection = boxDetection(2, 1, .5, {1, 1, 5, 5});
    detection.mask = Rle{10, 10, {50, 50}};
    const QString error = errorOf([&] { evaluate(twoImages(), {detection}, IouType::Mask); });
    QCOMPARE(error,
             QStringLiteral("a result's mask for image 2 is 10 x 10 px (height x width) but the "
                            "image is 100 x 100"));
  }

  void thresholdsEqualNumpyBitForBit() {
    if (expected_.is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    for (std::size_t i = 0; i < kIouThresholds.size(); ++i) {
      QVERIFY(sameBits(kIouThresholds[i], expected_["iou"][i]));
    }
    for (std::size_t i = 0; i < kRecallThresholds.size(); ++i) {
      QVERIFY(sameBits(kRecallThresholds[i], expected_["recall"][i]));
    }
    QCOMPARE(kIouThresholds[5], .75);
  }

  void meansEqualNumpyBitForBit() {
    if (expected_.is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    for (const auto& one : expected_["means"]) {
      const std::vector<double> values = one["values"];
      QVERIFY2(sameBits(pairwiseMean(values), one["mean"]),
               qPrintable(QString::number(values.size())));
    }
  }

  void metricsEqualPycocotoolsBitForBit_data() {
    QTest::addColumn<int>("index");
    if (expected_.is_null()) QTest::newRow("no pycocotools") << -1;
    for (std::size_t i = 0; !expected_.is_null() && i < expected_["cases"].size(); ++i) {
      const nlohmann::json& one = expected_["cases"][i];
      if (!one.contains("refused")) QTest::newRow(one["name"].get<std::string>().c_str()) << int(i);
    }
  }
  void metricsEqualPycocotoolsBitForBit() {
    if (expected_.is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    QFETCH(int, index);
    const nlohmann::json& one = expected_["cases"][std::size_t(index)];
    const Dataset groundTruth = Dataset::load(one["gt"].get<std::string>());
    const std::string file = one["dt"];
    const std::vector<Detection> detections = loadDetections(file);
    std::vector<ImageId> ids;
    for (std::int64_t id : one["image_ids"]) ids.push_back({id});
    for (const int threads : {1, 5}) {
      const auto found =
          evaluate(groundTruth, detections, typeOf(one), ids, exactParams(), threads);
      const QString different = apDifferences(found, one);
      QVERIFY2(different.isEmpty(), qPrintable(different));
    }
    if (!ids.empty()) return;
    const ResultsFile results = ResultsFile::load(file, groundTruth);
    const QString ofFile =
        apDifferences(accumulate(matchResults(groundTruth, results, typeOf(one), exactParams()),
                                 groundTruth.categories()),
                      one);
    QVERIFY2(ofFile.isEmpty(), qPrintable(ofFile));
  }

  void arraysEqualPycocotoolsBitForBit() {
    if (expected_.is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    int compared = 0;
    for (const auto& one : expected_["cases"]) {
      if (one.contains("refused")) continue;
      const Dataset groundTruth = Dataset::load(one["gt"].get<std::string>());
      const auto detections = loadDetections(one["dt"].get<std::string>());
      std::vector<ImageId> ids;
      for (std::int64_t id : one["image_ids"]) ids.push_back({id});
      const auto matches = matchDataset(groundTruth, detections, typeOf(one), ids, exactParams());
      const auto arrays = accumulateArrays(matches, groundTruth.categories());
      const std::string name = one["name"];
      QVERIFY2(digest(arrays.precision) == one["precision"], name.c_str());
      QVERIFY2(digest(arrays.recall) == one["recall"], name.c_str());
      QVERIFY2(digest(arrays.scores) == one["scores"], name.c_str());
      ++compared;
    }
    QVERIFY2(compared > 450, qPrintable(QString::number(compared)));
  }

  void otherParametersEqualPycocotoolsBitForBit_data() {
    QTest::addColumn<int>("index");
    if (expected_.is_null()) QTest::newRow("no pycocotools") << -1;
    for (std::size_t i = 0; !expected_.is_null() && i < expected_["settings"].size(); ++i)
      QTest::newRow(expected_["settings"][i]["name"].get<std::string>().c_str()) << int(i);
  }
  /// Of dense images, of other sizes, thresholds and categories; a results file and detections.
  void otherParametersEqualPycocotoolsBitForBit() {
    if (expected_.is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    QFETCH(int, index);
    const nlohmann::json& one = expected_["settings"][std::size_t(index)];
    const Params params = paramsOf(one["settings"]);
    const CategorySelection selection = selectionOf(one["settings"]);
    const Dataset whole = Dataset::load(one["gt"].get<std::string>());
    const Dataset dataset = selectCategories(whole, selection);
    const std::string file = one["dt"];
    const ResultsFile results = ResultsFile::load(file, whole, selection);
    const auto matches = matchResults(dataset, results, typeOf(one), params);
    const AveragePrecision found = accumulate(matches, dataset.categories(), params);
    QCOMPARE(found.names.size(), one["stats"].size());
    for (std::size_t i = 0; i < found.names.size(); ++i) {
      QVERIFY2(sameBits(found.stats[i], one["stats"][i]),
               qPrintable(QStringLiteral("%1: %2").arg(QString::fromStdString(found.names[i]),
                                                       QString::number(found.stats[i], 'g', 17))));
    }
    const PrecisionArrays arrays = accumulateArrays(matches, dataset.categories(), params);
    QCOMPARE(digest(arrays.precision), one["precision"].get<std::string>());
    QCOMPARE(digest(arrays.recall), one["recall"].get<std::string>());
    QCOMPARE(digest(arrays.scores), one["scores"].get<std::string>());
    if (!selection.isAll()) return;
    QCOMPARE(evaluate(dataset, loadDetections(file), typeOf(one), {}, params).stats, found.stats);
  }

  void metricsAreNamedByTheirParameters() {
    QCOMPARE(metricNames(),
             (std::vector<std::string>{"AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10",
                                       "AR100", "ARs", "ARm", "ARl"}));
    Params params;
    params.maxDetections = {10, 100, 600};
    params.areas = {params.areas[0], {{0, 64}, "tiny"}, {{64, 1024}, "small"}};
    QCOMPARE(metricNames(params),
             (std::vector<std::string>{"AP", "AP50", "AP75", "AP_tiny", "APs", "AR10", "AR100",
                                       "AR600", "AR_tiny", "ARs"}));
  }

  void unknownCategoriesAreRefused() {
    QVERIFY(errorOf([] {
              selectCategories(twoImages(), {{{1}, {7}}, false});
            }).contains(QStringLiteral("no category 7")));
  }

  void resultsOfUnknownImagesAreRefusedAsByPycocotools() {
    if (expected_.is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    int compared = 0;
    for (const auto& one : expected_["cases"]) {
      if (!one.contains("refused")) continue;
      const Dataset groundTruth = Dataset::load(one["gt"].get<std::string>());
      const std::string file = one["dt"];
      for (const QString& error :
           {errorOf([&] { ResultsFile::load(file, groundTruth); }),
            errorOf([&] { evaluate(groundTruth, loadDetections(file), IouType::Box); })}) {
        QVERIFY2(error.contains(QStringLiteral("image 1000001")), qPrintable(error));
      }
      ++compared;
    }
    QCOMPARE(compared, 5);
  }

  void resultsThatWereWrittenGiveTheSameMetrics() {
    if (expected_.is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    for (const auto& one : expected_["cases"]) {
      if (one["name"] != "crowds_both segm" && one["name"] != "ties_both bbox") continue;
      const QString gtFile = folder_.filePath(QStringLiteral("again_gt.json"));
      saveDataset(Dataset::load(one["gt"].get<std::string>()), gtFile.toStdString());
      const std::string json = detectionsToJson(loadDetections(one["dt"].get<std::string>()));
      const QString different = apDifferences(evaluate(Dataset::load(gtFile.toStdString()),
                                                       parseDetections(json, "again"), typeOf(one)),
                                              one);
      QVERIFY2(different.isEmpty(), qPrintable(different));
    }
  }

 private:
  QTemporaryDir folder_;
  nlohmann::json expected_;
};

LOCKSTEP_TEST(TstAveragePrecision)
#include "tst_average_precision.moc"
