#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "engine/coco/analysis/analysis.h"
#include "engine/coco/files/results_file.h"
#include "tests/support/test_main.h"
#include "tests/widgets_image_view/made_pairs.h"
#include "widgets/instances/matched_pair.h"

using namespace lockstep;
using namespace lockstep::widgets;

namespace {

const MatchRules kBoxes{coco::IouType::Box};

bool areSame(const coco::PrecisionRecallCurve& ours, const coco::PrecisionRecallCurve& theirs) {
  return ours.ap == theirs.ap && ours.bestF1 == theirs.bestF1 &&
         ours.bestF1Score == theirs.bestF1Score && ours.precision == theirs.precision &&
         ours.points.size() == theirs.points.size();
}

bool areSame(const coco::ErrorCost& ours, const coco::ErrorCost& theirs) {
  return ours.count == theirs.count && ours.apCost == theirs.apCost;
}

}  // namespace

class TstMatchedPair : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void figuresAreThoseOfCocoEvalOnTheCommonImages_data() {
    QTest::addColumn<int>("seed");
    QTest::addColumn<double>("score");
    for (int seed = 1; seed <= 5; ++seed)
      for (const double score : {0.0, 0.45})
        QTest::addRow("seed %d, score %.2f", seed, score) << seed << score;
  }
  /// As `coco-eval --analysis` computes them of results files.
  void figuresAreThoseOfCocoEvalOnTheCommonImages() {
    QFETCH(int, seed);
    QFETCH(double, score);
    const tests::MadePairs made(static_cast<std::uint64_t>(seed));
    const MatchedPair pair(made.dataset, made.first, made.second, kBoxes, 0.5);
    coco::Dataset common = made.dataset;
    common.keepImages([&](std::size_t, const coco::Image& image) {
      return made.first.contains(image.id) && made.second.contains(image.id);
    });
    const MatchedPair::Confusions confusions = pair.confusionsAt(score);
    const QTemporaryDir folder;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const std::string file = tests::writeResults(folder.filePath(QStringLiteral("results.json")),
                                                   side == 0 ? made.first : made.second, common);
      const auto results = coco::ResultsFile::load(file, common);
      const coco::OverlapSet overlaps(common, results, kBoxes.type);
      const coco::OperatingPoint point = coco::operatingPoint(overlaps, score, 0.5);
      const std::size_t background = point.confusion.background();
      for (std::size_t actual = 0; actual <= background; ++actual)
        for (std::size_t predicted = 0; predicted <= background; ++predicted)
          QCOMPARE(confusions.at(side).at(actual, predicted),
                   point.confusion.at(actual, predicted));
      const coco::ErrorCosts errors = coco::errorCosts(overlaps);
      const coco::ErrorCosts& own = pair.side(side).errors;
      QCOMPARE(own.ap, errors.ap);
      for (std::size_t type = 0; type < coco::kErrorTypeCount; ++type)
        QVERIFY(areSame(own.types.at(type), errors.types.at(type)));
      QVERIFY(areSame(own.falsePositives, errors.falsePositives));
      QVERIFY(areSame(own.falseNegatives, errors.falseNegatives));
      const coco::PrecisionRecall curves = coco::precisionRecall(overlaps, 0.5);
      QVERIFY(areSame(pair.side(side).curves.pooled, curves.pooled));
      for (std::size_t k = 0; k < curves.classes.size(); ++k)
        QVERIFY(areSame(pair.side(side).curves.classes[k], curves.classes[k]));
    }
  }

  void aCellListsWhatItCounts() {
    const tests::MadePairs made(2);
    const MatchedPair pair(made.dataset, made.first, made.second, kBoxes, 0.5);
    const MatchedPair::Confusions confusions = pair.confusionsAt(0.3);
    const std::size_t background = confusions[0].background();
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      for (std::size_t actual = 0; actual <= background; ++actual) {
        for (std::size_t predicted = 0; predicted <= background; ++predicted) {
          const auto listed = pair.ofCell(side, 0.3, actual, predicted);
          QCOMPARE(listed.size(), std::size_t{confusions.at(side).at(actual, predicted)});
          for (const PairedObject& object : listed)
            checkClasses(made, pair, object, side, actual, predicted);
        }
      }
    }
  }

  void anErrorListsWhatItCounts() {
    const tests::MadePairs made(4);
    const MatchedPair pair(made.dataset, made.first, made.second, kBoxes, 0.5);
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      for (std::size_t type = 0; type < coco::kErrorTypeCount; ++type) {
        const auto listed = pair.ofError(side, static_cast<coco::ErrorType>(type));
        QCOMPARE(listed.size(), std::size_t{pair.side(side).errors.types.at(type).count});
        for (const PairedObject& object : listed)
          checkError(made, pair, object, side, static_cast<coco::ErrorType>(type));
      }
    }
  }

  /// Of an object that one side misses or takes for another, the other one may know better.
  void anErrorSaysWhatTheOtherSidePredicts() {
    const tests::MadePairs made(4);
    const MatchedPair pair(made.dataset, made.first, made.second, kBoxes, 0.5);
    int known = 0;
    for (const coco::ErrorType type : {coco::ErrorType::Missed, coco::ErrorType::Classification})
      for (const PairedObject& object : pair.ofError(0, type))
        if (const std::int32_t row = object.predicted[1]; row >= 0)
          known += pair.categories()[static_cast<std::size_t>(row)].id == object.category ? 1 : 0;
    QVERIFY(known > 0);
  }

  void aScoreListsItsDetections() {
    const tests::MadePairs made(1);
    const MatchedPair pair(made.dataset, made.first, made.second, kBoxes, 0.5);
    const double score = pair.side(1).curves.classes[1].points.front().score;
    const auto listed = pair.ofScore(1, 1, score);
    QVERIFY(!listed.empty());
    for (const PairedObject& object : listed) {
      const coco::Detection& detection = detectionOf(made, object, 1);
      QCOMPARE(detection.score, score);
      QCOMPARE(detection.categoryId, pair.categories()[1].id);
    }
  }

 private:
  static const coco::Detection& detectionOf(const tests::MadePairs& made,
                                            const PairedObject& object, std::size_t side) {
    const ImageId image = made.dataset.images()[object.imageIndex].id;
    return (*(side == 0 ? made.first : made.second).at(image).read())[static_cast<std::size_t>(
        object.detections.at(side))];
  }

  /// The class is that of the object that the detection is on, and not what it is taken for.
  static void checkError(const tests::MadePairs& made, const MatchedPair& pair,
                         const PairedObject& object, std::size_t side, coco::ErrorType type) {
    using enum coco::ErrorType;
    QCOMPARE(object.annotation >= 0, type == Missed);
    const std::int32_t row = object.predicted.at(side);
    QCOMPARE(row >= 0, type != Missed);
    if (row < 0) return;
    const CategoryId predicted = pair.categories()[static_cast<std::size_t>(row)].id;
    QCOMPARE(predicted, detectionOf(made, object, side).categoryId);
    QCOMPARE(object.category == predicted, type != Classification && type != Both);
  }

  static void checkClasses(const tests::MadePairs& made, const MatchedPair& pair,
                           const PairedObject& object, std::size_t side, std::size_t actual,
                           std::size_t predicted) {
    const std::size_t background = pair.categories().size();
    QCOMPARE(object.annotation >= 0, actual < background);
    QCOMPARE(object.detections.at(side) >= 0, predicted < background);
    if (actual < background)
      QCOMPARE(
          made.dataset.annotationsOf(object.imageIndex)[static_cast<std::size_t>(object.annotation)]
              .categoryId,
          pair.categories()[actual].id);
    if (predicted < background)
      QCOMPARE(detectionOf(made, object, side).categoryId, pair.categories()[predicted].id);
    // Boxes are matched: the areas of both are those of boxes.
    const std::array<double, 4>& box =
        actual < background
            ? made.dataset
                  .annotationsOf(object.imageIndex)[static_cast<std::size_t>(object.annotation)]
                  .boxXywh
            : detectionOf(made, object, side).boxXywh;
    QCOMPARE(object.areaPx, box[2] * box[3]);
  }
};

LOCKSTEP_TEST(TstMatchedPair)
#include "tst_matched_pair.moc"
