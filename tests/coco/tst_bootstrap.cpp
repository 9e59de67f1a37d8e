#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "engine/coco/analysis/bootstrap.h"
#include "tests/coco/made_set.h"
#include "tests/coco/reference.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using namespace lockstep::tests;

namespace {

constexpr std::int64_t kImageCount = 60;

/// One object in each of many images; `isFound`: in which of them it is detected.
template <typename IsFound>
WeightedAp oneObjectEach(IsFound isFound) {
  std::vector<ImageMatches> images;
  for (std::int64_t i = 0; i < kImageCount; ++i) {
    images.push_back(madeMatches(1, {{1 - .01 * static_cast<double>(i), isFound(i)}}));
  }
  return {images, {{{1}, "cell"}}};
}

/// Detects about this fraction of the objects.
WeightedAp detectorOfChance(std::mt19937& random, unsigned percent) {
  return oneObjectEach([&](std::int64_t) { return random() % 100 < percent; });
}

/// For how many of 100 pairs of detectors compareAp reports a difference.
int countDifferences(unsigned percentA, unsigned percentB) {
  std::mt19937 random(9);
  int count = 0;
  for (std::uint64_t pair = 0; pair < 100; ++pair) {
    const WeightedAp a = detectorOfChance(random, percentA), b = detectorOfChance(random, percentB);
    count += compareAp(a, b, {200, pair, 1}).verdict != ComparisonVerdict::NoDifferenceShown;
  }
  return count;
}

WeightedAp weighted(const nlohmann::json& one) {
  const IouType type = one["type"] == "bbox" ? IouType::Box : IouType::Mask;
  const Dataset groundTruth = Dataset::load(one["gt"].get<std::string>());
  return {matchDataset(groundTruth, loadDetections(one["dt"].get<std::string>()), type),
          groundTruth.categories()};
}

}  // namespace

class TstBootstrap : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void weightsOfOneGiveCocoAp() {
    if (analysisReference().is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    for (const auto& one : analysisReference()["cases"]) {
      const IouType type = one["type"] == "bbox" ? IouType::Box : IouType::Mask;
      const AveragePrecision expected =
          evaluate(Dataset::load(one["gt"].get<std::string>()),
                   loadDetections(one["dt"].get<std::string>()), type);
      const WeightedAp ours = weighted(one);
      const ApFigures figures = ours.at(std::vector<std::uint32_t>(ours.imageCount(), 1));
      QVERIFY(figures.ap == expected.stats[0]);  // bitwise: QCOMPARE is fuzzy
      QVERIFY(figures.ap50 == expected.stats[1]);
    }
  }

