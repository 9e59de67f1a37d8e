// Every figure of Compare and Predictions is that of `lockstep-engine coco-eval`, to the last bit:
// of the program itself, and of many made sets by what the program consists of.
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/cli/coco_evaluation.h"
#include "engine/coco/files/results_file.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/widgets_image_view/made_pairs.h"
#include "tests/widgets_image_view/perturbed_truth.h"
#include "widgets/instances/checkpoint_analysis.h"
#include "widgets/instances/class_figures.h"
#include "widgets/instances/filtered_ap.h"
#include "widgets/instances/matched_pair.h"
#include "widgets/instances/precision_recall.h"
#include "widgets/instances/results_pair.h"

using namespace lockstep;
using namespace lockstep::widgets;
using Json = nlohmann::json;

namespace {

constexpr double kIou = 0.5;

/// Two results of the same images.
struct Case {
  coco::Dataset dataset;
  PredictionStore::ByImage first, second;
  MatchRules rules;
  double score = 0;

  const PredictionStore::ByImage& side(std::size_t index) const {
    return index == 0 ? first : second;
  }
  std::string type() const { return rules.type == coco::IouType::Box ? "bbox" : "segm"; }
};

std::vector<coco::Detection> all(const PredictionStore::ByImage& of) {
  std::vector<coco::Detection> detections;
  for (const auto& [image, own] : of) {
    const auto read = own.read();
    detections.insert(detections.end(), read->begin(), read->end());
  }
  return detections;
}

/// A shape in a box, of another outline than the box.
std::vector<double> diamondIn(const std::array<double, 4>& xywh) {
  const double x = xywh[0], y = xywh[1], w = xywh[2], h = xywh[3];
  return {x + w / 2, y, x + w, y + h / 2, x + w / 2, y + h, x, y + h / 2};
}

/// Other detections of the images.
void change(PredictionStore::ByImage& of,
            const std::function<void(std::vector<coco::Detection>&)>& work) {
  for (auto& [image, own] : of) {
    auto detections = std::make_shared<std::vector<coco::Detection>>(*own.read());
    work(*detections);
    own = ImageDetections(std::move(detections));
  }
}

coco::Dataset withObjects(const coco::Dataset& dataset,
                          const std::function<void(std::vector<coco::Annotation>&)>& work) {
  std::vector<coco::Annotation> objects;
  for (std::size_t i = 0; i < dataset.images().size(); ++i) {
    std::vector<coco::Annotation> own = dataset.annotationsOf(i);
    if (dataset.images()[i].id.value % 9 != 0)
      work(own);
    else
      own.clear();  // an image without objects
    objects.insert(objects.end(), own.begin(), own.end());
  }
  return coco::Dataset::fromParts(dataset.images(), dataset.categories(), objects, "made");
}

/// Masks that are not their boxes, and some objects without one, which are ignored.
void giveMasks(Case& made) {
  made.rules.type = coco::IouType::Mask;
  made.dataset = withObjects(made.dataset, [](std::vector<coco::Annotation>& objects) {
    for (coco::Annotation& one : objects) {
      one.segmentation = std::vector<std::vector<double>>{diamondIn(one.boxXywh)};
      one.hasMask = one.id % 13 != 0;
      if (!one.hasMask) one.segmentation = std::vector<std::vector<double>>{};
    }
  });
  const auto withMasks = [&](std::vector<coco::Detection>& detections) {
    for (coco::Detection& one : detections) {
      const coco::Image& image = made.dataset.images()[made.dataset.imageIndex(one.imageId)];
      one.mask = coco::rasterisePolygon(diamondIn(one.boxXywh), image.height, image.width);
    }
  };
  change(made.first, withMasks);
  change(made.second, withMasks);
}

/// With crowds, ties, images without objects or detections, and by the seed: masks or boxes,
/// boxes alone where objects have masks, classes that the dataset does not have, other limits.
Case madeCase(int seed) {
  tests::MadePairs made(static_cast<std::uint64_t>(seed));
  made.dataset.keepImages([&](std::size_t, const coco::Image& image) {
    return made.first.contains(image.id) && made.second.contains(image.id);
  });
  const auto isOther = [&](const auto& one) { return !made.dataset.findImage(one.first); };
  std::erase_if(made.first, isOther);
  std::erase_if(made.second, isOther);
  constexpr std::array<std::array<std::size_t, 3>, 4> kLimits{
      {{1, 10, 100}, {1, 5, 7}, {1, 2, 3}, {2, 50, 600}}};
  Case result{made.dataset,
              made.first,
              made.second,
              {coco::IouType::Box, kLimits.at(static_cast<std::size_t>(seed) % 4)},
              (seed % 10) / 10.0};
  if (seed % 3 != 0) giveMasks(result);
  if (seed % 3 == 2)  // one of the results is of boxes alone, so that both are judged by boxes
    change(result.first, [](auto& detections) {
      for (coco::Detection& one : detections) one.mask = {};
    });
  if (seed % 5 < 2)
    change(result.second, [](auto& detections) {
      for (std::size_t d = 0; d < detections.size(); d += 4)
        detections[d].categoryId = CategoryId{17};
      if (!detections.empty() && detections[0].imageId.value % 11 == 0) detections.clear();
    });
  const auto haveMasks = [](const PredictionStore::ByImage& of) {
    return std::ranges::all_of(of, [](const auto& one) { return one.second.haveMasks(); });
  };
  result.rules = commonRules(result.rules.forResults(haveMasks(result.first)),
                             result.rules.forResults(haveMasks(result.second)));
  return result;
}

PredictionStore::ByImage byImage(const coco::Dataset& dataset, double quality) {
  std::map<ImageId, std::vector<coco::Detection>> found;
  for (const coco::Image& image : dataset.images()) found[image.id];
  for (coco::Detection& one : tests::perturbedTruth(dataset, quality))
    found[one.imageId].push_back(std::move(one));
  PredictionStore::ByImage result;
  for (auto& [image, own] : found)
    result[image] = std::make_shared<const std::vector<coco::Detection>>(std::move(own));
  return result;
}

/// Annotations and both results, as files.
struct Files {
  QTemporaryDir folder;
  std::string gt, first, second, out;

