#include <QTest>
#include <random>

#include "engine/coco/analysis/analysis.h"
#include "engine/coco/analysis/evaluated_image.h"
#include "engine/coco/analysis/operating_point.h"
#include "engine/coco/analysis/weighted_ap.h"
#include "tests/coco/made_set.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using namespace lockstep::tests;

namespace {

/// Random boxes in both images, detections near some of them and elsewhere; many scores are equal.
std::pair<std::vector<MadeBox>, std::vector<MadeBox>> randomBoxes(unsigned seed, double scale) {
  std::mt19937 random(seed);
  const auto below = [&](int end) {
    return static_cast<double>(random() % static_cast<unsigned>(end));
  };
  std::pair<std::vector<MadeBox>, std::vector<MadeBox>> boxes;
  for (int i = 0; i < 20; ++i) {
    MadeBox box{1 + i % 2, 1 + i % 3, {below(60), below(60), 10 + below(30), 10 + below(30)}};
    box.isCrowd = i == 7;
    boxes.first.push_back(box);
    for (int copy = 0; copy < 3; ++copy) {
      MadeBox detection = box;
      detection.isCrowd = false;
      detection.xywh[static_cast<std::size_t>(copy)] += below(8);
      if (i % 5 == 0) detection.category = 1 + (i + 1) % 3;
      detection.score = (below(9) / 8 - .25) * scale;
      boxes.second.push_back(detection);
    }
  }
  return boxes;
}

Analysis analysisOf(const std::vector<MadeBox>& objects, const std::vector<MadeBox>& detections,
                    const AnalysisOptions& options = {}) {
  const Dataset groundTruth = madeDataset(objects);
  const auto results = madeDetections(detections);
  const auto matches = matchDataset(groundTruth, results, IouType::Box);
  return analyse(OverlapSet(groundTruth, results, IouType::Box),
                 WeightedAp(matches, groundTruth.categories()), options);
}

}  // namespace

