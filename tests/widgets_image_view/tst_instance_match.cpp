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
using tests::kWideImage;

namespace {

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
    detections.push_back(boxDetection(kWideImage, near.categoryId.value, at(2), box));
  }
  return detections;
}

InstanceFacts onlyFalsePositive(const std::vector<InstanceFacts>& instances) {
  for (const InstanceFacts& facts : instances) {
    if (facts.verdict == Verdict::FalsePositive) return facts;
  }
  return {};
}

/// Of kWideImage.
std::shared_ptr<const CheckpointAnalysis> analysed(const std::vector<coco::Annotation>& truth,
                                                   const std::vector<coco::Detection>& found,
                                                   double iou) {
  const auto dataset = coco::Dataset::fromParts(
      {kWideImage}, {{CategoryId{1}, "a"}, {CategoryId{2}, "b"}, {CategoryId{3}, "c"}}, truth,
      "made");
  const PredictionStore::ByImage predictions{
      {kWideImage.id, std::make_shared<const std::vector<coco::Detection>>(found)}};
  return analyseCheckpoint(OverlapCache().at(10, dataset, predictions, {}), iou);
}

/// With only the detections at or above the score.
coco::Counts countsMatchedAt(const coco::ImageOverlaps& overlaps,
                             const MatchThresholds& thresholds) {
  coco::InstanceMatcher matcher;
  const coco::InstanceMatches& matches = matcher.match(overlaps, thresholds.iou, thresholds.score);
  coco::Counts counts;
  for (const coco::DetectionMatch& match : matches.detections) {
    counts.truePositives += match.verdict == coco::MatchVerdict::TruePositive;
    counts.falsePositives += match.verdict == coco::MatchVerdict::FalsePositive;
  }
  for (const std::int32_t found : matches.detectionOfAnnotation)
    counts.falseNegatives += found == coco::kMissed;
  return counts;
}

}  // namespace

