#include <QTest>
#include <thread>

#include "engine/base/counter_hash.h"
#include "engine/coco/analysis/operating_point.h"
#include "tests/support/test_main.h"
#include "tests/widgets_image_view/made_images.h"
#include "widgets/instances/checkpoint_analysis.h"
#include "widgets/instances/class_figures.h"
#include "widgets/instances/filtered_ap.h"

using namespace lockstep;
using namespace lockstep::widgets;
using tests::boxAnnotation;
using tests::boxDetection;

namespace {

constexpr int kImageCount = 100, kClasses = 4;

double uniform(std::uint64_t seed, std::uint64_t i, std::uint64_t what) {
  return base::counterUniform({seed, i, what});
}

std::array<double, 4> boxAt(std::uint64_t seed, std::uint64_t i) {
  return {std::floor(150 * uniform(seed, i, 0)), std::floor(60 * uniform(seed, i, 1)),
          10 + std::floor(30 * uniform(seed, i, 2)), 10 + std::floor(20 * uniform(seed, i, 3))};
}

PredictionStore::Detections shared(const std::vector<coco::Detection>& detections) {
  return std::make_shared<const std::vector<coco::Detection>>(detections);
}

/// Objects with detections beside them, many with the same score; some images have no predictions.
struct MadePredictions {
  explicit MadePredictions(std::uint64_t seed) {
    std::vector<coco::Image> images;
    std::vector<coco::Annotation> truth;
    std::int64_t id = 1;
    for (int i = 1; i <= kImageCount; ++i) {
      images.push_back({ImageId{i}, std::to_string(i), 200, 100});
      std::vector<coco::Detection> found;
      for (int k = 0; k < 8; ++k, ++id) {
        const auto number = static_cast<std::uint64_t>(id);
        const std::int64_t category = 1 + id % kClasses;
        std::array<double, 4> box = boxAt(seed, number);
        truth.push_back(boxAnnotation(id, i, category, box));
        truth.back().isCrowd = id % 23 == 0;
        box[0] += std::floor(8 * uniform(seed, number, 4));
        found.push_back(boxDetection(images.back(), id % 7 == 0 ? 1 : category,
                                     std::round(10 * uniform(seed, number, 5)) / 10, box));
      }
      if (i % 5 != 0) predictions[ImageId{i}] = shared(found);
    }
    std::vector<coco::Category> categories;
    for (int c = 1; c <= kClasses; ++c) categories.push_back({CategoryId{c}, std::to_string(c)});
    dataset = coco::Dataset::fromParts(images, categories, truth, "made");
  }

  coco::Dataset dataset;
  PredictionStore::ByImage predictions;
};

coco::ApFigures evaluated(const MadePredictions& made, double score,
                          const std::set<CategoryId>& hidden) {
  coco::Dataset left = made.dataset;
  left.keepImages(
      [&](std::size_t, const coco::Image& image) { return made.predictions.contains(image.id); });
  std::vector<coco::Category> categories = left.categories();
  std::erase_if(categories, [&](const auto& category) { return hidden.contains(category.id); });
  left.replaceCategories(categories, [&](std::vector<coco::Annotation>& annotations) {
    std::erase_if(annotations, [&](const auto& one) { return hidden.contains(one.categoryId); });
  });
  std::vector<coco::Detection> detections;
  for (const auto& [id, found] : made.predictions) {
    const auto own = found.read();
    for (const coco::Detection& detection : *own)
      if (detection.score >= score && !hidden.contains(detection.categoryId))
        detections.push_back(detection);
  }
  const coco::AveragePrecision all = coco::evaluate(left, detections, coco::IouType::Mask);
  return {all.stats[0], all.stats[1]};
}

}  // namespace

