#include <QTest>
#include <cmath>
#include <limits>

#include "engine/base/counter_hash.h"
#include "tests/support/test_main.h"
#include "tests/widgets_image_view/made_images.h"
#include "widgets/instances/checkpoint_analysis.h"
#include "widgets/instances/image_order.h"
#include "widgets/instances/instance_match.h"
#include "widgets/instances/precision_recall.h"

using namespace lockstep;
using namespace lockstep::widgets;
using tests::boxAnnotation;
using tests::boxDetection;

namespace {

const coco::Image kImage{ImageId{1}, "one.png", 200, 100};

std::vector<coco::Annotation> randomTruth() {
  std::vector<coco::Annotation> annotations;
  for (std::uint64_t i = 0; i < 24; ++i) {
    const auto at = [&](std::uint64_t what) { return base::counterUniform({11, i, what}); };
    annotations.push_back(
        boxAnnotation(static_cast<std::int64_t>(i), 1, 1 + static_cast<std::int64_t>(i % 3),
                      {std::floor(150 * at(0)), std::floor(60 * at(1)), 20 + std::floor(10 * at(2)),
                       20 + std::floor(10 * at(3))}));
    annotations.back().isCrowd = i % 11 == 5;
  }
  return annotations;
}

std::vector<coco::Detection> randomDetections(const std::vector<coco::Annotation>& truth) {
  std::vector<coco::Detection> detections;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const coco::Annotation& near = truth[i % truth.size()];
    const auto at = [&](std::uint64_t what) { return base::counterUniform({13, i, what}); };
    const std::array<double, 4> box{near.boxXywh[0] + std::floor(12 * at(0)),
                                    near.boxXywh[1] + std::floor(8 * at(1)), near.boxXywh[2],
                                    near.boxXywh[3]};
    detections.push_back(boxDetection(kImage, near.categoryId.value, at(2), box));
  }
  return detections;
}

InstanceFacts onlyFalsePositive(const std::vector<InstanceFacts>& instances) {
  for (const InstanceFacts& facts : instances) {
    if (facts.verdict == Verdict::FalsePositive) return facts;
  }
  return {};
}

}  // namespace

