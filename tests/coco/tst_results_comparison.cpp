#include <QTest>

#include "engine/coco/analysis/results_comparison.h"
#include "tests/support/test_main.h"

using namespace lockstep::coco;

class TstResultsComparison : public QObject {
  Q_OBJECT

 private:
  static ResultsComparison made(ComparisonVerdict verdict, double apOfB) {
    ResultsComparison comparison{"a.json", "b.json", 5000, {}, {}};
    comparison.ap.a.ap = .398;
    comparison.ap.b.ap = apOfB;
    comparison.ap.difference = apOfB - .398;
    comparison.ap.interval = {.003, .025};
    comparison.ap.pValue = .012;
    comparison.ap.verdict = verdict;
    comparison.ap.resamples = 1000;
    return comparison;
  }

 private Q_SLOTS:
  void sentenceHasTheVerdictAndItsConfidence() {
    QCOMPARE(verdictSentence(made(ComparisonVerdict::BIsBetter, .412)),
             std::string("b.json is better than a.json by 1.4 AP points (95 % CI 0.3 to 2.5, p = "
                         "0.012); AP 0.4120 vs. 0.3980; 1000 resamples of 5000 images, not of "
                         "trainings"));
    ResultsComparison few = made(ComparisonVerdict::BIsBetter, .412);
    few.imageCount = 8;
    QVERIFY(verdictSentence(few).ends_with(
        "1000 resamples of 8 images, not of trainings; rough with so few images"));
    ResultsComparison worse = made(ComparisonVerdict::AIsBetter, .3);
    worse.ap.interval = {-.12, -.08};
    QVERIFY(verdictSentence(worse).starts_with(
        "b.json is worse than a.json by 9.8 AP points (95 % CI 8.0 to 12.0, "));
    ResultsComparison same = made(ComparisonVerdict::NoDifferenceShown, .39799);
    same.ap.interval = {-.01, .012};
    QVERIFY(verdictSentence(same).starts_with(
        "no significant difference of b.json from a.json: 0.0 AP points (95 % CI -1.0 to 1.2, "));
  }

  void noVerdictWithoutObjects() {
    ResultsComparison comparison = made(ComparisonVerdict::NoDifferenceShown, -1);
    comparison.ap.resamples = 0;
    QCOMPARE(verdictSentence(comparison),
             std::string("no comparison of b.json with a.json: the ground truth has no objects"));
  }
};

LOCKSTEP_TEST(TstResultsComparison)
#include "tst_results_comparison.moc"
