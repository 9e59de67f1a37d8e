#include <QTest>

#include "tests/coco/made_set.h"
#include "tests/coco/match_image.h"
#include "tests/coco/reference.h"
#include "tests/support/box_annotation.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using namespace lockstep::tests;

namespace {

Annotation annotationAt(std::array<double, 4> xywh, std::int64_t category = 1,
                        bool isCrowd = false) {
  return boxAnnotation(1, 1, category, xywh, isCrowd);
}

Detection detectionAt(std::array<double, 4> xywh, double score, std::int64_t category = 1) {
  return {{1}, {category}, score, xywh, {}};
}

}  // namespace

class TstMatchImage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void highestScoreIsMatchedFirst() {
    const std::vector<Annotation> gt{annotationAt({10, 10, 20, 20})};
    const std::vector<Detection> detections{detectionAt({10, 10, 20, 20}, .3),
                                            detectionAt({12, 10, 20, 20}, .8)};
    const ImageMatch match = matchImage(kMadeImage, gt, detections, IouType::Box, 0, .5);
    QCOMPARE(match.gtOfDetection, (std::vector<int>{-1, 0}));
    QCOMPARE(match.detectionOfGt, (std::vector<int>{1}));
    QCOMPARE(match.iouOfDetection, (std::vector<double>{1, 360.0 / 440.0}));
  }

  void scoreAndIouBelowTheThresholdsDoNotMatch() {
    const std::vector<Annotation> gt{annotationAt({10, 10, 20, 20}),
                                     annotationAt({60, 60, 20, 20})};
    const std::vector<Detection> detections{detectionAt({10, 10, 20, 20}, .2),
                                            detectionAt({70, 60, 20, 20}, .9)};
    const ImageMatch match = matchImage(kMadeImage, gt, detections, IouType::Box, .5, .5);
    QCOMPARE(match.gtOfDetection, (std::vector<int>{-2, -1}));
    QCOMPARE(match.detectionOfGt, (std::vector<int>{-1, -1}));
    QCOMPARE(match.iouOfDetection[1], 200.0 / 600.0);
  }

  void otherClassesDoNotMatch() {
    const std::vector<Annotation> gt{annotationAt({10, 10, 20, 20}, 2)};
    const ImageMatch match =
        matchImage(kMadeImage, gt, {detectionAt({10, 10, 20, 20}, .9)}, IouType::Mask, 0, .5);
    QCOMPARE(match.gtOfDetection, (std::vector<int>{-1}));
    QCOMPARE(match.iouOfDetection, (std::vector<double>{0}));
  }

  void crowdMatchesAnyNumberAndIsIgnored() {
    const std::vector<Annotation> gt{annotationAt({0, 0, 80, 80}, 1, true),
                                     annotationAt({10, 10, 20, 20})};
    const std::vector<Detection> detections{
        detectionAt({40, 40, 10, 10}, .9), detectionAt({60, 40, 10, 10}, .8),
        detectionAt({10, 10, 20, 20}, .7), detectionAt({10, 10, 20, 20}, .6)};
    for (IouType type : {IouType::Box, IouType::Mask}) {
      const ImageMatch match = matchImage(kMadeImage, gt, detections, type, 0, .5);
      QCOMPARE(match.gtOfDetection, (std::vector<int>{0, 0, 1, 0}));
      QCOMPARE(match.detectionOfGt, (std::vector<int>{-2, 2}));
    }
  }

  void annotationWithIdZeroCountsAsMissedOnlyAsInPycocotools() {
    std::vector<Annotation> gt{annotationAt({10, 10, 20, 20})};
    gt[0].id = 0;
    const std::vector<Detection> detections{detectionAt({10, 10, 20, 20}, .9)};
    const ImageMatch found = matchImage(kMadeImage, gt, detections, IouType::Box, 0, .5);
    QCOMPARE(found.gtOfDetection, (std::vector<int>{0}));
    QCOMPARE(found.detectionOfGt, (std::vector<int>{0}));
    Params exact;
    exact.pycocotoolsExact = true;
    const ImageMatch lost = matchImage(kMadeImage, gt, detections, IouType::Box, 0, .5, exact);
    QCOMPARE(lost.gtOfDetection, (std::vector<int>{-1}));
    QCOMPARE(lost.detectionOfGt, (std::vector<int>{-1}));
    QCOMPARE(lost.iouOfDetection, (std::vector<double>{1}));
  }

  void onlyTheHundredHighestScoresOfAClassCount() {
    const std::vector<Annotation> gt{annotationAt({10, 10, 20, 20})};
    std::vector<Detection> detections(100, detectionAt({60, 60, 20, 20}, .9));
    detections.push_back(detectionAt({10, 10, 20, 20}, .8));
    detections.push_back(detectionAt({10, 10, 20, 20}, .7, 2));
    const ImageMatch match = matchImage(kMadeImage, gt, detections, IouType::Box, 0, .5);
    QCOMPARE(match.gtOfDetection[99], -1);
    QCOMPARE(match.gtOfDetection[100], -2);
    QCOMPARE(match.gtOfDetection[101], -1);
    QCOMPARE(match.detectionOfGt, (std::vector<int>{-1}));
  }

  void emptyInputGivesEmptyLists() {
    const ImageMatch match = matchImage(kMadeImage, {}, {}, IouType::Mask, 0, .5);
    QVERIFY(match.gtOfDetection.empty() && match.detectionOfGt.empty());
  }

  void masksDecideWhereBoxesAgree() {
    Annotation upper = annotationAt({0, 0, 100, 100});
    upper.segmentation = std::vector<std::vector<double>>{{0, 0, 100, 0, 100, 40, 0, 40}};
    Detection lower = detectionAt({0, 0, 100, 100}, .9);
    lower.mask = rasterisePolygon(std::vector<double>{0, 60, 100, 60, 100, 100, 0, 100}, 100, 100);
    QCOMPARE(matchImage(kMadeImage, {upper}, {lower}, IouType::Box, 0, .5).gtOfDetection[0], 0);
    QCOMPARE(matchImage(kMadeImage, {upper}, {lower}, IouType::Mask, 0, .5).gtOfDetection[0], -1);
  }
};

LOCKSTEP_TEST(TstMatchImage)
#include "tst_match_image.moc"
