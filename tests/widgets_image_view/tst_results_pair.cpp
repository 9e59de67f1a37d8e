#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <functional>

#include "engine/coco/evaluation/image_matches.h"
#include "engine/coco/files/results_file.h"
#include "tests/support/test_main.h"
#include "tests/widgets_image_view/made_pairs.h"
#include "widgets/instances/results_pair.h"

using namespace lockstep;
using namespace lockstep::widgets;

using TruthChange = std::function<void(std::vector<coco::Annotation>&)>;
Q_DECLARE_METATYPE(TruthChange)

class TstResultsPair : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void figuresAreThoseOfResultsFilesOfTheCommonImages_data() {
    QTest::addColumn<int>("seed");
    QTest::addColumn<int>("most");
    for (int seed = 1; seed <= 5; ++seed)
      for (const int most : {3, 100}) QTest::addRow("seed %d, %d", seed, most) << seed << most;
  }
  /// As coco-eval computes them.
  void figuresAreThoseOfResultsFilesOfTheCommonImages() {
    QFETCH(int, seed);
    QFETCH(int, most);
    const tests::MadePairs made(static_cast<std::uint64_t>(seed));
    const std::array<std::size_t, 3> limits{1, 2, static_cast<std::size_t>(most)};
    const MatchRules rules{coco::IouType::Box, limits};
    const ResultsPair pair = compareResults(made.dataset, made.first, made.second, rules);
    coco::Dataset common = made.dataset;
    common.keepImages([&](std::size_t, const coco::Image& image) {
      return made.first.contains(image.id) && made.second.contains(image.id);
    });
    QCOMPARE(pair.imageCount, common.images().size());
    const QTemporaryDir folder;
    coco::Params params;
    params.maxDetections = limits;
    const auto evaluated = [&](const char* name, const PredictionStore::ByImage& predictions) {
      const std::string file =
          tests::writeResults(folder.filePath(QLatin1String(name)), predictions, common);
      return coco::matchResults(common, coco::ResultsFile::load(file, common), rules.type, params);
    };
    const auto first = evaluated("a.json", made.first), second = evaluated("b.json", made.second);
    const auto& classes = common.categories();
    const auto same = [](const coco::AveragePrecision& ours, const coco::AveragePrecision& theirs) {
      return ours.names == theirs.names && ours.stats == theirs.stats &&
             std::ranges::equal(ours.classes, theirs.classes, [](const auto& a, const auto& b) {
               return a.category == b.category && a.ap == b.ap && a.ap50 == b.ap50;
             });
    };
    QVERIFY(same(pair.first, coco::accumulate(first, classes, params)));
    QVERIFY(same(pair.second, coco::accumulate(second, classes, params)));
    const coco::ApComparison ap = coco::compareAp(coco::WeightedAp(first, classes, params),
                                                  coco::WeightedAp(second, classes, params));
    QCOMPARE(pair.ap.difference, ap.difference);
    QCOMPARE(pair.ap.pValue, ap.pValue);
    QCOMPARE(pair.ap.interval.low, ap.interval.low);
    QVERIFY(pair.ap.difference != 0);
  }

  void whyDatasetsCannotBeComparedIsSaid() {
    const tests::MadePairs made(1), other(1);
    QVERIFY(datasetDifference(made.dataset, other.dataset).isEmpty());
    coco::Dataset fewer = made.dataset;
    fewer.keepImages([](std::size_t index, const coco::Image&) { return index > 0; });
    QVERIFY(datasetDifference(made.dataset, fewer).contains(QLatin1String("images")));
    coco::Dataset renamed = made.dataset;
    auto categories = renamed.categories();
    categories.front().name = "renamed";
    renamed.replaceCategories(categories, [](std::vector<coco::Annotation>&) {});
    QVERIFY(datasetDifference(made.dataset, renamed).contains(QLatin1String("classes")));
  }

  void relabelledObjectsAreNoticed_data() {
    QTest::addColumn<TruthChange>("change");
    QTest::newRow("another box") << TruthChange(
        [](auto& objects) { objects[1].boxXywh[2] += 0.5; });
    QTest::newRow("another class") << TruthChange(
        [](auto& objects) { objects[1].categoryId.value = 1 + objects[1].categoryId.value % 3; });
    QTest::newRow("a crowd") << TruthChange(
        [](auto& objects) { objects[1].isCrowd = !objects[1].isCrowd; });
    QTest::newRow("another id") << TruthChange([](auto& objects) { objects[1].id = 1000000; });
  }
  /// Of as many objects as before.
  void relabelledObjectsAreNoticed() {
    QFETCH(TruthChange, change);
    const tests::MadePairs made(1);
    std::string name;
    coco::Dataset other = made.dataset;
    other.replaceCategories(other.categories(), [&](std::vector<coco::Annotation>& objects) {
      if (!name.empty() || objects.size() < 2) return;
      name = made.dataset.images()[made.dataset.imageIndex(objects[0].imageId)].fileName;
      change(objects);
    });
    QVERIFY(!name.empty());
    QCOMPARE(other.annotationCount(), made.dataset.annotationCount());
    const QString difference = datasetDifference(made.dataset, other);
    QVERIFY2(difference.contains(QLatin1String("objects")) &&
                 difference.contains(QString::fromStdString(name)),
             qPrintable(difference));
  }

  void anotherOrderIsTheSameSet() {
    const tests::MadePairs made(1);
    coco::Dataset other = made.dataset;
    other.replaceCategories(other.categories(), [](std::vector<coco::Annotation>& objects) {
      std::ranges::reverse(objects);
    });
    QVERIFY(other.annotationsOf(0).front().id != made.dataset.annotationsOf(0).front().id);
    QCOMPARE(datasetDifference(made.dataset, other), QString());
  }

  void rulesOfTwoAreTheSameInAnyOrder() {
    const MatchRules first{coco::IouType::Mask, {1, 10, 300}},
        second{coco::IouType::Box, {1, 50, 100}};
    const MatchRules common = commonRules(first, second);
    QVERIFY(common == commonRules(second, first));
    QVERIFY(common.type == coco::IouType::Box);
    QCOMPARE(common.maxDetections, (std::array<std::size_t, 3>{1, 50, 300}));
  }
};

LOCKSTEP_TEST(TstResultsPair)
#include "tst_results_pair.moc"
