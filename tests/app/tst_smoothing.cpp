#include <QTest>
#include <cmath>
#include <limits>
#include <vector>

#include "app/metrics/smoothing.h"
#include "tests/support/test_main.h"

using lockstep::app::Smoother;

namespace {

/// Closed form: the weighted mean of all values so far with weights s^(n-1-i), which needs no bias
/// correction.
double weightedMean(const std::vector<double>& values, double weight) {
  double sum = 0, weights = 0, power = 1;
  for (auto value = values.rbegin(); value != values.rend(); ++value, power *= weight) {
    sum += power * *value;
    weights += power;
  }
  return sum / weights;
}

}  // namespace

class TstSmoothing : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void equalsTheWeightedMeanOfAllValues_data() {
    QTest::addColumn<double>("weight");
    for (double weight : {0.0, 0.3, 0.6, 0.9, 0.999})
      QTest::newRow(qPrintable(QString::number(weight))) << weight;
  }
  void equalsTheWeightedMeanOfAllValues() {
    QFETCH(double, weight);
    Smoother smoother(weight);
    std::vector<double> seen;
    for (int i = 0; i < 60; ++i) {
      seen.push_back(std::sin(i * 1.7) + 0.1 * i);
      const double smooth = smoother.add(seen.back());
      QVERIFY2(std::abs(smooth - weightedMean(seen, weight)) < 1e-9,
               qPrintable(QString::number(i)));
    }
  }

  void aConstantSeriesIsUnchanged() {
    Smoother smoother(0.9);
    for (int i = 0; i < 50; ++i) QVERIFY(std::abs(smoother.add(0.25) - 0.25) < 1e-12);
  }

  void nonFiniteValuesAreKeptAndNotAveraged() {
    Smoother with(0.6), without(0.6);
    QCOMPARE(with.add(1.0), without.add(1.0));
    QVERIFY(std::isnan(with.add(std::nan(""))));
    QVERIFY(std::isinf(with.add(std::numeric_limits<double>::infinity())));
    QCOMPARE(with.add(2.0), without.add(2.0));
  }

  void skippingEqualsAdding() {
    Smoother added(0.7), skipped(0.7);
    for (int i = 0; i < 9; ++i) {
      added.add(i);
      skipped.skip(i);
    }
    QCOMPARE(skipped.add(5), added.add(5));
  }
};

LOCKSTEP_TEST(TstSmoothing)
#include "tst_smoothing.moc"
