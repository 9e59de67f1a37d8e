#include <QTest>

#include "engine/coco/evaluation/image_matches.h"
#include "engine/coco/evaluation/instance_matches.h"
#include "engine/coco/evaluation/params.h"
#include "tests/coco/made_set.h"
#include "tests/coco/reference.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using namespace lockstep::tests;

namespace {

QString letters(const InstanceMatches& matches) {
  QString text;
  for (const DetectionMatch& match : matches.detections) {
    text += match.verdict == MatchVerdict::TruePositive    ? QLatin1Char('T')
            : match.verdict == MatchVerdict::FalsePositive ? QLatin1Char('F')
                                                           : QLatin1Char('-');
  }
  return text;
}

/// The result of matchDetections for the detections of one class at one threshold and size, by
/// score.
QString letters(const ClassMatches& matches, std::size_t size, std::size_t threshold) {
  QString text;
  for (std::size_t d = 0; d < matches.scores.size(); ++d) {
    const Outcome& outcome = matches.outcomes[d * kObjectSizeCount + size];
    text += outcome.truePositive >> threshold & 1    ? QLatin1Char('T')
            : outcome.falsePositive >> threshold & 1 ? QLatin1Char('F')
                                                     : QLatin1Char('-');
  }
  return text;
}

QString lettersOfClass(const ImageOverlaps& image, const InstanceMatches& matches, CategoryId id) {
  InstanceMatches ofClass;
  for (std::size_t d = 0; d < matches.detections.size(); ++d) {
    if (image.detections[d].category == id) ofClass.detections.push_back(matches.detections[d]);
  }
  return letters(ofClass);
}

}  // namespace

