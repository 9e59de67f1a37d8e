#include <QTest>

#include "engine/coco/analysis/operating_point.h"
#include "tests/coco/made_set.h"
#include "tests/coco/reference.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using namespace lockstep::tests;

namespace {

QString text(const Counts& counts) {
  return QStringLiteral("%1 %2 %3")
      .arg(counts.truePositives)
      .arg(counts.falsePositives)
      .arg(counts.falseNegatives);
}

Counts countsOf(const nlohmann::json& expected) { return {expected[0], expected[1], expected[2]}; }

QString pointDifferences(const OperatingPoint& point, const nlohmann::json& expected) {
  QString found;
  const auto check = [&](const QString& what, const Counts& ours, const nlohmann::json& theirs) {
    if (ours == countsOf(theirs)) return;
    found += QStringLiteral(" %1: %2, not %3;").arg(what, text(ours), text(countsOf(theirs)));
  };
  check(QStringLiteral("all"), point.all, expected["all"]);
  for (std::size_t k = 0; k < point.classes.size(); ++k) {
    check(QStringLiteral("class %1").arg(k), point.classes[k], expected["classes"][k]);
  }
  for (std::size_t s = 0; s < kObjectSizeCount; ++s) {
    check(QString::fromUtf8(kObjectSizeNames[s]), point.sizes[s], expected["sizes"][s]);
  }
  for (std::size_t i = 0; i < point.images.size(); ++i) {
    check(QStringLiteral("image %1").arg(i), point.images[i], expected["images"][i]);
  }
  for (std::size_t a = 0; a <= point.confusion.background(); ++a) {
    for (std::size_t p = 0; p <= point.confusion.background(); ++p) {
      const auto ours = point.confusion.at(a, p),
                 theirs = expected["confusion"][a][p].get<unsigned>();
      if (ours == theirs) continue;
      found += QStringLiteral(" confusion %1 %2: %3, not %4;").arg(a).arg(p).arg(ours).arg(theirs);
    }
  }
  return found;
}

}  // namespace

