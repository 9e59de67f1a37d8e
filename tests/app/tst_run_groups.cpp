#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>

#include "app/cards/run_groups.h"
#include "app/metrics/group_series.h"
#include "app/monitor/monitor_page.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"
#include "widgets/curves/cursor_readings.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/run_legend.h"

using namespace lockstep;
using app::GroupSeries;
using app::MetricStore;
using app::RunController;
using app::ShownRun;

namespace {

float valueOf(int run, int step) {
  return 1.F / static_cast<float>(step) + 0.1F * static_cast<float>((run * 7 + step * 3) % 5);
}

/// Runs that log every step, every second one and every third one.
std::vector<MetricStore> madeStores(int last) {
  std::vector<MetricStore> stores(3);
  for (int run = 0; run < 3; ++run)
    for (int step = run + 1; step <= last; step += run + 1)
      stores[static_cast<std::size_t>(run)].append(step, 1000 + step,
                                                   {{"loss", valueOf(run, step)}});
  return stores;
}

std::vector<const MetricStore*> pointersTo(const std::vector<MetricStore>& stores) {
  std::vector<const MetricStore*> pointers;
  for (const MetricStore& store : stores) pointers.push_back(&store);
  return pointers;
}

std::vector<std::int64_t> stepsOf(const app::MetricSeries* series) {
  std::vector<std::int64_t> steps;
  for (std::size_t i = 0; series && i < series->size(); ++i) steps.push_back(series->step(i));
  return steps;
}

}  // namespace

