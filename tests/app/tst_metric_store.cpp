#include <QTest>

#include "app/metrics/metric_store.h"
#include "tests/support/test_main.h"

using lockstep::app::MetricStore;

class TstMetricStore : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void seriesOfOneRecordShareStepsAndTimes() {
    MetricStore store;
    for (int step = 1; step <= 5; ++step)
      store.append(step, 1000 + step, {{"a", 1.F * step}, {"b", 2.F * step}});
    QCOMPARE(&store.series("a")->axis(), &store.series("b")->axis());
    QCOMPARE(store.series("a")->axis().size(), std::size_t{5});
    QCOMPARE(store.baseTime(), 1001.0);
    QCOMPARE(store.series("b")->axis().seconds(4), 4.F);
    QCOMPARE(store.pointCount(), std::size_t{10});
    QCOMPARE(store.lastStep(), std::int64_t{5});
  }

  void aRecordThatGoesBackIsLeftOut() {
    MetricStore store;
    store.append(1, 10, {{"a", 1}, {"b", 1}});
    store.append(3, 30, {{"a", 3}});
    store.append(2, 20, {{"a", 2}});
    store.append(-5, 20, {{"a", 2}, {"b", 2}});
    store.append(2, 20, {{"b", 2}});  // its own last step is 1
    QCOMPARE(store.series("a")->size(), std::size_t{2});
    QCOMPARE(store.series("a")->step(1), std::int64_t{3});
    QCOMPARE(store.series("b")->size(), std::size_t{2});
  }

  void aTagThatIsMissingInOneRecordGetsStepsOfItsOwn() {
    MetricStore store;
    store.append(1, 10, {{"a", 1}, {"b", 1}});
    store.append(2, 20, {{"a", 2}});
    store.append(3, 30, {{"a", 3}, {"b", 3}});
    const auto* a = store.series("a");
    const auto* b = store.series("b");
    QCOMPARE(a->size(), std::size_t{3});
    QCOMPARE(b->size(), std::size_t{2});
    QCOMPARE(b->step(0), std::int64_t{1});
    QCOMPARE(b->step(1), std::int64_t{3});
    QCOMPARE(a->step(1), std::int64_t{2});
    QCOMPARE(a->axis().size(), std::size_t{3});
    QCOMPARE(b->axis().size(), std::size_t{2});
  }

  void anotherOrderOfTheTagsIsTheSameRecord() {
    MetricStore store;
    store.append(1, 10, {{"a", 1}, {"b", 10}});
    store.append(2, 20, {{"b", 20}, {"a", 2}});
    QCOMPARE(store.series("a")->value(1), 2.F);
    QCOMPARE(store.series("b")->value(1), 20.F);
    QCOMPARE(&store.series("a")->axis(), &store.series("b")->axis());
    QCOMPARE(store.series("a")->axis().size(), std::size_t{2});
  }

  void aDuplicateTagCountsOnce() {
    MetricStore store;
    store.append(1, 10, {{"a", 1}, {"a", 2}, {"b", 3}});
    QCOMPARE(store.series("a")->size(), std::size_t{1});
    QCOMPARE(store.series("b")->value(0), 3.F);
  }

  void cuttingRemovesLaterStepsOfEveryTag() {
    MetricStore store;
    for (int step = 1; step <= 20; ++step) {
      store.append(step, step, {{"train", 1.F * step}});
      if (step % 5 == 0) store.append(step, step, {{"eval", 1.F * step}});
    }
    store.cutAfter(12);
    QCOMPARE(store.series("train")->size(), std::size_t{12});
    QCOMPARE(store.series("eval")->size(), std::size_t{2});
    store.append(13, 13, {{"train", 99.F}});
    QCOMPARE(store.series("train")->value(12), 99.F);
    QCOMPARE(store.series("train")->step(12), std::int64_t{13});
  }

  void smoothingAppliesToLaterTags() {
    MetricStore store;
    store.setSmoothing(0.2);
    store.append(1, 1, {{"a", 1.F}});
    QCOMPARE(store.series("a")->smoothing(), 0.2);
    QVERIFY(!store.series("never"));
  }
};

LOCKSTEP_TEST(TstMetricStore)
#include "tst_metric_store.moc"