  explicit Files(const Case& of) {
    const auto path = [this](const char* name) {
      return folder.filePath(QLatin1String(name)).toStdString();
    };
    gt = path("gt.json");
    first = path("first.json");
    second = path("second.json");
    out = path("out.json");
    coco::saveDataset(of.dataset, gt);
    base::writeFileAtomically(first, coco::detectionsToJson(all(of.first)));
    base::writeFileAtomically(second, coco::detectionsToJson(all(of.second)));
  }
};

/// What `coco-eval --out` writes of A, compared with B; of B, compared with A.
Json byLibrary(const Case& of, const Files& files, std::size_t side) {
  const coco::Dataset truth = coco::Dataset::load(files.gt);
  const auto first = coco::ResultsFile::load(side == 0 ? files.first : files.second, truth);
  const auto second = coco::ResultsFile::load(side == 0 ? files.second : files.first, truth);
  coco::Params params;
  params.maxDetections = of.rules.maxDetections;
  const cli::ResultsRequest request{.type = of.type(),
                                    .params = params,
                                    .withArrays = true,
                                    .withAnalysis = true,
                                    .scoreThreshold = of.score};
  const cli::ComparedResults compared{"A", "B", second};
  return Json::parse(
      cli::cocoEvalJson(cli::evaluateResults(truth, first, request, &compared), truth, true));
}

Json byProgram(const Case& of, const Files& files, std::size_t side) {
  const auto text = [](const std::string& one) { return QString::fromStdString(one); };
  QStringList limits;
  for (const std::size_t limit : of.rules.maxDetections) limits << QString::number(limit);
  QProcess program;
  program.start(
      tests::program("lockstep-engine"),
      {QStringLiteral("coco-eval"), QStringLiteral("--gt"), text(files.gt), QStringLiteral("--dt"),
       text(side == 0 ? files.first : files.second), QStringLiteral("--compare"),
       text(side == 0 ? files.second : files.first), QStringLiteral("--type"), text(of.type()),
       QStringLiteral("--analysis"), QStringLiteral("--precision"), QStringLiteral("--matches"),
       QStringLiteral("--score-threshold"), QString::number(of.score, 'g', 17),
       QStringLiteral("--max-dets"), limits.join(u','), QStringLiteral("--out"), text(files.out)});
  if (!program.waitForFinished(120000) || program.exitCode() != 0) {
    qWarning("%s", program.readAllStandardError().constData());
    return {};
  }
  return Json::parse(base::readFile(files.out));
}

/// To the last bit; files have "NaN" for it.
bool isSame(double ours, const Json& theirs) {
  return theirs.is_string() ? std::isnan(ours) : ours == theirs.get<double>();
}

QByteArray differenceOf(const char* what, double ours, const Json& theirs) {
  return QByteArray(what) + " is " + QByteArray::number(ours, 'g', 17) + ", not " +
         QByteArray::fromStdString(theirs.dump());
}

#define SAME(ours, theirs)                            \
  QVERIFY2(isSame(static_cast<double>(ours), theirs), \
           differenceOf(#ours, static_cast<double>(ours), theirs).constData())

void checkAveragePrecision(const coco::AveragePrecision& ours, const Json& theirs) {
  QCOMPARE(ours.stats.size(), theirs["stats"].size());
  for (std::size_t i = 0; i < ours.stats.size(); ++i) SAME(ours.stats[i], theirs["stats"][i]);
  QCOMPARE(ours.classes.size(), theirs["classes"].size());
  for (std::size_t k = 0; k < ours.classes.size(); ++k) {
    SAME(ours.classes[k].ap, theirs["classes"][k]["AP"]);
    SAME(ours.classes[k].ap50, theirs["classes"][k]["AP50"]);
  }
}

/// The page's figures and its verdict.
void checkPair(const ResultsPair& pair, const Json& ofFirst, const Json& ofSecond) {
  checkAveragePrecision(pair.first, ofFirst);
  checkAveragePrecision(pair.second, ofSecond);
  const Json& comparison = ofFirst["comparison"];
  SAME(pair.ap.difference, comparison["difference"]);
  SAME(pair.ap.interval.low, comparison["interval"][0]);
  SAME(pair.ap.interval.high, comparison["interval"][1]);
  SAME(pair.ap.pValue, comparison["p"]);
}

void checkCurve(const coco::PrecisionRecallCurve& ours, const Json& theirs) {
  SAME(ours.ap, theirs["AP"]);
  SAME(ours.bestF1, theirs["best_f1"]);
  SAME(ours.bestF1Score, theirs["best_f1_score"]);
  QCOMPARE(ours.precision.size(), theirs["precision"].size());
  for (std::size_t i = 0; i < ours.precision.size(); ++i)
    SAME(ours.precision[i], theirs["precision"][i]);
}

/// Confusions, errors and curves of a side.
void checkSide(const MatchedPair::Side& side, const coco::ConfusionMatrix& confusion,
               const Json& theirs) {
  const Json& analysis = theirs["analysis"];
  const Json& counts = analysis["confusion"]["counts"];
  for (std::size_t actual = 0; actual <= confusion.background(); ++actual)
    for (std::size_t predicted = 0; predicted <= confusion.background(); ++predicted)
      SAME(confusion.at(actual, predicted), counts[actual][predicted]);
  SAME(side.errors.ap, analysis["errors"]["AP"]);
  for (std::size_t type = 0; type < coco::kErrorTypeCount; ++type) {
    const Json& error = analysis["errors"][coco::kErrorTypeNames.at(type)];
    SAME(side.errors.types.at(type).count, error["count"]);
    SAME(side.errors.types.at(type).apCost, error["AP_cost"]);
  }
  checkCurve(side.curves.pooled, analysis["curves"]["pooled"]);
  for (std::size_t k = 0; k < side.curves.classes.size(); ++k) {
    checkCurve(side.curves.classes[k], analysis["curves"]["classes"][k]);
    // Of --precision: at the first IoU threshold, all sizes, the most detections.
    const Json& arrays = theirs["precision"][0];
    for (std::size_t r = 0; r < side.curves.classes[k].precision.size(); ++r)
      SAME(side.curves.classes[k].precision[r], arrays[r][k][0].back());
  }
}

const char* verdictOf(Verdict verdict) {
  return verdict == Verdict::TruePositive    ? "tp"
         : verdict == Verdict::FalsePositive ? "fp"
                                             : "ignored";
}

/// Of each detection of an image, by its place among the image's.
void checkMatches(const Case& of, const PredictionStore::ByImage& predictions, const Json& theirs) {
  std::size_t before = 0;  // detections of earlier images: the file has them in this order
  for (std::size_t i = 0; i < of.dataset.images().size(); ++i) {
    const coco::Image& image = of.dataset.images()[i];
    const auto read = predictions.at(image.id).read();
    const std::vector<coco::Detection>& own = *read;
    const ImageContent content = contentOf(of.dataset, i, own, of.rules);
    std::map<std::size_t, InstanceFacts> found;
    std::size_t missed = 0;
    for (const InstanceFacts& facts :
         instancesAt(content, overlapsOf(content), {of.score, kIou}, {}))
      if (facts.detection >= 0)
        found[before + static_cast<std::size_t>(facts.detection)] = facts;
      else
        ++missed;
    const Json& matches = theirs["matches"][i];
    QCOMPARE(missed, matches["missed"].size());
    for (const auto& [index, facts] : found)
      if (!of.dataset.hasCategory(facts.category)) QCOMPARE(facts.verdict, Verdict::Ignored);
    for (const Json& one : matches["detections"]) {
      const auto facts = found.find(one["index"].get<std::size_t>());
      QVERIFY(facts != found.end());
      QCOMPARE(std::string(verdictOf(facts->second.verdict)), one["verdict"].get<std::string>());
      SAME(facts->second.iou, one["iou"]);
      const auto& error = facts->second.error;
      const Json name =
          error ? Json(coco::kErrorTypeNames[static_cast<std::size_t>(*error)]) : Json();
      QVERIFY(name == one["error"]);
    }
    before += own.size();
  }
}

/// What the score threshold leaves: AP over all classes, and of each at the IoU threshold.
void checkLeft(const Case& of, const PredictionStore::ByImage& predictions, const FilteredAp& ap) {
  std::vector<coco::Detection> left = all(predictions);
  std::erase_if(left, [&](const coco::Detection& one) {
    return one.score < of.score || !of.dataset.hasCategory(one.categoryId);
  });
  coco::Params params;
  params.maxDetections = of.rules.maxDetections;
  const coco::AveragePrecision theirs = coco::evaluate(of.dataset, left, of.rules.type, {}, params);
  const coco::ApFigures ours = ap.at(of.score, {});
  QVERIFY(ours.ap == theirs.stats[0]);
  QVERIFY(ours.ap50 == theirs.stats[1]);
  const auto analysis = analyseCheckpoint(ap.overlaps(), kIou);
  for (const ClassFigures& own : classFiguresOf(*analysis, of.score)) {
    const auto found =
        std::ranges::find(theirs.classes, own.category, &coco::ClassAveragePrecision::category);
    QVERIFY(found != theirs.classes.end() && own.ap == found->ap50);
  }
}

/// AP, counts and the precision-recall point of the Predictions page.
void checkPredictions(const Case& of, const PredictionStore::ByImage& predictions,
                      const Json& theirs) {
  OverlapCache cache;
  const auto overlaps = cache.at(0, of.dataset, predictions, of.rules);
  const FilteredAp filtered(overlaps);
  const coco::ApFigures ap = filtered.at(0, {});
  SAME(ap.ap, theirs["stats"][0]);
  SAME(ap.ap50, theirs["stats"][1]);
  checkLeft(of, predictions, filtered);
  const auto analysis = analyseCheckpoint(overlaps, kIou);
  const coco::Counts counts = countsAt(analysis->all, of.score, {});
  const Json& point = theirs["analysis"]["operating_point"]["sizes"][0];
  SAME(counts.truePositives, point["tp"]);
  SAME(counts.falsePositives, point["fp"]);
  SAME(counts.falseNegatives, point["fn"]);
  if (const auto place = precisionRecallAt(counts)) {
    SAME(place->y(), point["precision"]);
    SAME(place->x(), point["recall"]);
  }
  for (std::size_t k = 0; k < of.dataset.categories().size(); ++k) {
    const auto tally = analysis->all.find(of.dataset.categories()[k].id);
    const coco::Counts own =
        tally == analysis->all.end() ? coco::Counts() : tally->second.at(of.score);
    const Json& category = theirs["analysis"]["operating_point"]["classes"][k];
    SAME(own.truePositives, category["tp"]);
    SAME(own.falsePositives, category["fp"]);
    SAME(own.falseNegatives, category["fn"]);
  }
  checkMatches(of, predictions, theirs);
}

using Reference = Json (*)(const Case&, const Files&, std::size_t side);

void check(const Case& of, Reference reference) {
  const Files files(of);
  const std::array theirs{reference(of, files, 0), reference(of, files, 1)};
  QVERIFY(theirs[0].is_object() && theirs[1].is_object());
  checkPair(compareResults(of.dataset, of.first, of.second, of.rules), theirs[0], theirs[1]);
  const MatchedPair pair(of.dataset, of.first, of.second, of.rules, kIou);
  const MatchedPair::Confusions confusions = pair.confusionsAt(of.score);
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    checkSide(pair.side(side), confusions.at(side), theirs.at(side));
    checkPredictions(of, of.side(side), theirs.at(side));
  }
}

}  // namespace

class TstAsCocoEval : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void realDataAsTheProgram_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<bool>("areMasks");
    for (const char* file : {"droplets/annotations/instances_val.json",
                             "coco-tiny/annotations/instances_val2017.json"})
      for (const bool areMasks : {false, true})
        QTest::addRow("%s, %s", file, areMasks ? "masks" : "boxes")
            << QString::fromLatin1(file) << areMasks;
  }
  void realDataAsTheProgram() {
    QFETCH(QString, file);
    QFETCH(bool, areMasks);
    const auto path = tests::realData(file.toStdString());
    if (path.empty()) QSKIP("LOCKSTEP_TEST_DATA has no such data");
    const coco::Dataset dataset = coco::Dataset::load(path);
    check({dataset,
           byImage(dataset, 0.4),
           byImage(dataset, 0.7),
           {areMasks ? coco::IouType::Mask : coco::IouType::Box},
           0.55},
          byProgram);
  }

  void madeSetsAsTheProgram_data() {
    QTest::addColumn<int>("seed");
    for (const int seed : {1, 6, 20, 77, 200}) QTest::addRow("%d", seed) << seed;
  }
  void madeSetsAsTheProgram() {
    QFETCH(int, seed);
    check(madeCase(seed), byProgram);
  }

  void twoHundredMadeSetsAsTheLibrary() {
    for (int seed = 1; seed <= 200 && !QTest::currentTestFailed(); ++seed) {
      check(madeCase(seed), byLibrary);
      if (QTest::currentTestFailed()) qWarning("seed %d", seed);
    }
  }
};

LOCKSTEP_TEST(TstAsCocoEval)
#include "tst_as_coco_eval.moc"
