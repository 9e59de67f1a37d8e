#include <QTest>
#include <cstring>

#include "engine/base/counter_hash.h"
#include "engine/coco/analysis/operating_point.h"
#include "engine/coco/analysis/precision_recall.h"
#include "engine/coco/evaluation/precision_at_recalls.h"
#include "tests/coco/made_set.h"
#include "tests/coco/reference.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using namespace lockstep::tests;

namespace {

bool areNear(const RecallCurve& ours, const nlohmann::json& theirs) {
  for (std::size_t r = 0; r < ours.size(); ++r) {
    if (!isNear(ours[r], theirs[r])) return false;
  }
  return theirs.size() == ours.size();
}

bool areNear(const PrecisionRecallCurve& ours, const nlohmann::json& theirs) {
  if (ours.points.size() != theirs["points"].size()) return false;
  for (std::size_t i = 0; i < ours.points.size(); ++i) {
    const auto& [score, precision, recall] = ours.points[i];
    const auto& point = theirs["points"][i];
    if (score != point[0] || !isNear(precision, point[1]) || !isNear(recall, point[2])) {
      return false;
    }
  }
  return areNear(ours.precision, theirs["precision"]) && isNear(ours.ap, theirs["ap"]) &&
         isNear(ours.bestF1, theirs["f1"]) && ours.bestF1Score == theirs["f1_score"];
}

}  // namespace