class TstInstanceMatch : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void matchesErrorsAndMissedObjectsAreTold() {
    const std::vector<coco::Annotation> truth{boxAnnotation(1, 1, 1, {10, 10, 20, 20}),
                                              boxAnnotation(2, 1, 1, {100, 10, 20, 20})};
    const std::vector<coco::Detection> found{boxDetection(kImage, 1, 0.9, {12, 10, 20, 20})};
    const ImageContent content{kImage, &truth, &found};
    const auto instances = instancesAt(content, analyseImage(content, 0.5), 0.5, {});
    QCOMPARE(instances.size(), std::size_t{2});
    QCOMPARE(instances[0].verdict, Verdict::Missed);  // worst first
    QCOMPARE(instances[0].error, InstanceError::Missed);
    QCOMPARE(instances[0].annotation, 1);
    QVERIFY(std::isnan(instances[0].score));
    QCOMPARE(instances[1].verdict, Verdict::TruePositive);
    QCOMPARE(instances[1].annotation, 0);
    QCOMPARE(instances[1].iou, 360.0 / 440.0);
    QCOMPARE(instances[1].areaPx, 400.0);
  }

  void theKindOfAnErrorIsTold_data() {
    QTest::addColumn<qint64>("category");
    QTest::addColumn<double>("x");
    QTest::addColumn<int>("error");
    QTest::newRow("too far off") << qint64{1} << 20.0
                                 << static_cast<int>(InstanceError::Localisation);
    QTest::newRow("second on one object")
        << qint64{1} << 10.0 << static_cast<int>(InstanceError::Duplicate);
    QTest::newRow("an object of another class")
        << qint64{2} << 10.0 << static_cast<int>(InstanceError::WrongClass);
    QTest::newRow("on nothing") << qint64{1} << 150.0
                                << static_cast<int>(InstanceError::Background);
  }
  void theKindOfAnErrorIsTold() {
    QFETCH(qint64, category);
    QFETCH(double, x);
    QFETCH(int, error);
    const std::vector<coco::Annotation> truth{boxAnnotation(1, 1, 1, {10, 10, 20, 20})};
    const std::vector<coco::Detection> found{boxDetection(kImage, 1, 0.9, {10, 10, 20, 20}),
                                             boxDetection(kImage, category, 0.6, {x, 10, 20, 20})};
    const ImageContent content{kImage, &truth, &found};
    const InstanceFacts wrong =
        onlyFalsePositive(instancesAt(content, analyseImage(content, 0.5), 0, {}));
    QCOMPARE(wrong.detection, 1);
    QCOMPARE(static_cast<int>(wrong.error), error);
  }

  void aDetectionOnACrowdCountsNeitherWay() {
    std::vector<coco::Annotation> truth{boxAnnotation(1, 1, 1, {10, 10, 80, 80})};
    truth[0].isCrowd = true;
    const std::vector<coco::Detection> found{boxDetection(kImage, 1, 0.9, {20, 20, 20, 20})};
    const ImageContent content{kImage, &truth, &found};
    const ImageAnalysis analysis = analyseImage(content, 0.5);
    const auto instances = instancesAt(content, analysis, 0, {});
    QCOMPARE(instances.size(), std::size_t{1});
    QCOMPARE(instances[0].verdict, Verdict::Ignored);
    ClassTallies tallies;
    addToTallies(content, analysis, tallies);
    QCOMPARE(countsAt(tallies, 0, {}).errors(), 0);
    QCOMPARE(countsAt(tallies, 0, {}).truePositives, 0);
  }

  void boxesAreMatchedWhereThereAreNoMasks() {
    const std::vector<coco::Annotation> truth{boxAnnotation(1, 1, 1, {10, 10, 20, 20})};
    std::vector<coco::Detection> found{boxDetection(kImage, 1, 0.9, {12, 10, 20, 20})};
    found[0].mask = {};
    const ImageContent content{kImage, &truth, &found};
    const auto instances = instancesAt(content, analyseImage(content, 0.8), 0, {});
    QCOMPARE(instances[0].verdict, Verdict::TruePositive);
    QCOMPARE(instances[0].iou, 360.0 / 440.0);
  }

  /// What makes the score slider quick: one match at every score holds for all thresholds.
  void aHigherScoreThresholdShowsAPartOfTheSameMatch() {
    const std::vector<coco::Annotation> truth = randomTruth();
    const std::vector<coco::Detection> found = randomDetections(truth);
    const ImageContent content{kImage, &truth, &found};
    for (double iou : {0.3, 0.5, 0.75}) {
      const ImageAnalysis analysis = analyseImage(content, iou);
      for (double score : {0.0, 0.2, 0.5, 0.8, 1.0}) {
        const coco::ImageMatch match =
            coco::matchImage(kImage, truth, found, coco::IouType::Mask, score, iou);
        ScoreCounts expected;
        for (std::size_t d = 0; d < found.size(); ++d) {
          const int gt = match.gtOfDetection[d];
          if (gt >= 0 && !truth[static_cast<std::size_t>(gt)].isCrowd) ++expected.truePositives;
          if (gt == -1) ++expected.falsePositives;
        }
        for (int detection : match.detectionOfGt) expected.missed += detection == -1;
        ScoreCounts shown;
        for (const InstanceFacts& facts : instancesAt(content, analysis, score, {})) {
          shown.truePositives += facts.verdict == Verdict::TruePositive;
          shown.falsePositives += facts.verdict == Verdict::FalsePositive;
          shown.missed += facts.verdict == Verdict::Missed;
        }
        ClassTallies tallies;
        addToTallies(content, analysis, tallies);
        for (auto& [category, tally] : tallies) tally.sort();
        const ScoreCounts counted = countsAt(tallies, score, {});
        for (const ScoreCounts& counts : {shown, counted}) {
          QCOMPARE(counts.truePositives, expected.truePositives);
          QCOMPARE(counts.falsePositives, expected.falsePositives);
          QCOMPARE(counts.missed, expected.missed);
        }
      }
    }
  }

  void hiddenClassesAreNeitherShownNorCounted() {
    const std::vector<coco::Annotation> truth = randomTruth();
    const std::vector<coco::Detection> found = randomDetections(truth);
    const ImageContent content{kImage, &truth, &found};
    const std::set<CategoryId> hidden{CategoryId{2}};
    for (const InstanceFacts& facts : instancesAt(content, analyseImage(content, 0.5), 0, hidden)) {
      QVERIFY(facts.category != CategoryId{2});
    }
  }

  void instancesAreSortedWorstFirst() {
    const std::vector<coco::Annotation> truth = randomTruth();
    const std::vector<coco::Detection> found = randomDetections(truth);
    const ImageContent content{kImage, &truth, &found};
    const auto instances = instancesAt(content, analyseImage(content, 0.5), 0.1, {});
    for (std::size_t i = 1; i < instances.size(); ++i) {
      const bool wasRight = instances[i - 1].error == InstanceError::None;
      const bool isRight = instances[i].error == InstanceError::None;
      QVERIFY(isRight || !wasRight);
      if (wasRight == isRight) QVERIFY(instances[i - 1].iou <= instances[i].iou);
    }
  }

  void precisionAndRecallFollowTheScore() {
    ClassTallies tallies;
    tallies[CategoryId{1}] = {{0.9, 0.7, 0.3}, {0.8, 0.2}, 4};
    const std::vector<QPointF> points = precisionRecall(tallies, {});
    QCOMPARE(points.front(), QPointF(0.25, 1.0));       // only 0.9
    QCOMPARE(points.back(), QPointF(0.75, 3.0 / 5.0));  // everything
    for (std::size_t i = 1; i < points.size(); ++i) QVERIFY(points[i].x() >= points[i - 1].x());
  }

  void imagesAreFilteredAndSortedByTheirErrors() {
    std::vector<coco::Image> images;
    std::vector<coco::Annotation> truth;
    PredictionStore::ByImage predictions;
    for (std::int64_t i = 1; i <= 4; ++i) {
      images.push_back({ImageId{i}, std::to_string(i), 200, 100});
      truth.push_back(boxAnnotation(i, i, 1, {10, 10, 20, 20}));
    }
    const coco::Dataset dataset =
        coco::Dataset::fromParts(images, {{CategoryId{1}, "a"}}, truth, "made");
    const auto boxes = [&](std::size_t image, int wrong) {
      std::vector<coco::Detection> found{boxDetection(images[image], 1, 0.9, {10, 10, 20, 20})};
      for (int i = 0; i < wrong; ++i)
        found.push_back(boxDetection(images[image], 1, 0.8, {100, 40, 20, 20}));
      return std::make_shared<const std::vector<coco::Detection>>(found);
    };
    predictions[ImageId{1}] = boxes(0, 1);
    predictions[ImageId{2}] = boxes(1, 0);
    predictions[ImageId{4}] = boxes(3, 3);
    const auto analysis = analyseCheckpoint(dataset, 10, predictions, 0.5);
    QVERIFY2(analysis->failure.isEmpty(), qPrintable(analysis->failure));
    using Order = std::vector<std::size_t>;
    QCOMPARE(orderedImages(dataset, analysis.get(), {}), (Order{0, 1, 2, 3}));
    QCOMPARE(orderedImages(dataset, analysis.get(),
                           {ImageOrder::Filter::Predicted, ImageOrder::Sort::MostErrors, 0.5, {}}),
             (Order{3, 0, 1}));
    QCOMPARE(orderedImages(dataset, analysis.get(),
                           {ImageOrder::Filter::WithErrors, ImageOrder::Sort::File, 0.5, {}}),
             (Order{0, 3}));
    QCOMPARE(orderedImages(dataset, nullptr, {}), (Order{0, 1, 2, 3}));
  }
};

LOCKSTEP_TEST(TstInstanceMatch)
#include "tst_instance_match.moc"