  void weightedApEqualsThatOfCopiedImages() {
    if (analysisReference().is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    for (const auto& one : analysisReference()["cases"]) {
      const WeightedAp ours = weighted(one);
      for (const auto& expected : one["weighted"]) {
        const std::vector<std::uint32_t> weights = expected["weights"];
        const ApFigures figures = ours.at(weights);
        QVERIFY2(isNear(figures.ap, expected["ap"][0]), one["name"].get<std::string>().c_str());
        QVERIFY2(isNear(figures.ap50, expected["ap"][1]), one["name"].get<std::string>().c_str());
      }
    }
  }

  void imageOfWeightZeroIsIgnored() {
    const Dataset groundTruth = madeDataset({{1, 1, {0, 0, 20, 20}}, {2, 2, {0, 0, 20, 20}}});
    const auto detections = madeDetections({{1, 1, {0, 0, 20, 20}, .5}});
    const WeightedAp results(matchDataset(groundTruth, detections, IouType::Box),
                             groundTruth.categories());
    QVERIFY(isNear(results.at(std::vector<std::uint32_t>{1, 1}).ap, .5));
    QVERIFY(isNear(results.at(std::vector<std::uint32_t>{3, 0}).ap, 1));
    QCOMPARE(results.at(std::vector<std::uint32_t>{0, 2}).ap, 0.0);
    QCOMPARE(results.at(std::vector<std::uint32_t>{0, 0}).ap, -1.0);
  }

  void resamplesDrawAsManyImagesAsThereAre() {
    std::vector<double> drawn(50, 0);
    for (std::size_t r = 0; r < 400; ++r) {
      const auto weights = resampleWeights(50, 7, r);
      QCOMPARE(std::accumulate(weights.begin(), weights.end(), 0U), 50U);
      for (std::size_t i = 0; i < 50; ++i) drawn[i] += weights[i];
    }
    for (const double count : drawn) QVERIFY(std::abs(count - 400) < 6 * std::sqrt(400));
    QCOMPARE(resampleWeights(50, 7, 3), resampleWeights(50, 7, 3));
    QVERIFY(resampleWeights(50, 7, 3) != resampleWeights(50, 7, 4));
    QVERIFY(resampleWeights(50, 7, 3) != resampleWeights(50, 8, 3));
  }

  void intervalEqualsNumpyPercentiles() {
    std::vector<double> values(41);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(40 - i);
    const Interval interval = percentileInterval(values);
    QCOMPARE(interval.low, 1.0);
    QCOMPARE(interval.high, 39.0);
    QCOMPARE(percentileInterval({2, 1}).low, 1.025);
    QCOMPARE(percentileInterval({5}).high, 5.0);
  }

  /// Every detection is a true positive, so AP50 of a resample is about the recall: the interval
  /// must be the binomial one, p +- 1.96 sqrt(p (1 - p) / n).
  void intervalHasTheBinomialWidth() {
    std::vector<ImageMatches> images;
    for (std::int64_t i = 0; i < kImageCount; ++i) {
      images.push_back(i % 2 == 0 ? madeMatches(1, {{0, true}}) : madeMatches(1, {}));
    }
    const WeightedAp results(images, {{{1}, "cell"}});
    const ApUncertainty found = bootstrap(results, {2000, 3, 2});
    const double half = 1.96 * std::sqrt(.25 / kImageCount);
    QCOMPARE(found.resamples, 2000U);
    QVERIFY(std::abs(found.figures.ap - .5) < .01);
    QVERIFY2(std::abs(found.ap.low - (.5 - half)) < .03, qPrintable(QString::number(found.ap.low)));
    QVERIFY(std::abs(found.ap.high - (.5 + half)) < .03);
    QCOMPARE(found.ap50.low, found.ap.low);
  }

  /// Few objects of many classes, and false positives: uncorrected resamples would overestimate AP.
  void intervalContainsTheApDespiteResamplingBias() {
    std::mt19937 random(4);
    std::vector<std::map<std::int64_t, MadeOutcome>> made(40);  // one detection for each class
    std::vector<Category> categories;
    for (std::int64_t c = 1; c <= 30; ++c) {
      categories.push_back({{c}, "class"});
      for (int k = 0; k < 6; ++k) {
        const double score = static_cast<double>(random() % 1000) / 1000;
        const bool isRight = random() % 2 != 0;
        made[random() % made.size()].insert({c, {score, isRight}});
      }
    }
    std::vector<ImageMatches> images;
    for (const auto& classes : made) {
      ImageMatches& image = images.emplace_back(Params().areas.size());
      for (const auto& [category, outcome] : classes) addMatches(image, category, {outcome});
    }
    const WeightedAp results(images, categories);
    const ApUncertainty found = bootstrap(results, {500, 3, 2});
    std::vector<double> resampled;
    for (std::size_t r = 0; r < 500; ++r)
      resampled.push_back(results.at(resampleWeights(images.size(), 3, r)).ap);
    const double mean = std::accumulate(resampled.begin(), resampled.end(), 0.0) / 500;
    QVERIFY2(mean > found.figures.ap + .01, "the set shows no bias");
    const Interval raw = percentileInterval(resampled);
    QVERIFY(isNear(found.ap.low, raw.low - mean + found.figures.ap));
    QVERIFY(isNear(found.ap.high, raw.high - mean + found.figures.ap));
    QVERIFY(found.ap.low < found.figures.ap && found.figures.ap < found.ap.high);
  }

  void intervalsDependOnTheSeedNotOnThreads() {
    const WeightedAp results = oneObjectEach([](std::int64_t i) { return i % 3 != 0; });
    const ApUncertainty one = bootstrap(results, {200, 5, 1}),
                        three = bootstrap(results, {200, 5, 3}),
                        other = bootstrap(results, {200, 6, 1});
    QCOMPARE(one.ap.low, three.ap.low);
    QCOMPARE(one.ap50.high, three.ap50.high);
    QVERIFY(one.ap.low != other.ap.low);
  }

  void betterResultsAreReportedAsBetter() {
    const WeightedAp a = oneObjectEach([](std::int64_t i) { return i % 3 != 0; });
    const WeightedAp b = oneObjectEach([](std::int64_t) { return true; });
    const ApComparison better = compareAp(a, b, {500, 1, 2});
    QVERIFY(better.verdict == ComparisonVerdict::BIsBetter);
    QVERIFY(better.difference > 0 && better.interval.low > 0);
    QVERIFY(better.interval.low < better.difference && better.difference < better.interval.high);
    QVERIFY(isNear(better.pValue, 2.0 / 501));
    const ApComparison worse = compareAp(b, a, {500, 1, 2});
    QVERIFY(worse.verdict == ComparisonVerdict::AIsBetter);
    QCOMPARE(worse.difference, -better.difference);
    QCOMPARE(worse.interval.low, -better.interval.high);
  }

  void equalResultsShowNoDifference() {
    const WeightedAp a = oneObjectEach([](std::int64_t i) { return i % 3 != 0; });
    const ApComparison same = compareAp(a, a, {100, 1, 1});
    QVERIFY(same.verdict == ComparisonVerdict::NoDifferenceShown);
    QCOMPARE(same.pValue, 1.0);
    QCOMPARE(same.interval.low, 0.0);
    QCOMPARE(same.interval.high, 0.0);
    const WeightedAp b = oneObjectEach([](std::int64_t i) { return i % 3 != 1; });
    QVERIFY(compareAp(a, b, {500, 1, 2}).verdict == ComparisonVerdict::NoDifferenceShown);
  }

  /// By chance one pair in twenty differs, at most twelve in a hundred.
  void falsePositiveRateOfTheComparisonIsLow() {
    const int ofOneKind = countDifferences(60, 60);
    QVERIFY2(ofOneKind >= 1 && ofOneKind <= 12, qPrintable(QString::number(ofOneKind)));
    QVERIFY(countDifferences(50, 90) > 90);
  }

  void resamplesWithoutObjectsAreIgnored() {
    std::vector<ImageMatches> images(4);
    images[2] = madeMatches(1, {{0, true}});
    const WeightedAp results(images, {{{1}, "cell"}});
    const ApUncertainty found = bootstrap(results, {200, 1, 1});
    QVERIFY(found.resamples > 100 && found.resamples < 170);  // (3/4)^4 of them draw no object
    QVERIFY(isNear(found.ap.low, 1) && isNear(found.ap50.high, 1));
    const ApComparison same = compareAp(results, results, {200, 1, 1});
    QCOMPARE(same.resamples, found.resamples);
    QCOMPARE(same.pValue, 1.0);
    QCOMPARE(same.interval.high, 0.0);
  }

  void differentNumbersOfImagesAreRefused() {
    const Dataset groundTruth = madeDataset({});
    const WeightedAp two(matchDataset(groundTruth, {}, IouType::Box), groundTruth.categories());
    const WeightedAp many = oneObjectEach([](std::int64_t) { return true; });
    QCOMPARE(errorOf([&] { compareAp(two, many); }),
             QStringLiteral("results of 2 and of 60 images cannot be compared in pairs"));
    const ApComparison nothing = compareAp(two, two);
    QCOMPARE(nothing.a.ap, -1.0);
    QCOMPARE(nothing.resamples, 0U);
    QCOMPARE(bootstrap(two).ap.low, -1.0);
  }
};

LOCKSTEP_TEST(TstBootstrap)
#include "tst_bootstrap.moc"
