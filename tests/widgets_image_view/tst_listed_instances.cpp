#include <QStringList>
#include <QTest>
#include <memory>
#include <vector>

#include "tests/support/test_main.h"
#include "tests/widgets_image_view/made_images.h"
#include "widgets/instances/checkpoint_analysis.h"
#include "widgets/instances/checkpoint_overlaps.h"
#include "widgets/instances/listed_instances.h"
#include "widgets/instances/prediction_store.h"

using namespace lockstep;
using namespace lockstep::widgets;
using tests::boxAnnotation;
using tests::boxDetection;

/// Which instances of a checkpoint are listed, and in which order.
class TstListedInstances : public QObject {
  Q_OBJECT

 private:
  const std::vector<coco::Image> images_{{ImageId{3}, "a.png", 200, 100},
                                         {ImageId{5}, "b.png", 200, 100},
                                         {ImageId{7}, "c.png", 200, 100}};

  /// Discs of 16 px (class 1), and a star of 40 px (class 2).
  std::vector<coco::Annotation> objects() const {
    return {boxAnnotation(1, 3, 1, {4, 4, 16, 16}), boxAnnotation(2, 3, 2, {60, 20, 40, 40}),
            boxAnnotation(3, 3, 1, {120, 60, 16, 16}), boxAnnotation(4, 5, 1, {4, 4, 16, 16}),
            boxAnnotation(5, 7, 1, {4, 4, 16, 16})};
  }
  /// The last image is not predicted.
  PredictionStore::ByImage predictions() const {
    const std::vector<coco::Detection> ofFirst{boxDetection(images_[0], 2, 0.6, {60, 20, 40, 40}),
                                               boxDetection(images_[0], 1, 0.9, {4, 4, 16, 16}),
                                               boxDetection(images_[0], 1, 0.7, {160, 4, 16, 16}),
                                               boxDetection(images_[0], 2, 0.8, {4, 70, 16, 16})};
    PredictionStore::ByImage all;
    all[ImageId{3}] = std::make_shared<const std::vector<coco::Detection>>(ofFirst);
    all[ImageId{5}] = std::make_shared<const std::vector<coco::Detection>>();
    return all;
  }
  /// Place of the image, verdict, class, and index of the detection or the object.
  QStringList listed(const ImageOrder& order, bool hasTruth = true) const {
    const coco::Dataset dataset =
        coco::Dataset::fromParts(images_, {{CategoryId{1}, "disc"}, {CategoryId{2}, "star"}},
                                 hasTruth ? objects() : std::vector<coco::Annotation>(), "made");
    MatchRules rules;
    rules.hasTruth = hasTruth;
    OverlapCache cache;
    const auto analysis =
        analyseCheckpoint(cache.at(10, dataset, predictions(), rules), /*iouThreshold=*/0.5);
    QStringList all;
    for (const ListedInstance& one : listedInstances(dataset, *analysis, order, {1, 0, 2}))
      all << QStringLiteral("%1 %2 %3 %4%5")
                 .arg(one.image)
                 .arg(verdictAbbreviation(one.verdict))
                 .arg(one.category.value)
                 .arg(one.detection >= 0 ? QLatin1Char('d') : QLatin1Char('g'))
                 .arg(one.detection >= 0 ? one.detection : one.annotation);
    return all;
  }

 private Q_SLOTS:
  void ofEachImageMissedOnesComeFirstAndMatchesLast() {
    QCOMPARE(listed({}), (QStringList{QStringLiteral("1 FN 1 g0"), QStringLiteral("0 FN 1 g2"),
                                      QStringLiteral("0 FP 2 d3"), QStringLiteral("0 FP 1 d2"),
                                      QStringLiteral("0 TP 1 d1"), QStringLiteral("0 TP 2 d0")}));
  }

  void lowerScoresAreNotListedAndTheirObjectsAreMissed() {
    ImageOrder order;
    order.scoreThreshold = 0.85;
    QCOMPARE(listed(order),
             (QStringList{QStringLiteral("1 FN 1 g0"), QStringLiteral("0 FN 2 g1"),
                          QStringLiteral("0 FN 1 g2"), QStringLiteral("0 TP 1 d1")}));
  }

  void hiddenClassesAreNotListed() {
    ImageOrder order;
    order.hidden = {CategoryId{1}};
    QCOMPARE(listed(order),
             (QStringList{QStringLiteral("0 FP 2 d3"), QStringLiteral("0 TP 2 d0")}));
  }

  void falsePositivesAlone() {
    ImageOrder order;
    order.filter = ImageOrder::Filter::WithFalsePositives;
    QCOMPARE(listed(order),
             (QStringList{QStringLiteral("0 FP 2 d3"), QStringLiteral("0 FP 1 d2")}));
  }

  void thoseOfASizeAlone() {
    ImageOrder order;
    order.size = coco::ObjectSize::Medium;
    QCOMPARE(listed(order), QStringList{QStringLiteral("0 TP 2 d0")});
  }

  void withoutATruthNothingIsJudged() {
    QCOMPARE(
        listed({}, /*hasTruth=*/false),
        (QStringList{QStringLiteral("0 prediction 1 d1"), QStringLiteral("0 prediction 2 d3"),
                     QStringLiteral("0 prediction 1 d2"), QStringLiteral("0 prediction 2 d0")}));
  }
};

LOCKSTEP_TEST(TstListedInstances)
#include "tst_listed_instances.moc"