class TstAnalysis : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void scoreThresholdDefaultsToTheBestF1() {
    // From score 0.5 two of three are true positives, from 0.6 one of one.
    const std::vector<MadeBox> objects{{1, 1, {0, 0, 20, 20}}, {1, 2, {50, 50, 20, 20}}};
    const std::vector<MadeBox> detections{
        {1, 1, {0, 0, 20, 20}, .9}, {1, 2, {50, 50, 20, 20}, .5}, {2, 2, {50, 50, 20, 20}, .2}};
    const Analysis best = analysisOf(objects, detections);
    QVERIFY(best.isAtBestF1);
    QCOMPARE(best.scoreThreshold, .5);
    QCOMPARE(best.operatingPoint.all, (Counts{2, 0, 0}));
    const Analysis given = analysisOf(objects, detections, {.5, .6});
    QVERIFY(!given.isAtBestF1);
    QCOMPARE(given.operatingPoint.all, (Counts{1, 0, 1}));
    QCOMPARE(given.uncertainty.figures.ap, 1.0);
    QCOMPARE(given.errors.ap, 1.0);
  }

  void allMetricsUseTheIouThreshold() {
    // IoU 0.6 with the object.
    const std::vector<MadeBox> objects{{1, 1, {0, 0, 10, 10}}};
    const std::vector<MadeBox> detections{{1, 1, {0, 0, 10, 6}, .9}};
    for (const bool isFound : {true, false}) {
      const Analysis analysis = analysisOf(objects, detections, {isFound ? .6 : .7, .1});
      const Counts expected = isFound ? Counts{1, 0, 0} : Counts{0, 1, 1};
      QCOMPARE(analysis.operatingPoint.all, expected);
      QCOMPARE(analysis.byScore[50].counts, expected);
      QCOMPARE(analysis.curves.ap, isFound ? 1.0 : 0.0);
      QCOMPARE(analysis.errors.types[std::size_t(ErrorType::Localisation)].count,
               std::uint64_t{isFound ? 0U : 1U});
    }
  }

  void sweepEqualsOperatingPoints() {
    for (const double scale : {1.0, 100.0, 1e-3}) {
      const auto [objects, detections] = randomBoxes(3, scale);
      const OverlapSet set = madeSet(objects, detections);
      for (const double iou : {.3, .5, .8}) {
        const auto sweep = sweepScores(set, iou);
        QCOMPARE(sweep.size(), std::size_t{101});
        for (const CountsAtScore& at : sweep)
          QCOMPARE(at.counts, operatingPoint(set, at.score, iou).all);
      }
    }
  }

  void sweepCoversZeroToOneAndAllScores() {
    const auto ends = [](double low, double high) {
      const auto sweep =
          sweepScores(madeSet({}, {{1, 1, {0, 0, 9, 9}, low}, {2, 1, {0, 0, 9, 9}, high}}), .5);
      return std::pair(sweep.front().score, sweep.back().score);
    };
    QCOMPARE(ends(.2, .7), std::pair(0.0, 1.0));
    QCOMPARE(ends(-3, .7), std::pair(-3.0, 1.0));
    QCOMPARE(ends(.5, 12), std::pair(0.0, 12.0));
    QCOMPARE(ends(-1.7e308, 1.7e308), std::pair(-1.7e308, 1.7e308));
    QCOMPARE(sweepScores(madeSet({}, {}), .5).back().score, 1.0);
  }

  void evaluatedImagesAddUpToTheCounts() {
    const auto [objects, detections] = randomBoxes(5, 1);
    const OverlapSet set = madeSet(objects, detections);
    for (const double score : {-1.0, .25, .5, 2.0}) {
      const OperatingPoint point = operatingPoint(set, score, .5);
      for (std::size_t i = 0; i < 2; ++i) {
        const EvaluatedImage judged = evaluateImage(set.images()[i], score, .5);
        Counts counts;
        counts.falseNegatives = judged.missed.size();
        for (const EvaluatedDetection& one : judged.detections) {
          QVERIFY(set.images()[i].detections[one.detection].score >= score);
          counts.truePositives += one.match.verdict == MatchVerdict::TruePositive;
          const bool isFalse = one.match.verdict == MatchVerdict::FalsePositive;
          counts.falsePositives += isFalse;
          QCOMPARE(one.error.has_value(), isFalse);
        }
        QCOMPARE(counts, point.images[i]);
      }
    }
  }

  void errorTypesDoNotDependOnTheScoreThreshold() {
    const OverlapSet set = madeSet({{1, 1, {0, 0, 20, 20}}, {1, 2, {50, 50, 20, 20}}},
                                   {{1, 1, {0, 0, 20, 20}, .9},
                                    {1, 1, {0, 0, 20, 20}, .8},      // duplicate
                                    {1, 1, {50, 50, 20, 20}, .7},    // of class 2
                                    {1, 2, {50, 60, 20, 20}, .6},    // IoU too low
                                    {1, 1, {80, 10, 10, 10}, .5}});  // background
    const EvaluatedImage judged = evaluateImage(set.images()[0], .6, .5);
    QCOMPARE(judged.detections.size(), std::size_t{4});
    QVERIFY(!judged.detections[0].error);
    QVERIFY(judged.detections[1].error == ErrorType::Duplicate);
    QVERIFY(judged.detections[2].error == ErrorType::Classification);
    QVERIFY(judged.detections[3].error == ErrorType::Localisation);
    QCOMPARE(judged.missed, std::vector<std::uint32_t>{1});
    QVERIFY(evaluateImage(set.images()[0], 0, .5).detections[4].error == ErrorType::Background);
    // The one above 0.95 matches nothing, so both objects are missed.
    QCOMPARE(evaluateImage(set.images()[0], .95, .5).missed, (std::vector<std::uint32_t>{0, 1}));
  }

  void anObjectWithAnErrorIsNotMissedForTide() {
    const OverlapSet set = madeSet({{1, 1, {0, 0, 20, 20}}},
                                   {{1, 1, {0, 10, 20, 20}, .9}, {1, 1, {0, 0, 20, 20}, .6}});
    const EvaluatedImage low = evaluateImage(set.images()[0], .5, .5);
    QVERIFY(low.missed.empty() && low.uncovered.empty());
    const EvaluatedImage middle = evaluateImage(set.images()[0], .8, .5);  // IoU too low
    QCOMPARE(middle.missed, std::vector<std::uint32_t>{0});
    QVERIFY(middle.uncovered.empty());
    const EvaluatedImage high = evaluateImage(set.images()[0], .95, .5);
    QCOMPARE(high.missed, std::vector<std::uint32_t>{0});
    QCOMPARE(high.uncovered, std::vector<std::uint32_t>{0});
  }

  void confusionsAreSortedByCountWithoutBackground() {
    ConfusionMatrix matrix(3);
    matrix.at(0, 0) = 9;
    matrix.at(0, 2) = 2;
    matrix.at(1, 0) = 5;
    matrix.at(2, 1) = 2;
    matrix.at(2, matrix.background()) = 7;
    matrix.at(matrix.background(), 1) = 8;
    const auto found = frequentConfusions(matrix, 2);
    QCOMPARE(found.size(), std::size_t{2});
    QCOMPARE(found[0].actual, std::size_t{1});
    QCOMPARE(found[0].predicted, std::size_t{0});
    QCOMPARE(found[0].count, 5U);
    QCOMPARE(found[1].actual, std::size_t{0});
    QCOMPARE(frequentConfusions(matrix, 9).size(), std::size_t{3});
  }
};

LOCKSTEP_TEST(TstAnalysis)
#include "tst_analysis.moc"