class TstCheckpointAnalysis : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void countsAreThoseOfCocoEval_data() {
    QTest::addColumn<int>("seed");
    for (int seed = 1; seed <= 20; ++seed) QTest::addRow("%d", seed) << seed;
  }
  /// coco::operatingPoint() on each image.
  void countsAreThoseOfCocoEval() {
    QFETCH(int, seed);
    const MadePredictions made(static_cast<std::uint64_t>(seed));
    OverlapCache cache;
    const auto overlaps = cache.at(10, made.dataset, made.predictions, {});
    std::vector<coco::Detection> all;
    for (const auto& [id, detections] : made.predictions)
      all.insert(all.end(), detections.read()->begin(), detections.read()->end());
    coco::Dataset predicted = made.dataset;
    predicted.keepImages(
        [&](std::size_t, const coco::Image& image) { return made.predictions.contains(image.id); });
    const coco::OverlapSet set(predicted, all, coco::IouType::Mask);
    for (const double iou : {0.3, 0.5, 0.75}) {
      const auto analysis = analyseCheckpoint(overlaps, iou);
      QCOMPARE(analysis->imageCount(), std::size_t{kImageCount * 4 / 5});
      for (const double score : {0.0, 0.3, 0.5, 0.9}) {
        const coco::OperatingPoint point = coco::operatingPoint(set, score, iou);
        QCOMPARE(countsAt(analysis->all, score, {}), point.all);
        coco::Counts sum;
        std::size_t at = 0;
        for (const coco::Image& image : predicted.images()) {
          const auto own = analysis->countsOf(image.id, score, {});
          QCOMPARE(own, std::optional(point.images.at(at++)));
          sum += *own;
        }
        QCOMPARE(sum, point.all);
      }
    }
    QVERIFY(!analyseCheckpoint(overlaps, 0.5)->countsOf(ImageId{5}, 0, {}));
  }

  /// coco::evaluate() of the detections and classes that are left.
  void averagePrecisionIsThatOfCocoEval() {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const MadePredictions made(seed);
      OverlapCache cache;
      const FilteredAp ap(cache.at(10, made.dataset, made.predictions, {}));
      for (const double score : {0.0, 0.45, 0.7}) {
        for (const std::set<CategoryId>& hidden :
             {std::set<CategoryId>{}, {CategoryId{2}}, {CategoryId{1}, CategoryId{4}}}) {
          const coco::ApFigures expected = evaluated(made, score, hidden);
          QCOMPARE(ap.at(score, hidden).ap, expected.ap);
          QCOMPARE(ap.at(score, hidden).ap50, expected.ap50);
          const coco::ApUncertainty interval = ap.withInterval(score, hidden);
          QCOMPARE(interval.figures.ap, expected.ap);
          QVERIFY(interval.ap.low < expected.ap && expected.ap < interval.ap.high);
        }
      }
    }
  }

  void figuresOfAClassAreThoseOfCocoEval() {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const MadePredictions made(seed);
      OverlapCache cache;
      const auto analysis =
          analyseCheckpoint(cache.at(10, made.dataset, made.predictions, {}), 0.5);
      for (const double score : {0.0, 0.45, 0.7}) {
        const std::vector<ClassFigures> figures = classFiguresOf(*analysis, score);
        QCOMPARE(figures.size(), std::size_t{kClasses});
        for (const ClassFigures& one : figures) {
          std::set<CategoryId> others;
          for (const coco::Category& category : made.dataset.categories())
            if (category.id != one.category) others.insert(category.id);
          QCOMPARE(one.ap, evaluated(made, score, others).ap50);
          QCOMPARE(one.counts, countsAt(analysis->all, score, others));
          std::size_t images = 0, objects = 0;
          for (std::size_t i = 0; i < made.dataset.images().size(); ++i) {
            if (!made.predictions.contains(made.dataset.images()[i].id)) continue;
            const auto own = std::ranges::count_if(
                made.dataset.annotationsOf(i), [&](const coco::Annotation& object) {
                  return !object.isCrowd && object.categoryId == one.category;
                });
            images += own > 0;
            objects += static_cast<std::size_t>(own);
          }
          QCOMPARE(one.images, images);
          QCOMPARE(one.objects, objects);
        }
      }
    }
  }

  void withoutATruthNothingIsCounted() {
    const MadePredictions made(1);
    OverlapCache cache;
    MatchRules rules;
    rules.hasTruth = false;
    const auto analysis =
        analyseCheckpoint(cache.at(10, made.dataset, made.predictions, rules), 0.5);
    QCOMPARE(countsAt(analysis->all, 0, {}).falsePositives, std::uint64_t{0});
  }

  void withoutObjectsThereIsNoAveragePrecision() {
    const MadePredictions made(1);
    OverlapCache cache;
    const FilteredAp ap(cache.at(10, made.dataset, made.predictions, {}));
    std::set<CategoryId> all;
    for (const coco::Category& category : made.dataset.categories()) all.insert(category.id);
    QCOMPARE(ap.at(0, all).ap, -1.0);
    QCOMPARE(FilteredAp(cache.at(20, made.dataset, {}, {})).at(0, {}).ap, -1.0);
  }

  void hiddenClassesAreNotCounted() {
    const MadePredictions made(3);
    OverlapCache cache;
    const auto analysis = analyseCheckpoint(cache.at(10, made.dataset, made.predictions, {}), 0.5);
    const std::set<CategoryId> hidden{CategoryId{1}, CategoryId{3}};
    coco::Counts sum;
    for (const auto& [id, detections] : made.predictions)
      sum += analysis->countsOf(id, 0.2, hidden).value();
    QCOMPARE(sum, countsAt(analysis->all, 0.2, hidden));
    QVERIFY(sum != countsAt(analysis->all, 0.2, {}));
  }

  void onlyChangedImagesAreMatchedAnew() {
    MadePredictions made(4);
    OverlapCache cache;
    const auto before = cache.at(10, made.dataset, made.predictions, {});
    QCOMPARE(cache.at(10, made.dataset, made.predictions, {}), before);
    made.predictions[ImageId{2}] = shared({});
    const auto after = cache.at(10, made.dataset, made.predictions, {});
    QVERIFY(after != before);
    for (const auto& [id, detections] : made.predictions) {
      const bool isSame = after->find(id)->overlaps == before->find(id)->overlaps;
      QCOMPARE(isSame, id != ImageId{2});
    }
    QVERIFY(after->find(ImageId{2})->overlaps->detections.empty());
  }

  void theLongestUnusedCheckpointIsDropped() {
    const MadePredictions made(5);
    OverlapCache cache(1);  // room for one
    const auto first = cache.at(10, made.dataset, made.predictions, {});
    const auto second = cache.at(20, made.dataset, made.predictions, {});
    QCOMPARE(cache.at(20, made.dataset, made.predictions, {}), second);
    QVERIFY(cache.at(10, made.dataset, made.predictions, {}) != first);
    OverlapCache large;
    const auto kept = large.at(10, made.dataset, made.predictions, {});
    large.at(20, made.dataset, made.predictions, {});
    QCOMPARE(large.at(10, made.dataset, made.predictions, {}), kept);
  }

  void anImageThatCannotBeMatchedIsNamedAndNotCounted() {
    MadePredictions made(6);
    coco::Detection wrong = boxDetection({ImageId{1}, "1", 64, 48}, 1, 0.9, {1, 1, 8, 8});
    made.predictions[ImageId{1}] = shared({wrong});
    OverlapCache cache;
    const auto analysis = analyseCheckpoint(cache.at(10, made.dataset, made.predictions, {}), 0.5);
    QVERIFY2(analysis->failure.startsWith(QLatin1String("1: ")), qPrintable(analysis->failure));
    QVERIFY(!analysis->countsOf(ImageId{1}, 0, {}));
    QCOMPARE(analysis->imageCount(), std::size_t{kImageCount * 4 / 5 - 1});
  }

  /// As coco-eval, which leaves them out.
  void classesThatAreNotInTheDatasetAreNotJudged() {
    const MadePredictions made(8);
    MadePredictions with(8);
    std::size_t added = 0;
    for (auto& [id, detections] : with.predictions) {
      std::vector<coco::Detection> own = *detections.read();
      own.insert(own.begin(), own.front());
      own.front().categoryId = CategoryId{kClasses + 5};
      own.front().score = 1;
      detections = shared(own);
      ++added;
    }
    OverlapCache cache;
    const auto ours = analyseCheckpoint(cache.at(10, with.dataset, with.predictions, {}), 0.5);
    const auto expected = analyseCheckpoint(cache.at(20, made.dataset, made.predictions, {}), 0.5);
    QCOMPARE(ours->overlaps->unlisted, added);
    QCOMPARE(expected->overlaps->unlisted, std::size_t{0});
    QCOMPARE(ours->overlaps->pastLimit, expected->overlaps->pastLimit);
    coco::Counts ofClasses;
    for (const ClassFigures& one : classFiguresOf(*ours, 0.2)) ofClasses += one.counts;
    QCOMPARE(ofClasses, countsAt(expected->all, 0.2, {}));
    QCOMPARE(countsAt(ours->all, 0.2, {}), countsAt(expected->all, 0.2, {}));
    QCOMPARE(ours->countsOf(ImageId{1}, 0, {}), expected->countsOf(ImageId{1}, 0, {}));
    const auto own = with.predictions.at(ImageId{1}).read();
    const ImageContent content = contentOf(with.dataset, 0, *own, {});
    for (const InstanceFacts& facts : instancesAt(content, overlapsOf(content), {0, 0.5}, {}))
      if (facts.detection == 0) QCOMPARE(facts.verdict, Verdict::Ignored);
  }

  void resultsWithoutMasksAreJudgedByTheirBoxes() {
    MadePredictions made(9);
    PredictionStore store;
    std::vector<coco::Detection> boxes, all;
    for (const auto& [id, detections] : made.predictions)
      for (coco::Detection one : *detections.read()) {
        all.push_back(one);
        one.mask = {};
        boxes.push_back(one);
      }
    store.add(10, all, {});
    store.add(20, boxes, {});
    all.back().mask = {};
    store.add(30, all, {});
    const MatchRules ofMasks;
    const auto typeAt = [&](qint64 step) { return ofMasks.forResults(store.haveMasks(step)).type; };
    QVERIFY(typeAt(10) == coco::IouType::Mask);
    QVERIFY(typeAt(20) == coco::IouType::Box);
    QVERIFY(typeAt(30) == coco::IouType::Box);
    QVERIFY(MatchRules{coco::IouType::Box}.forResults(true).type == coco::IouType::Box);
    store.add(30, {all.begin(), all.end() - 1}, {all.back().imageId});
    QVERIFY(typeAt(30) == coco::IouType::Mask);  // what had none was replaced
  }

  /// One computes, and those who want the same wait for it alone.
  void oneCheckpointIsComputedOnceForAllWhoAskAtATime() {
    const MadePredictions made(4);
    OverlapCache cache;
    std::vector<std::shared_ptr<const CheckpointOverlaps>> found(16);
    {
      std::vector<std::jthread> askers;
      for (std::size_t i = 0; i < found.size(); ++i)
        askers.emplace_back([&, i] {
          found[i] = cache.at(i % 2 == 0 ? 10 : 20, made.dataset, made.predictions, {});
        });
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      QCOMPARE(found[i], found[i % 2]);
      QCOMPARE(found[i]->step, qint64{i % 2 == 0 ? 10 : 20});
    }
  }

  void otherRulesAreComputedAnew() {
    const MadePredictions made(4);
    OverlapCache cache;
    const auto ofMasks = cache.at(10, made.dataset, made.predictions, {});
    const auto ofBoxes = cache.at(10, made.dataset, made.predictions, {.type = coco::IouType::Box});
    QVERIFY(ofBoxes != ofMasks);
    QVERIFY(ofBoxes->find(ImageId{1})->overlaps != ofMasks->find(ImageId{1})->overlaps);
  }

  void predictionsOfOtherImagesAreLeftOut() {
    MadePredictions made(7);
    OverlapCache cache;
    const auto own = analyseCheckpoint(cache.at(10, made.dataset, made.predictions, {}), 0.5);
    made.predictions[ImageId{4711}] = made.predictions[ImageId{1}];
    const auto with = analyseCheckpoint(cache.at(10, made.dataset, made.predictions, {}), 0.5);
    QCOMPARE(countsAt(with->all, 0, {}), countsAt(own->all, 0, {}));
    QCOMPARE(cache.at(10, made.dataset, made.predictions, {}), with->overlaps);
  }
};

LOCKSTEP_TEST(TstCheckpointAnalysis)
#include "tst_checkpoint_analysis.moc"