class TstOperatingPoint : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void countsAndMetricsOfAKnownSet() {
    const OverlapSet set =
        madeSet({{1, 1, {0, 0, 20, 20}}, {1, 2, {50, 50, 20, 20}}, {2, 1, {0, 0, 40, 40}}},
                {{1, 1, {0, 0, 20, 20}, .9},
                 {1, 1, {0, 0, 20, 20}, .8},    // duplicate
                 {1, 3, {50, 50, 20, 20}, .7},  // another class
                 {2, 1, {0, 0, 40, 40}, .2}});  // below the score
    const OperatingPoint point = operatingPoint(set, .5, .5);
    QCOMPARE(text(point.all), QStringLiteral("1 2 2"));
    QCOMPARE(point.all.precision(), 1.0 / 3);
    QCOMPARE(point.all.recall(), 1.0 / 3);
    QCOMPARE(point.all.f1(), 1.0 / 3);
    QCOMPARE(text(point.classes[0]), QStringLiteral("1 1 1"));
    QCOMPARE(text(point.classes[1]), QStringLiteral("0 0 1"));
    QCOMPARE(point.classes[1].precision(), -1.0);
    QCOMPARE(point.classes[2].recall(), -1.0);
    QCOMPARE(text(point.sizes[1]), QStringLiteral("1 2 1"));
    QCOMPARE(text(point.sizes[2]), QStringLiteral("0 0 1"));
    QCOMPARE(text(point.images[0]), QStringLiteral("1 2 1"));
    QCOMPARE(text(point.images[1]), QStringLiteral("0 0 1"));
    QCOMPARE(point.confusion.at(0, 0), 1U);
    QCOMPARE(point.confusion.at(1, 2), 1U);
    QCOMPARE(point.confusion.at(3, 0), 1U);  // the duplicate is background
    QCOMPARE(point.confusion.at(0, 3), 1U);
    QCOMPARE(point.confusion.at(1, 3), 0U);
    QCOMPARE(operatingPoint(set, .2, .5).all.truePositives, 2U);
  }

  void sameClassIsMatchedBeforeAHigherScoreOfAnother() {
    const OverlapSet set =
        madeSet({{1, 1, {0, 0, 20, 20}}}, {{1, 2, {0, 0, 20, 20}, .9}, {1, 1, {0, 0, 20, 18}, .3}});
    const OperatingPoint point = operatingPoint(set, 0, .5);
    QCOMPARE(point.confusion.at(0, 0), 1U);
    QCOMPARE(point.confusion.at(0, 1), 0U);
    QCOMPARE(point.confusion.at(3, 1), 1U);
    QCOMPARE(operatingPoint(set, .5, .5).confusion.at(0, 1), 1U);
  }

  void missedObjectIsConfusedWithOneClassOnly() {
    const std::vector<MadeBox> objects{{1, 1, {0, 0, 20, 20}}, {1, 2, {0, 0, 20, 20}}};
    std::vector<MadeBox> detections{{1, 3, {0, 0, 20, 20}, .9}};
    const auto cells = [&] {
      const ConfusionMatrix matrix = operatingPoint(madeSet(objects, detections), 0, .5).confusion;
      return QStringLiteral("%1 %2 %3")
          .arg(matrix.at(0, 2))
          .arg(matrix.at(1, 2))
          .arg(matrix.at(3, 2));
    };
    QCOMPARE(cells(), QStringLiteral("0 1 0"));  // the last of equals, as in matching
    detections.push_back({1, 3, {0, 0, 20, 20}, .8});
    QCOMPARE(cells(), QStringLiteral("1 1 0"));
    detections.push_back({1, 3, {0, 0, 20, 20}, .7});
    QCOMPARE(cells(), QStringLiteral("1 1 1"));
  }

  void instancesOfAllImagesAddUpToTheConfusions() {
    const OverlapSet set = madeSet({{1, 1, {0, 0, 20, 20}},
                                    {1, 2, {50, 50, 20, 20}},
                                    {1, 2, {70, 0, 20, 20}, 0, true},
                                    {2, 1, {0, 0, 40, 40}}},
                                   {{1, 1, {0, 0, 20, 20}, .9},
                                    {1, 1, {0, 0, 20, 20}, .8},
                                    {1, 3, {50, 50, 20, 20}, .7},
                                    {1, 2, {70, 0, 20, 20}, .7},  // ignored: on a crowd
                                    {2, 1, {0, 0, 40, 40}, .2}});
    for (const double score : {0.0, .5, .75, 1.0}) {
      const ConfusionMatrix matrix = operatingPoint(set, score, .5).confusion;
      ConfusionMatrix counted(set.categories().size());
      for (std::size_t i = 0; i < set.images().size(); ++i) {
        const OverlapSet::ClassRows& rows = set.rowsOf(i);
        for (const ConfusedInstance& one : confusedInstances(set, i, score, .5)) {
          const auto g = static_cast<std::size_t>(one.annotation),
                     d = static_cast<std::size_t>(one.detection);
          ++counted.at(one.annotation < 0 ? matrix.background() : rows.ofAnnotations[g],
                       one.detection < 0 ? matrix.background() : rows.ofDetections[d]);
        }
      }
      for (std::size_t actual = 0; actual <= matrix.background(); ++actual)
        for (std::size_t predicted = 0; predicted <= matrix.background(); ++predicted)
          QCOMPARE(counted.at(actual, predicted), matrix.at(actual, predicted));
    }
  }

  void emptySetHasNoMetrics() {
    const OperatingPoint point = operatingPoint(madeSet({}, {}), 0, .5);
    QCOMPARE(text(point.all), QStringLiteral("0 0 0"));
    QCOMPARE(point.all.f1(), -1.0);
  }

  void metricsEqualTheReference() {
    if (analysisReference().is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    for (const auto& one : analysisReference()["cases"]) {
      const IouType type = one["type"] == "bbox" ? IouType::Box : IouType::Mask;
      const OverlapSet set(Dataset::load(one["gt"].get<std::string>()),
                           loadDetections(one["dt"].get<std::string>()), type);
      for (const auto& expected : one["points"]) {
        for (const int threads : {1, 3}) {
          const QString different = pointDifferences(
              operatingPoint(set, expected["score"], expected["iou"], threads), expected);
          QVERIFY2(
              different.isEmpty(),
              qPrintable(QString::fromStdString(one["name"].get<std::string>() + ":") + different));
        }
      }
    }
  }
};

LOCKSTEP_TEST(TstOperatingPoint)
#include "tst_operating_point.moc"