class TstInstanceMatch : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aDetectionNamesTheObjectThatItOverlapsMost() {
    const std::vector<coco::Annotation> truth{boxAnnotation(1, 1, 1, {10, 10, 20, 20}),
                                              boxAnnotation(2, 1, 2, {100, 10, 20, 20})};
    const std::vector<coco::Detection> found{boxDetection(kWideImage, 1, 0.9, {10, 10, 20, 20}),
                                             boxDetection(kWideImage, 1, 0.8, {100, 10, 20, 10}),
                                             boxDetection(kWideImage, 1, 0.7, {60, 60, 10, 10})};
    const ImageContent content{kWideImage, &truth, &found};
    const auto instances = instancesAt(content, overlapsOf(content), {0.5, 0.5}, {});
    const int objects[] = {0, 1, -1};  // matched; of another class; none
    const double ious[] = {1, 0.5, 0};
    int seen = 0;
    for (const InstanceFacts& facts : instances) {
      if (facts.detection < 0) continue;
      ++seen;
      QCOMPARE(facts.object, objects[facts.detection]);
      QCOMPARE(facts.objectIou, ious[facts.detection]);
    }
    QCOMPARE(seen, 3);
  }

  void matchesErrorsAndMissedObjectsAreListed() {
    const std::vector<coco::Annotation> truth{boxAnnotation(1, 1, 1, {10, 10, 20, 20}),
                                              boxAnnotation(2, 1, 1, {100, 10, 20, 20})};
    const std::vector<coco::Detection> found{boxDetection(kWideImage, 1, 0.9, {12, 10, 20, 20})};
    const ImageContent content{kWideImage, &truth, &found};
    const auto instances = instancesAt(content, overlapsOf(content), {0.5, 0.5}, {});
    QCOMPARE(instances.size(), std::size_t{2});
    QCOMPARE(instances[0].verdict, Verdict::Missed);  // worst first
    QVERIFY(instances[0].isError());
    QCOMPARE(errorName(instances[0]), QStringLiteral("missed"));
    QCOMPARE(instances[0].annotation, 1);
    QVERIFY(std::isnan(instances[0].score));
    QCOMPARE(instances[1].verdict, Verdict::TruePositive);
    QCOMPARE(instances[1].annotation, 0);
    QCOMPARE(instances[1].iou, 360.0 / 440.0);
    QCOMPARE(instances[1].areaPx, 400.0);
  }

  void theTypeOfAnErrorIsNamed_data() {
    QTest::addColumn<qint64>("category");
    QTest::addColumn<double>("x");
    QTest::addColumn<QString>("error");
    QTest::newRow("too far off") << qint64{1} << 20.0 << QStringLiteral("localisation");
    QTest::newRow("second on one object") << qint64{1} << 10.0 << QStringLiteral("duplicate");
    QTest::newRow("an object of another class")
        << qint64{2} << 10.0 << QStringLiteral("classification");
    QTest::newRow("badly placed on another class")
        << qint64{2} << 20.0 << QStringLiteral("class and localisation");
    QTest::newRow("on nothing") << qint64{1} << 150.0 << QStringLiteral("background");
  }
  void theTypeOfAnErrorIsNamed() {
    QFETCH(qint64, category);
    QFETCH(double, x);
    QFETCH(QString, error);
    const std::vector<coco::Annotation> truth{boxAnnotation(1, 1, 1, {10, 10, 20, 20})};
    const std::vector<coco::Detection> found{
        boxDetection(kWideImage, 1, 0.9, {10, 10, 20, 20}),
        boxDetection(kWideImage, category, 0.6, {x, 10, 20, 20})};
    const ImageContent content{kWideImage, &truth, &found};
    const InstanceFacts wrong =
        onlyFalsePositive(instancesAt(content, overlapsOf(content), {0, 0.5}, {}));
    QCOMPARE(wrong.detection, 1);
    QCOMPARE(errorName(wrong), error);
  }

  void aDetectionOnACrowdIsNotCounted() {
    std::vector<coco::Annotation> truth{boxAnnotation(1, 1, 1, {10, 10, 80, 80})};
    truth[0].isCrowd = true;
    const std::vector<coco::Detection> found{boxDetection(kWideImage, 1, 0.9, {20, 20, 20, 20})};
    const ImageContent content{kWideImage, &truth, &found};
    const coco::ImageOverlaps overlaps = overlapsOf(content);
    const auto instances = instancesAt(content, overlaps, {0, 0.5}, {});
    QCOMPARE(instances.size(), std::size_t{1});
    QCOMPARE(instances[0].verdict, Verdict::Ignored);
    QCOMPARE(countsAt(analysed(truth, found, 0.5)->all, 0, {}), coco::Counts());
  }

  void boxesAreMatchedWithoutMasks() {
    const std::vector<coco::Annotation> truth{boxAnnotation(1, 1, 1, {10, 10, 20, 20})};
    std::vector<coco::Detection> found{boxDetection(kWideImage, 1, 0.9, {12, 10, 20, 20})};
    found[0].mask = {};
    const ImageContent content{kWideImage, &truth, &found, {coco::IouType::Box}};
    const auto instances = instancesAt(content, overlapsOf(content), {0, 0.8}, {});
    QCOMPARE(instances[0].verdict, Verdict::TruePositive);
    QCOMPARE(instances[0].iou, 360.0 / 440.0);
  }

  void aDetectorOfBoxesThatFindsNothingMissesAllObjects() {
    std::vector<coco::Annotation> truth{boxAnnotation(1, 1, 1, {10, 10, 20, 20}),
                                        boxAnnotation(2, 1, 1, {100, 10, 20, 20})};
    for (coco::Annotation& object : truth) object.hasMask = false;
    const std::vector<coco::Detection> none;
    const ImageContent content{kWideImage, &truth, &none, {coco::IouType::Box}};
    QCOMPARE(countsMatchedAt(overlapsOf(content), {0, 0.5}), (coco::Counts{0, 0, 2}));
    QCOMPARE(instancesAt(content, overlapsOf(content), {0, 0.5}, {}).size(), std::size_t{2});
  }

  /// The matches of all detections are valid at every score threshold, which makes the slider fast.
  void aHigherScoreThresholdShowsASubsetOfTheSameMatch() {
    const std::vector<coco::Annotation> truth = randomTruth();
    const std::vector<coco::Detection> found = randomDetections(truth);
    const ImageContent content{kWideImage, &truth, &found};
    const coco::ImageOverlaps overlaps = overlapsOf(content);
    for (double iou : {0.3, 0.5, 0.75}) {
      const auto analysis = analysed(truth, found, iou);
      for (double score : {0.0, 0.2, 0.5, 0.8, 1.0}) {
        const coco::Counts expected = countsMatchedAt(overlaps, {score, iou});
        coco::Counts shown;
        for (const InstanceFacts& facts : instancesAt(content, overlaps, {score, iou}, {})) {
          shown.truePositives += facts.verdict == Verdict::TruePositive;
          shown.falsePositives += facts.verdict == Verdict::FalsePositive;
          shown.falseNegatives += facts.verdict == Verdict::Missed;
        }
        QCOMPARE(shown, expected);
        QCOMPARE(countsAt(analysis->all, score, {}), expected);
        QCOMPARE(analysis->countsOf(kWideImage.id, score, {}), std::optional(expected));
      }
    }
  }

  void hiddenClassesAreNeitherShownNorCounted() {
    const std::vector<coco::Annotation> truth = randomTruth();
    const std::vector<coco::Detection> found = randomDetections(truth);
    const ImageContent content{kWideImage, &truth, &found};
    const std::set<CategoryId> hidden{CategoryId{2}};
    for (const InstanceFacts& facts : instancesAt(content, overlapsOf(content), {0, 0.5}, hidden)) {
      QVERIFY(facts.category != CategoryId{2});
    }
  }

  void instancesAreSortedWorstFirst() {
    const std::vector<coco::Annotation> truth = randomTruth();
    const std::vector<coco::Detection> found = randomDetections(truth);
    const ImageContent content{kWideImage, &truth, &found};
    const auto instances = instancesAt(content, overlapsOf(content), {0.1, 0.5}, {});
    for (std::size_t i = 1; i < instances.size(); ++i) {
      const bool wasRight = !instances[i - 1].isError(), isRight = !instances[i].isError();
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
    const auto analysis = analyseCheckpoint(OverlapCache().at(10, dataset, predictions, {}), 0.5);
    QVERIFY2(analysis->failure.isEmpty(), qPrintable(analysis->failure));
    using Order = std::vector<std::size_t>;
    QCOMPARE(orderedImages(dataset, analysis.get(), {}), (Order{0, 1, 2, 3}));
    QCOMPARE(orderedImages(dataset, analysis.get(),
                           {ImageOrder::Filter::Predicted, ImageOrder::Sort::MostErrors, 0.5, {}}),
             (Order{3, 0, 1}));
    QCOMPARE(orderedImages(dataset, analysis.get(),
                           {ImageOrder::Filter::WithErrors, ImageOrder::Sort::Dataset, 0.5, {}}),
             (Order{0, 3}));
    const auto sorted = [&](ImageOrder::Sort sort) {
      return orderedImages(dataset, analysis.get(), {ImageOrder::Filter::All, sort, 0.5, {}});
    };
    QCOMPARE(sorted(ImageOrder::Sort::MostFalsePositives), (Order{3, 0, 1, 2}));
    QCOMPARE(sorted(ImageOrder::Sort::MostMissed), (Order{0, 1, 3, 2}));  // image 2: not predicted
    QCOMPARE(sorted(ImageOrder::Sort::Name), (Order{0, 1, 2, 3}));
    QCOMPARE(orderedImages(dataset, nullptr, {}), (Order{0, 1, 2, 3}));
  }

  /// Image 1: an object that is found exactly; image 2: one found with IoU 0.75; image 3: a
  /// missed large one and a false positive far from it; image 4: a small one, not predicted.
  void imagesAreChosenByWhatIsOnThem() {
    std::vector<coco::Image> images;
    for (std::int64_t id = 1; id <= 4; ++id)
      images.push_back({ImageId{id}, std::to_string(id) + ".png", 400, 400});
    const auto object = [](std::int64_t id, std::int64_t category, double sidePx) {
      coco::Annotation annotation;
      annotation.id = id;
      annotation.imageId = ImageId{id};
      annotation.categoryId = CategoryId{category};
      annotation.boxXywh = {10, 10, sidePx, sidePx};
      annotation.area = sidePx * sidePx;
      return annotation;
    };
    const coco::Dataset dataset = coco::Dataset::fromParts(
        images, {{CategoryId{1}, "a"}, {CategoryId{2}, "b"}},
        {object(1, 1, 40), object(2, 2, 40), object(3, 1, 200), object(4, 2, 20)}, "made");
    const auto found = [&](std::size_t image, int category, std::array<double, 4> box) {
      return std::make_shared<const std::vector<coco::Detection>>(
          std::vector<coco::Detection>{boxDetection(images[image], category, 0.9, box)});
    };
    PredictionStore::ByImage predictions;
    predictions[ImageId{1}] = found(0, 1, {10, 10, 40, 40});
    predictions[ImageId{2}] = found(1, 2, {10, 10, 40, 30});  // IoU 0.75
    predictions[ImageId{3}] = found(2, 1, {300, 300, 20, 20});
    const auto analysis = analyseCheckpoint(
        OverlapCache().at(10, dataset, predictions, {.type = coco::IouType::Box}), 0.5);
    const auto chosen = [&](const ImageOrder& order) {
      return orderedImages(dataset, analysis.get(), order);
    };
    using Order = std::vector<std::size_t>;
    QCOMPARE(chosen({.category = CategoryId{2}}), (Order{1, 3}));
    QCOMPARE(chosen({.size = coco::ObjectSize::Large}), (Order{2}));
    QCOMPARE(chosen({.size = coco::ObjectSize::Small}), (Order{2, 3}));  // a detection, an object
    using Filter = ImageOrder::Filter;
    QCOMPARE(chosen({.filter = Filter::WithErrors, .error = coco::ErrorType::Missed}), (Order{2}));
    QCOMPARE(chosen({.filter = Filter::WithErrors, .error = coco::ErrorType::Background}),
             (Order{2}));
    QCOMPARE(chosen({.filter = Filter::WithErrors, .error = coco::ErrorType::Duplicate}), Order());
    QCOMPARE(chosen({.filter = Filter::WithErrors,
                     .error = coco::ErrorType::Missed,
                     .size = coco::ObjectSize::Small}),
             Order());
    QCOMPARE(chosen({.filter = Filter::WithErrors, .category = CategoryId{2}}), Order());
    QCOMPARE(chosen({.hidden = {CategoryId{1}}, .category = CategoryId{1}}), Order());
    QCOMPARE(chosen({.sort = ImageOrder::Sort::LowestIou}), (Order{2, 1, 0, 3}));
  }

  /// Image 1: an object that a detection of IoU 1/3 stands for; image 2: one without a detection.
  void falseNegativesAreMoreThanTheMissed() {
    const std::vector<coco::Image> images{{ImageId{1}, "1.png", 200, 100},
                                          {ImageId{2}, "2.png", 200, 100}};
    const coco::Dataset dataset = coco::Dataset::fromParts(
        images, {{CategoryId{1}, "a"}},
        {boxAnnotation(1, 1, 1, {10, 10, 20, 20}), boxAnnotation(2, 2, 1, {10, 10, 20, 20})},
        "made");
    using Found = std::vector<coco::Detection>;
    const Found near{boxDetection(images[0], 1, 0.9, {20, 10, 20, 20})};
    PredictionStore::ByImage predictions;
    predictions[ImageId{1}] = std::make_shared<const Found>(near);
    predictions[ImageId{2}] = std::make_shared<const Found>();
    const auto analysis = analyseCheckpoint(OverlapCache().at(10, dataset, predictions, {}), 0.5);
    QVERIFY2(analysis->failure.isEmpty(), qPrintable(analysis->failure));
    const auto chosen = [&](const ImageOrder& order) {
      return orderedImages(dataset, analysis.get(), order);
    };
    using Order = std::vector<std::size_t>;
    using Filter = ImageOrder::Filter;
    const ImageOrder missed{.filter = Filter::WithErrors, .error = coco::ErrorType::Missed};
    QCOMPARE(chosen({.filter = Filter::WithFalseNegatives}), (Order{0, 1}));
    QCOMPARE(chosen({.filter = Filter::WithFalseNegatives, .category = CategoryId{1}}),
             (Order{0, 1}));
    QCOMPARE(chosen(missed), (Order{1}));
    const ErrorFigures figures = errorFiguresOf(dataset, *analysis, missed);
    QCOMPARE(figures.counts[static_cast<std::size_t>(coco::ErrorType::Missed)], std::size_t{1});
    QCOMPARE(figures.asked[0]->falseNegatives, std::uint64_t{0});
    for (const InstanceFacts& facts :
         instancesAt(contentOf(dataset, 0, near, {}), overlapsOf(contentOf(dataset, 0, near, {})),
                     {0.5, 0.5}, {}))
      QCOMPARE(missed.asksFor(facts), false);
  }
};

LOCKSTEP_TEST(TstInstanceMatch)
#include "tst_instance_match.moc"