class TstRunGroups : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// All values by step first, and then the formulas.
  void theMeanAndDeviationAreThoseOfTheCommonSteps() {
    const std::vector<MetricStore> stores = madeStores(60);
    std::map<int, std::vector<long double>> byStep;
    for (int run = 0; run < 3; ++run)
      for (int step = run + 1; step <= 60; step += run + 1)
        byStep[step].push_back(valueOf(run, step));
    std::erase_if(byStep, [](const auto& at) { return at.second.size() < 3; });
    GroupSeries group;
    group.update(pointersTo(stores), "loss");
    QCOMPARE(group.mean()->size(), byStep.size());
    QCOMPARE(byStep.size(), std::size_t{10});  // multiples of six
    std::size_t i = 0;
    for (const auto& [step, values] : byStep) {
      const long double mean = (values[0] + values[1] + values[2]) / 3;
      long double squares = 0;
      for (const long double value : values) squares += (value - mean) * (value - mean);
      const auto deviation = static_cast<double>(std::sqrt(squares / 2));
      QCOMPARE(group.mean()->step(i), std::int64_t{step});
      QVERIFY(std::abs(group.mean()->value(i) - static_cast<double>(mean)) < 1e-6);
      QVERIFY(std::abs(group.high()->value(i) - group.mean()->value(i) - deviation) < 1e-6);
      QVERIFY(std::abs(group.mean()->value(i) - group.low()->value(i) - deviation) < 1e-6);
      ++i;
    }
  }

  void whatComesIsAddedAndWhatIsCutIsReadAgain() {
    std::vector<MetricStore> stores(2);
    GroupSeries group;
    const auto update = [&] { group.update(pointersTo(stores), "loss"); };
    update();
    QVERIFY(!group.mean());
    for (int step = 1; step <= 4; ++step) stores[0].append(step, step, {{"loss", 1.F}});
    stores[1].append(2, 2, {{"loss", 3.F}});
    update();
    QCOMPARE(stepsOf(group.mean()), (std::vector<std::int64_t>{2, 3, 4}));
    QCOMPARE(group.mean()->value(0), 2.F);
    stores[1].append(4, 4, {{"loss", 5.F}});
    update();
    QCOMPARE(stepsOf(group.mean()), (std::vector<std::int64_t>{2, 4}));
    QCOMPARE(group.mean()->value(1), 3.F);
    stores[1].cutAfter(2);
    stores[1].append(3, 3, {{"loss", 7.F}});
    update();
    QCOMPARE(stepsOf(group.mean()), (std::vector<std::int64_t>{2, 3, 4}));
    QCOMPARE(group.mean()->value(1), 4.F);
    QCOMPARE(group.mean()->value(2), 1.F);
    // Also if it is longer again than before when it is read.
    stores[1].cutAfter(2);
    for (int step = 3; step <= 4; ++step) stores[1].append(step, step, {{"loss", 9.F}});
    update();
    QCOMPARE(stepsOf(group.mean()), (std::vector<std::int64_t>{2, 3, 4}));
    QCOMPARE(group.mean()->value(1), 5.F);
  }

  void aRunWithoutValuesLeavesTheOthersTheirMean() {
    std::vector<MetricStore> stores = madeStores(6);
    stores[2] = {};
    GroupSeries group;
    group.update(pointersTo(stores), "loss");
    QCOMPARE(stepsOf(group.mean()), (std::vector<std::int64_t>{2, 4, 6}));
    QCOMPARE(group.runCount(0), 2);
  }

  /// Three seeds, of which two stop early and one of these goes on later.
  void theMeanGoesOnWithTheRunsThatDo() {
    std::vector<MetricStore> stores(3);
    const auto append = [&stores](std::size_t run, std::int64_t first, std::int64_t last) {
      for (std::int64_t step = first; step <= last; ++step)
        stores[run].append(step, static_cast<double>(step),
                           {{"loss", static_cast<float>(run + 1)}});
    };
    append(0, 1, 5);
    append(1, 1, 2);
    append(2, 1, 3);
    GroupSeries group;
    const auto check = [&](const std::vector<float>& means, const std::vector<int>& runs) {
      group.update(pointersTo(stores), "loss");
      QCOMPARE(group.mean()->size(), means.size());
      for (std::size_t i = 0; i < means.size(); ++i) {
        QCOMPARE(group.mean()->step(i), static_cast<std::int64_t>(i) + 1);
        QCOMPARE(group.mean()->value(i), means[i]);
        QCOMPARE(group.runCount(i), runs[i]);
      }
    };
    check({2, 2, 2, 1, 1}, {3, 3, 2, 1, 1});
    QCOMPARE(group.high()->value(4), 1.F);  // one run has no deviation
    append(2, 4, 6);
    check({2, 2, 2, 2, 2, 3}, {3, 3, 2, 2, 2, 1});
    append(1, 3, 4);
    check({2, 2, 2, 2, 2, 3}, {3, 3, 3, 3, 2, 1});
  }

  void runsAreGroupedBySection() {
    const std::vector<ShownRun> runs{{nullptr, QStringLiteral("a-1"), 4, QStringLiteral("a")},
                                     {nullptr, QStringLiteral("b-1"), 5, QStringLiteral("b")},
                                     {nullptr, QStringLiteral("a-2"), 6, QStringLiteral("a")}};
    const auto groups = app::groupsOf(runs, true);
    QCOMPARE(groups.size(), std::size_t{2});
    QCOMPARE(groups[0].name, QStringLiteral("a (2 runs)"));
    QCOMPARE(groups[0].styleIndex, 4);
    QCOMPARE(groups[1].name, QStringLiteral("b-1"));
    QCOMPARE(app::groupsOf(runs, false).size(), std::size_t{3});
  }

  void theCurvesOfAGroupAreItsMean() {
    QTemporaryDir parent;
    tests::MadeRun plan;
    const auto low = open(parent, plan);
    plan.name = "other";
    plan.lossOffset = 1;
    const auto high = open(parent, plan);
    app::MonitorPage page;
    page.resize(1100, 700);
    page.setRuns({{low.get(), QStringLiteral("low"), 0}, {high.get(), QStringLiteral("high"), 1}});
    page.show();
    page.toggleGroups();
    QTRY_VERIFY(page.isReady());
    const auto& curves = page.cards().front()->plot()->curves();
    QCOMPARE(curves.size(), std::size_t{2});  // train and held-out
    QCOMPARE(curves.front().run, QStringLiteral("2 runs"));
    const auto at = curves.front().source->nearest(20);
    const auto lossOf = [](const RunController& run) {
      return run.history().metrics().series("train/loss_total")->value(19);  // of step 20
    };
    QVERIFY(at && std::abs(at->value - (lossOf(*low) + lossOf(*high)) / 2) < 1e-5);
    // Of two values: their distance by the square root of two.
    QVERIFY(lossOf(*high) > lossOf(*low));
    QVERIFY(std::abs(at->deviation - (lossOf(*high) - lossOf(*low)) / std::sqrt(2.0)) < 1e-5);
    QCOMPARE(at->runs, 2);
    const auto readings = widgets::readingsAt(curves, 20, widgets::XAxis::Step,
                                              [](double x, double y) { return QPointF(x, y); }, {});
    QVERIFY(std::ranges::any_of(readings.readings.rows, [](const auto& row) {
      return row.name == QStringLiteral("train, mean of 2");
    }));
    const auto samples = curves.front().source->sample({0, 10, 20, 30, 40});
    QVERIFY(!samples.bandLow.empty() && samples.bandLow.size() == samples.bandHigh.size());
    QVERIFY(
        page.findChild<widgets::RunLegend*>()->accessibleName().contains(QStringLiteral("2 runs")));
    page.toggleGroups();
    QCOMPARE(page.cards().front()->plot()->curves().size(), std::size_t{4});
  }

 private:
  static std::unique_ptr<RunController> open(const QTemporaryDir& parent,
                                             const tests::MadeRun& plan) {
    auto run = std::make_unique<RunController>(tests::makeRun(parent.path(), plan));
    QSignalSpy loaded(run.get(), &RunController::loaded);
    run->refresh();
    loaded.wait();
    return run;
  }
};

LOCKSTEP_TEST(TstRunGroups)
#include "tst_run_groups.moc"
