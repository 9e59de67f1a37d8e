#include <QTest>

#include "engine/coco/analysis/error_types.h"
#include "tests/coco/made_set.h"
#include "tests/coco/reference.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using namespace lockstep::tests;

namespace {

const ErrorCost& costOf(const ErrorCosts& costs, ErrorType type) {
  return costs.types[static_cast<std::size_t>(type)];
}

}  // namespace

class TstErrorTypes : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyErrorTypeIsFound_data() {
    QTest::addColumn<int>("category");
    QTest::addColumn<double>("width");
    QTest::addColumn<int>("type");
    // Next to the object of class 1, 20 x 20 px, which another detection matches; one of class 2,
    // 20 x 20 px, is missed.
    QTest::newRow("duplicate") << 1 << 20.0 << int(ErrorType::Duplicate);
    QTest::newRow("duplicate at the threshold") << 1 << 10.0 << int(ErrorType::Duplicate);
    QTest::newRow("localisation") << 1 << 9.0 << int(ErrorType::Localisation);
    QTest::newRow("localisation at 0.1") << 1 << 2.0 << int(ErrorType::Localisation);
    QTest::newRow("background") << 1 << 1.0 << int(ErrorType::Background);
    QTest::newRow("classification") << 2 << 10.0 << int(ErrorType::Classification);
    QTest::newRow("both") << 2 << 9.0 << int(ErrorType::Both);
    QTest::newRow("background of another class") << 2 << 2.0 << int(ErrorType::Background);
  }
  void everyErrorTypeIsFound() {
    QFETCH(int, category);
    QFETCH(double, width);
    QFETCH(int, type);
    const OverlapSet set =
        madeSet({{1, 1, {0, 0, 20, 20}}, {1, 2, {60, 60, 20, 20}}},
                {{1, 1, {0, 0, 20, 20}, .9}, {1, category, {0, 0, width, 20}, .5}});
    const ErrorCosts costs = errorCosts(set);
    for (std::size_t e = 0; e < kErrorTypeCount; ++e) {
      const bool isMissed = static_cast<ErrorType>(e) == ErrorType::Missed;
      QCOMPARE(costs.types[e].count, std::uint64_t(int(e) == type || isMissed));
    }
    QCOMPARE(costs.falsePositives.count, 1U);
    QCOMPARE(costs.falseNegatives.count, 1U);
  }

  void fixedErrorMatchesItsObjectOnce() {
    const OverlapSet set =
        madeSet({{1, 1, {0, 0, 20, 20}}}, {{1, 2, {0, 0, 20, 20}, .9},  // wrong class
                                           {1, 1, {0, 0, 8, 20}, .8},   // wrong location
                                           {1, 1, {70, 70, 9, 9}, .7}});
    InstanceMatcher matcher;
    const ImageOverlaps& image = set.images()[0];
    const ImageErrors errors = findErrors(image, matcher.match(image, .5), .5, .1);
    QCOMPARE(errors.detections.size(), 3U);
    QVERIFY(errors.detections[0].becomesTruePositive);
    QCOMPARE(errors.detections[0].annotation, 0);
    QCOMPARE(errors.detections[1].annotation, 0);
    QVERIFY(!errors.detections[1].becomesTruePositive);
    QVERIFY(errors.missed.empty());
    const ErrorCosts costs = errorCosts(set);
    QCOMPARE(costs.ap, 0.0);
    QVERIFY(isNear(costOf(costs, ErrorType::Classification).apCost, 1));
    QCOMPARE(costOf(costs, ErrorType::Localisation).apCost, 0.0);
    QCOMPARE(costs.falseNegatives.count, 1U);
    QCOMPARE(costs.falseNegatives.apCost, 1.0);
    QCOMPARE(costs.falsePositives.apCost, 0.0);
  }

  void errorIsAssignedToTheFirstOfEqualObjects() {
    const OverlapSet set = madeSet({{1, 1, {0, 0, 20, 20}}, {1, 1, {0, 0, 20, 20}}},
                                   {{1, 1, {0, 0, 20, 20}, .9}, {1, 1, {0, 0, 8, 20}, .8}});
    InstanceMatcher matcher;
    const ImageOverlaps& image = set.images()[0];
    const InstanceMatches& matches = matcher.match(image, .5);
    QCOMPARE(matches.detections[0].annotation, 1);
    const ImageErrors errors = findErrors(image, matches, .5, .1);
    QCOMPARE(errors.detections.size(), 1U);
    QCOMPARE(errors.detections[0].annotation, 0);
    QVERIFY(errors.detections[0].becomesTruePositive);
  }

  void falsePositivesCostPrecision() {
    const OverlapSet set =
        madeSet({{1, 1, {0, 0, 20, 20}}}, {{1, 1, {70, 70, 9, 9}, .9}, {1, 1, {0, 0, 20, 20}, .8}});
    const ErrorCosts costs = errorCosts(set);
    QVERIFY(isNear(costs.ap, .5));
    QVERIFY(isNear(costOf(costs, ErrorType::Background).apCost, .5));
    QVERIFY(isNear(costs.falsePositives.apCost, .5));
    QCOMPARE(costs.falseNegatives.apCost, 0.0);
  }

  void crowdsAreNeitherErrorsNorObjects() {
    const OverlapSet set = madeSet({{1, 1, {0, 0, 50, 50}, 0, true}, {1, 2, {70, 70, 20, 20}}},
                                   {{1, 1, {0, 0, 20, 20}, .9}, {1, 3, {0, 0, 50, 50}, .8}});
    const ErrorCosts costs = errorCosts(set);
    QCOMPARE(costs.falsePositives.count, 1U);
    QCOMPARE(costOf(costs, ErrorType::Background).count, 1U);
    QCOMPARE(costs.falseNegatives.count, 1U);
  }

  void withoutObjectsNothingHasACost() {
    const ErrorCosts costs = errorCosts(madeSet({}, {{1, 1, {0, 0, 20, 20}, .9}}));
    QCOMPARE(costs.ap, -1.0);
    QCOMPARE(costOf(costs, ErrorType::Background).count, 1U);
    QCOMPARE(costs.falsePositives.apCost, 0.0);
  }

  void costsEqualTheReference() {
    if (analysisReference().is_null()) QSKIP("needs pycocotools (packaging/setup.sh --dev)");
    for (const auto& one : analysisReference()["cases"]) {
      const IouType type = one["type"] == "bbox" ? IouType::Box : IouType::Mask;
      const OverlapSet set(Dataset::load(one["gt"].get<std::string>()),
                           loadDetections(one["dt"].get<std::string>()), type);
      for (const auto& expected : one["tide"]) {
        const ErrorCosts costs = errorCosts(set, expected["iou"], expected["background"], 2);
        QVERIFY(isNear(costs.ap, expected["ap"]));
        const auto check = [&](const char* name, const ErrorCost& cost) {
          const QString what =
              QStringLiteral("%1 %2: %3 %4, not %5 %6")
                  .arg(QString::fromStdString(one["name"]), QString::fromUtf8(name))
                  .arg(cost.count)
                  .arg(cost.apCost)
                  .arg(expected["counts"][name].get<unsigned>())
                  .arg(expected["costs"][name].get<double>());
          QVERIFY2(cost.count == expected["counts"][name], qPrintable(what));
          QVERIFY2(isNear(cost.apCost, expected["costs"][name]), qPrintable(what));
        };
        for (std::size_t e = 0; e < kErrorTypeCount; ++e) check(kErrorTypeNames[e], costs.types[e]);
        check("false positives", costs.falsePositives);
        check("false negatives", costs.falseNegatives);
      }
    }
  }
};

LOCKSTEP_TEST(TstErrorTypes)
#include "tst_error_types.moc"