class TstInstanceMatches : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void overlapsAreRankedAndIncludeOtherClasses() {
    const OverlapSet set = madeSet(
        {{1, 1, {0, 0, 10, 10}}, {1, 2, {0, 0, 20, 10}, 0, true}},
        {{1, 1, {0, 0, 10, 10}, .2}, {1, 2, {5, 0, 10, 10}, .7}, {1, 3, {50, 50, 9, 9}, .7}});
    const ImageOverlaps& image = set.images()[0];
    QCOMPARE(image.detections.size(), 3U);
    QCOMPARE(image.detections[0].index, 1U);
    QCOMPARE(image.detections[1].index, 2U);
    QCOMPARE(image.detections[2].index, 0U);
    QCOMPARE(image.detections[1].areaPx, 81.0);
    QCOMPARE(image.pairs.size(), 4U);
    QCOMPARE(image.pairs[0].iou, 50.0 / 150.0);
    QCOMPARE(image.pairs[1].iou, 1.0);  // a crowd: over the detection's area
    QCOMPARE(image.pairs[2].detection, 2U);
    QCOMPARE(image.pairs[3].annotation, 1U);
    QVERIFY(set.images()[1].detections.empty());
  }

  void overlapsOfAFileEqualThoseOfItsDetections() {
    if (analysisReference().is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    for (const auto& one : analysisReference()["cases"]) {
      const std::string file = one["dt"];
      const Dataset groundTruth = Dataset::load(one["gt"].get<std::string>());
      const std::vector<Detection> detections = loadDetections(file);
      const OverlapSet set(groundTruth, detections, IouType::Mask, {}, 3);
      const OverlapSet ofFile(groundTruth, ResultsFile::load(file, groundTruth), IouType::Mask);
      for (std::size_t i = 0; i < set.images().size(); ++i) {
        const ImageOverlaps &ours = set.images()[i], &theirs = ofFile.images()[i];
        QCOMPARE(ours.detections.size(), theirs.detections.size());
        for (std::size_t d = 0; d < ours.detections.size(); ++d) {
          QCOMPARE(ours.detections[d].score, theirs.detections[d].score);
          QCOMPARE(ours.detections[d].index, theirs.detections[d].index);
          QCOMPARE(detections[ours.detections[d].index].score, ours.detections[d].score);
          QVERIFY(detections[ours.detections[d].index].imageId == set.imageIds()[i]);
        }
        QCOMPARE(ours.pairs.size(), theirs.pairs.size());
        for (std::size_t p = 0; p < ours.pairs.size(); ++p) {
          QCOMPARE(ours.pairs[p].iou, theirs.pairs[p].iou);
        }
      }
    }
  }

  void crowdMatchesRemainingDetections() {
    const OverlapSet set = madeSet(
        {{1, 1, {0, 0, 50, 50}, 0, true}, {1, 1, {10, 10, 20, 20}}},
        {{1, 1, {10, 10, 20, 20}, .9}, {1, 1, {10, 10, 20, 20}, .8}, {1, 1, {70, 70, 9, 9}, .7}});
    InstanceMatcher matcher;
    const InstanceMatches& matches = matcher.match(set.images()[0], .5);
    QCOMPARE(letters(matches), QStringLiteral("T-F"));
    QCOMPARE(matches.detections[0].annotation, 1);
    QCOMPARE(matches.detections[1].annotation, 0);
    QCOMPARE(matches.detectionOfAnnotation, (std::vector<std::int32_t>{kNotCounted, 0}));
  }

  void lastOfEqualAnnotationsIsMatched() {
    const OverlapSet set =
        madeSet({{1, 1, {0, 0, 20, 20}}, {1, 1, {0, 0, 20, 20}}, {1, 1, {50, 50, 20, 20}}},
                {{1, 1, {0, 0, 20, 20}, .9}, {1, 1, {0, 0, 20, 20}, .8}});
    InstanceMatcher matcher;
    const InstanceMatches& matches = matcher.match(set.images()[0], .5);
    QCOMPARE(matches.detections[0].annotation, 1);
    QCOMPARE(matches.detections[1].annotation, 0);
    QCOMPARE(matches.detectionOfAnnotation, (std::vector<std::int32_t>{1, 0, kMissed}));
  }

  /// pycocotools caps the threshold at 1 - 1e-10.
  void iouThresholdIsCappedBelowOne() {
    const OverlapSet set =
        madeSet({{1, 1, {0, 0, 20, 20}}, {1, 1, {50, 50, 20, 20}}},
                {{1, 1, {0, 0, 20, 20 - 1e-10}, .9}, {1, 1, {50, 50, 20, 20 - 1e-7}, .8}});
    InstanceMatcher matcher;
    QCOMPARE(letters(matcher.match(set.images()[0], 1)), QStringLiteral("TF"));
  }

  void otherSizesAreIgnored() {
    const OverlapSet set = madeSet(
        {{1, 1, {0, 0, 20, 20}}, {1, 1, {40, 40, 50, 50}}},
        {{1, 1, {0, 0, 20, 21}, .9}, {1, 1, {40, 40, 50, 50}, .8}, {1, 1, {0, 60, 9, 9}, .7}});
    InstanceMatcher matcher;
    const ImageOverlaps& image = set.images()[0];
    const auto at = [&](ObjectSize size) {
      return letters(matcher.match(image, .5, -1, limitsOf(size)));
    };
    QCOMPARE(at(ObjectSize::All), QStringLiteral("TTF"));
    QCOMPARE(at(ObjectSize::Small), QStringLiteral("T-F"));
    QCOMPARE(at(ObjectSize::Medium), QStringLiteral("-T-"));
    QCOMPARE(at(ObjectSize::Large), QStringLiteral("---"));
  }

  void scoreThresholdOnlyTruncatesTheList() {
    if (analysisReference().is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    for (const auto& one : analysisReference()["cases"]) {
      const OverlapSet set(Dataset::load(one["gt"].get<std::string>()),
                           loadDetections(one["dt"].get<std::string>()), IouType::Box);
      for (const ImageOverlaps& image : set.images()) {
        InstanceMatcher whole, cut;
        const InstanceMatches& all = whole.match(image, .4);
        for (const double score : {.2, .5, .9}) {
          const InstanceMatches& some = cut.match(image, .4, score);
          QVERIFY(some.detections.size() <= all.detections.size());
          for (std::size_t d = 0; d < some.detections.size(); ++d) {
            QVERIFY(image.detections[d].score >= score);
            QCOMPARE(some.detections[d].annotation, all.detections[d].annotation);
            QCOMPARE(int(some.detections[d].verdict), int(all.detections[d].verdict));
          }
        }
      }
    }
  }

  /// Both matchers give the same result: at COCO's thresholds and sizes it equals evaluate().
  void matchesEqualThoseOfTheEvaluation() {
    if (analysisReference().is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    InstanceMatcher matcher;
    for (const auto& one : analysisReference()["cases"]) {
      const IouType type = one["type"] == "bbox" ? IouType::Box : IouType::Mask;
      const Dataset groundTruth = Dataset::load(one["gt"].get<std::string>());
      const auto detections = loadDetections(one["dt"].get<std::string>());
      const OverlapSet set(groundTruth, detections, type);
      for (std::size_t i = 0; i < set.images().size(); ++i) {
        std::vector<const Detection*> own;
        for (const Detection& detection : detections) {
          if (detection.imageId == set.imageIds()[i]) own.push_back(&detection);
        }
        const ImageMatches expected =
            matchDetections(groundTruth.images()[i], groundTruth.annotationsOf(i), own, type);
        for (std::size_t t = 0; t < kIouThresholds.size(); ++t) {
          for (std::size_t s = 0; s < kObjectSizeCount; ++s) {
            const auto& matches = matcher.match(set.images()[i], kIouThresholds[t], -1,
                                                limitsOf(static_cast<ObjectSize>(s)));
            for (std::size_t c = 0; c < expected.size(); ++c) {
              const ClassMatches ofClass = expected[c];
              QCOMPARE(lettersOfClass(set.images()[i], matches, ofClass.category),
                       letters(ofClass, s, t));
            }
          }
        }
      }
    }
  }
};

LOCKSTEP_TEST(TstInstanceMatches)
#include "tst_instance_matches.moc"