class TstPrecisionRecall : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Of every beginning of a list, which precisionAtRecalls() gets as a list of its own.
  void theFirstOfAListHaveTheCurveOfAShorterList() {
    for (const std::uint64_t objects : {1, 7, 100, 450}) {
      PrecisionOfFirst precision(static_cast<double>(objects));
      QCOMPARE(precision.at(0), RecallCurve{});
      RankedHits hits;
      std::vector<RankedHits> beginnings{hits};
      double counted = 0;
      for (std::uint64_t place = 0; place < 600; ++place) {
        const double chance = base::counterUniform({objects, place});
        const bool isHit = chance < 0.6 && hits.size()<objects, isIgnored = chance> 0.9;
        precision.add(isHit, isIgnored);
        counted += isIgnored ? 0 : 1;
        if (isHit) hits.push_back({static_cast<double>(hits.size() + 1), counted});
        beginnings.push_back(hits);
      }
      for (std::size_t first = 0; first < beginnings.size(); ++first)
        QCOMPARE(precision.at(first),
                 precisionAtRecalls(beginnings[first], static_cast<double>(objects)));
    }
  }

  void pointsOfAKnownSet() {
    const PrecisionRecall result = precisionRecall(
        madeSet({{1, 1, {0, 0, 20, 20}}, {2, 1, {0, 0, 40, 40}}, {2, 1, {60, 60, 30, 30}}},
                {{1, 1, {0, 0, 20, 20}, .9},
                 {1, 1, {50, 50, 20, 20}, .8},
                 {2, 1, {60, 60, 30, 30}, .4},
                 {2, 1, {0, 50, 20, 20}, .4},  // same score as the one before
                 {2, 1, {0, 0, 9, 9}, .1}}),
        .5);
    const PrecisionRecallCurve& curve = result.classes[0];
    QCOMPARE(curve.points.size(), 2U);
    QCOMPARE(curve.points[0].precision, 1.0);
    QCOMPARE(curve.points[0].recall, 1.0 / 3);
    QCOMPARE(curve.points[1].score, .4);
    QCOMPARE(curve.points[1].precision, .5);
    QCOMPARE(curve.points[1].recall, 2.0 / 3);
    QCOMPARE(curve.bestF1, 4.0 / 7);
    QCOMPARE(curve.bestF1Score, .4);
    QVERIFY(isNear(curve.precision[33], 1));
    QVERIFY(isNear(curve.precision[34], 2.0 / 3));  // COCO ranks the false positive of .4 last
    QVERIFY(isNear(curve.precision[67], 0));
    QCOMPARE(result.classes[1].ap, -1.0);
    QCOMPARE(result.ap, curve.ap);
    QCOMPARE(result.pooled.bestF1, 4.0 / 7);
  }

  void tiesOfBestF1GoToTheHighestScore() {
    const PrecisionRecall result = precisionRecall(
        madeSet({{1, 1, {0, 0, 20, 20}}, {1, 1, {60, 60, 30, 30}}}, {{1, 1, {0, 0, 20, 20}, .9},
                                                                     {1, 1, {0, 50, 20, 20}, .8},
                                                                     {1, 1, {50, 0, 20, 20}, .7},
                                                                     {1, 1, {60, 60, 30, 30}, .6}}),
        .5);
    QCOMPARE(result.pooled.bestF1, 2.0 / 3);  // 1 of 1 and 2 objects, 2 of 4 and 2 objects
    QCOMPARE(result.pooled.bestF1Score, .9);
  }

  /// With pycocotools' rounding: numpy's 0.95 is 0.9500000000000001, which 19 of 20 do not reach.
  void hitsNeededIsTheMinimumForARecall() {
    QCOMPARE(hitsNeeded(20)[95], 20.0);
    for (int gtCount = 1; gtCount < 3000; ++gtCount) {
      const RecallCurve needed = hitsNeeded(gtCount);
      for (std::size_t r = 0; r < needed.size(); ++r) {
        const bool isEnough = needed[r] / gtCount >= kRecallThresholds[r];
        const bool isLeast = needed[r] == 0 || (needed[r] - 1) / gtCount < kRecallThresholds[r];
        if (!isEnough || !isLeast) {
          QFAIL(qPrintable(QStringLiteral("recall %1 of %2").arg(r).arg(gtCount)));
        }
      }
    }
  }

  void withoutObjectsThereIsNoCurve() {
    const PrecisionRecall result = precisionRecall(madeSet({}, {{1, 1, {0, 0, 20, 20}, .9}}), .5);
    QCOMPARE(result.ap, -1.0);
    QCOMPARE(result.meanPrecision[0], -1.0);
    QCOMPARE(result.pooled.bestF1, -1.0);
    QVERIFY(result.pooled.points.empty());
  }

  void bestF1ScoreGivesTheBestF1() {
    if (analysisReference().is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    const auto& one = analysisReference()["cases"][0];
    const OverlapSet set(Dataset::load(one["gt"].get<std::string>()),
                         loadDetections(one["dt"].get<std::string>()), IouType::Box);
    const PrecisionRecallCurve pooled = precisionRecall(set, .55).pooled;
    QVERIFY(pooled.bestF1 > 0);
    QVERIFY(isNear(operatingPoint(set, pooled.bestF1Score, .55).all.f1(), pooled.bestF1));
  }

  void curvesEqualTheReference() {
    if (analysisReference().is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    for (const auto& one : analysisReference()["cases"]) {
      const IouType type = one["type"] == "bbox" ? IouType::Box : IouType::Mask;
      const Dataset groundTruth = Dataset::load(one["gt"].get<std::string>());
      const auto detections = loadDetections(one["dt"].get<std::string>());
      const OverlapSet set(groundTruth, detections, type);
      for (const auto& expected : one["curves"]) {
        const PrecisionRecall ours = precisionRecall(set, expected["iou"], 2);
        const std::string name = one["name"].get<std::string>() + expected["iou"].dump();
        for (std::size_t k = 0; k < ours.classes.size(); ++k) {
          QVERIFY2(areNear(ours.classes[k], expected["classes"][k]), name.c_str());
        }
        QVERIFY2(areNear(ours.pooled, expected["pooled"]), name.c_str());
        QVERIFY2(areNear(ours.meanPrecision, expected["mean"]), name.c_str());
        QVERIFY2(isNear(ours.ap, expected["ap"]), name.c_str());
      }
      const double ap50 = evaluate(groundTruth, detections, type).stats[1];
      QCOMPARE(
          std::memcmp(&ap50, &static_cast<const double&>(precisionRecall(set, .5).ap), sizeof ap50),
          0);
    }
  }
};

LOCKSTEP_TEST(TstPrecisionRecall)
#include "tst_precision_recall.moc"
