#include <QTest>
#include <cmath>
#include <limits>

#include "app/metrics/metric_series.h"
#include "engine/base/counter_hash.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::MetricSeries;
using app::StepAxis;
using app::ValueSpan;

namespace {

float noisy(std::uint64_t i) { return static_cast<float>(base::counterUniform({i, 7}) * 10 - 3); }

MetricSeries series(std::size_t count, std::size_t nonFiniteEvery = 0) {
  auto axis = std::make_shared<StepAxis>();
  MetricSeries made(axis);
  for (std::size_t i = 0; i < count; ++i) {
    axis->append(static_cast<std::int64_t>(i) + 1, static_cast<float>(i));
    made.append(nonFiniteEvery && i % nonFiniteEvery == 0 ? std::nanf("") : noisy(i));
  }
  return made;
}

ValueSpan plainSpan(const MetricSeries& values, std::size_t begin, std::size_t end) {
  ValueSpan span;
  for (std::size_t i = begin; i < end; ++i) {
    const float value = values.value(i);
    if (!std::isfinite(value)) continue;
    span = span.hasFinite ? ValueSpan{std::min(span.min, value), std::max(span.max, value), true}
                          : ValueSpan{value, value, true};
  }
  return span;
}

}  // namespace

class TstMetricSeries : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void spanEqualsAScanOfAllValues() {
    const MetricSeries values = series(5000, 37);
    for (std::uint64_t i = 0; i < 400; ++i) {
      std::size_t begin = base::counterHash({i, 1}) % 5000, end = base::counterHash({i, 2}) % 5001;
      if (begin > end) std::swap(begin, end);
      const ValueSpan quick = values.span(begin, end), plain = plainSpan(values, begin, end);
      QCOMPARE(quick.hasFinite, plain.hasFinite);
      if (!plain.hasFinite) continue;
      QCOMPARE(quick.min, plain.min);
      QCOMPARE(quick.max, plain.max);
    }
  }

  void smoothedAnywhereEqualsSmoothingFromTheStart() {
    const MetricSeries values = series(1000, 41);
    app::Smoother smoother(values.smoothing());
    const std::vector<double> range = values.smoothedRange(0, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double expected = smoother.add(values.value(i));
      if (std::isnan(expected)) {
        QVERIFY(std::isnan(values.smoothed(i)) && std::isnan(range[i]));
      } else {
        QCOMPARE(values.smoothed(i), expected);
        QCOMPARE(range[i], expected);
      }
    }
    QCOMPARE(values.smoothedRange(333, 340).front(), values.smoothed(333));
  }

  void changingTheWeightEqualsStartingWithIt() {
    MetricSeries changed = series(300);
    changed.setSmoothing(0.9);
    app::Smoother smoother(0.9);
    for (std::size_t i = 0; i < 300; ++i)
      QCOMPARE(changed.smoothed(i), smoother.add(changed.value(i)));
  }

  void cuttingAndAppendingEqualsAShorterSeries() {
    MetricSeries cut = series(1000, 50);
    const MetricSeries fresh = series(700, 50);
    cut.truncate(700);
    QCOMPARE(cut.size(), std::size_t{700});
    QCOMPARE(cut.lowest().value(), fresh.lowest().value());
    QCOMPARE(cut.nonFiniteRuns(), fresh.nonFiniteRuns());
    for (std::size_t i = 700; i < 1000; ++i) cut.append(noisy(i));
    MetricSeries longer = series(700, 50);
    for (std::size_t i = 700; i < 1000; ++i) longer.append(noisy(i));
    QCOMPARE(cut.smoothed(999), longer.smoothed(999));
    const ValueSpan a = cut.span(3, 999), b = longer.span(3, 999);
    QCOMPARE(a.min, b.min);
    QCOMPARE(a.max, b.max);
  }

  void theLowestAfterEachCutIsThatOfAShorterSeries() {
    auto axis = std::make_shared<StepAxis>();
    MetricSeries falling(axis);
    for (int i = 0; i < 1000; ++i) falling.append(static_cast<float>(1000 - i));
    MetricSeries uneven = series(1000, 7);
    for (std::size_t size = 1000; size-- > 0;) {
      falling.truncate(size);
      uneven.truncate(size);
      if (size > 0) QCOMPARE(falling.lowest().value(), size - 1);
      std::optional<std::size_t> lowest;
      for (std::size_t i = 0; i < size; ++i)
        if (std::isfinite(uneven.value(i)) && (!lowest || uneven.value(i) < uneven.value(*lowest)))
          lowest = i;
      QCOMPARE(uneven.lowest(), lowest);
    }
    QVERIFY(!falling.lowest());
  }

  void runsOfNonFiniteValuesAreKept() {
    auto axis = std::make_shared<StepAxis>();
    MetricSeries values(axis);
    const float nan = std::nanf(""), infinite = std::numeric_limits<float>::infinity();
    for (float value : {1.F, nan, infinite, 2.F, nan}) values.append(value);
    const std::vector<std::pair<std::size_t, std::size_t>> expected{{1, 3}, {4, 5}};
    QCOMPARE(values.nonFiniteRuns(), expected);
    QCOMPARE(values.lowest().value(), std::size_t{0});
  }

  /// Regular, irregular and wide ones, over the borders of blocks, and cut at any place.
  void everyKindOfStepsIsKept() {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      std::uint64_t drawn = 0;
      const auto draw = [&](std::uint64_t below) {
        return base::counterHash({seed, ++drawn}) % below;
      };
      app::StepColumn column;
      std::vector<std::int64_t> plain;
      for (int part = 0; part < 6; ++part) {
        const std::uint64_t kind = draw(3), count = draw(6000);
        const auto stride =
            static_cast<std::int64_t>(draw(kind == 2 ? std::uint64_t{1} << 33 : 50));
        for (std::uint64_t i = 0; i < count; ++i) {
          const std::int64_t before = plain.empty() ? 0 : plain.back();
          plain.push_back(before + stride + (kind == 1 ? static_cast<std::int64_t>(draw(3)) : 0));
          column.append(plain.back());
        }
        if (draw(2) != 0 || plain.empty()) continue;
        plain.resize(draw(plain.size()));
        column.truncate(plain.size());
      }
      QCOMPARE(column.size(), plain.size());
      for (std::size_t i = 0; i < plain.size(); ++i)
        if (column[i] != plain[i]) QFAIL(qPrintable(QStringLiteral("%1 %2").arg(seed).arg(i)));
    }
  }

  void smoothingAsFarAsItIsAskedForEqualsSmoothingAll() {
    MetricSeries grown = series(10);
    for (const std::size_t cut : {900, 200, 640, 129, 128}) {
      for (std::size_t i = grown.size(); i < 1000; ++i) {
        grown.append(noisy(i));
        if (base::counterHash({i, cut}) % 40 == 0)
          (void)grown.smoothed(base::counterHash({i, cut, 6}) % i);
      }
      grown.truncate(cut);
    }
    for (std::size_t i = grown.size(); i < 1000; ++i) grown.append(noisy(i));
    const MetricSeries fresh = series(grown.size());
    for (std::size_t i = 0; i < grown.size(); ++i) QCOMPARE(grown.smoothed(i), fresh.smoothed(i));
  }

  void stepsThatNeedSixtyFourBitsAreKept() {
    StepAxis axis;
    const std::int64_t large = std::int64_t{1} << 40;
    axis.append(5, 0);
    axis.append(large, 1);
    axis.append(large + 1, 2);
    QCOMPARE(axis.step(0), std::int64_t{5});
    QCOMPARE(axis.step(2), large + 1);
    QCOMPARE(axis.firstAfter(5), std::size_t{1});
    QCOMPARE(axis.firstAfter(large + 1), std::size_t{3});
  }

  void tenMillionPointsTakeLessThanTwoHundredMegabytes() {
    auto axis = std::make_shared<StepAxis>();
    MetricSeries values(axis);
    for (std::int64_t i = 0; i < 10'000'000; ++i) {
      axis->append(i, static_cast<float>(i));
      values.append(static_cast<float>(i & 1023));
    }
    (void)values.smoothed(9'999'999);
    QVERIFY2(values.bytes() + axis->bytes() < 100'000'000,
             qPrintable(QString::number(values.bytes() + axis->bytes())));
    const ValueSpan span = values.span(12345, 9'000'000);
    QCOMPARE(span.min, 0.F);
    QCOMPARE(span.max, 1023.F);
  }
};

LOCKSTEP_TEST(TstMetricSeries)
#include "tst_metric_series.moc"
