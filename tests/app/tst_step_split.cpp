// What a training step consists of, as a stack.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/cards/card_facts.h"
#include "app/cards/tag_sections.h"
#include "app/frame/inspected_run.h"
#include "app/metrics/stack_series.h"
#include "app/monitor/monitor_page.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"
#include "widgets/plots/card_legend.h"
#include "widgets/plots/curve_card.h"

using namespace lockstep;
using app::MetricStore;
using app::RunController;
using app::StackSeries;

class TstStepSplit : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void partsAreOnTopOfOneAnother() {
    MetricStore store;
    for (int step = 1; step <= 30; ++step) {
      const auto data = 0.1F + 0.01F * static_cast<float>(step % 3);
      store.append(step, 1000 + step, {{"step", 0.5F + data}, {"data", data}});
      if (step % 2 == 0) store.append(step, 1000 + step, {{"wait", 0.2F}});
    }
    StackSeries stack({{"data", {}}, {"step", {"data"}}, {"wait", {}}});
    stack.update(store);
    QCOMPARE(stack.top(0)->size(), std::size_t{15});  // where all are
    for (std::size_t i = 0; i < 15; ++i) {
      const auto step = static_cast<int>(2 * i + 2);
      const double data = 0.1 + 0.01 * (step % 3);
      QCOMPARE(stack.top(0)->step(i), std::int64_t{step});
      QVERIFY(std::abs(stack.top(0)->value(i) - data) < 1e-6);
      QVERIFY(std::abs(stack.top(1)->value(i) - (data + 0.5)) < 1e-6);
      QVERIFY(std::abs(stack.top(2)->value(i) - (data + 0.7)) < 1e-6);
    }
    store.append(32, 1032, {{"step", 1.F}, {"data", 2.F}, {"wait", 0.F}});
    stack.update(store);
    QCOMPARE(stack.top(1)->size(), std::size_t{16});
    QCOMPARE(stack.top(1)->value(15), 2.F);  // no part is negative
  }

  void theStepTimeOfOneRunIsSplit() {
    QTemporaryDir parent;
    const auto run = open(parent, tests::MadeRun());
    app::MonitorPage page;
    page.resize(1100, 700);
    page.setRuns({{run.get(), QStringLiteral("a"), 0}});
    page.show();
    QTRY_VERIFY(page.isReady());
    const auto card = std::ranges::find_if(page.cards(), [](const widgets::CurveCard* own) {
      return own->title() == QStringLiteral("Step time, s");
    });
    QVERIFY(card != page.cards().end());
    const auto& curves = (*card)->plot()->curves();
    QCOMPARE(curves.size(), std::size_t{2});
    const auto data = curves[0].source->nearest(20), compute = curves[1].source->nearest(20);
    QVERIFY(data && compute && compute->base > 0);
    QCOMPARE(compute->base, data->smooth);
    const auto step = run->history().metrics().series("time/step_seconds");
    const auto figures = curves[1].source->figuresBetween(20, 20);
    const auto waits = curves[0].source->figuresBetween(20, 20);
    QVERIFY(std::abs(figures.mean() + waits.mean() - step->value(19)) < 1e-6);
    const auto samples = curves[1].source->sample({0, 10, 20, 30, 40});
    QVERIFY(!samples.bandLow.empty() && samples.smooth.empty());
    page.setRuns({{run.get(), QStringLiteral("a"), 0}, {run.get(), QStringLiteral("b"), 1}});
    QCOMPARE((*card)->plot()->curves().size(), std::size_t{4});  // lines
  }

  void theTimesOfARankBeginWithTheirSplit() {
    const auto sections = app::tagSections({"time/rank1/own_seconds", "time/rank1/data_seconds",
                                            "time/rank1/wait_seconds", "time/rank1/step_seconds"},
                                           app::monitorCards());
    QCOMPARE(sections.size(), std::size_t{1});
    QCOMPARE(sections[0].name, QStringLiteral("time/rank1"));
    const app::CardPlan& split = sections[0].cards.front();
    QCOMPARE(split.stack.size(), std::size_t{3});
    QCOMPARE(split.stack[2].tag, std::string("time/rank1/step_seconds"));
    QCOMPARE(split.stack[2].less,
             (std::vector<std::string>{"time/rank1/data_seconds", "time/rank1/wait_seconds"}));
    const auto fine = app::tagSections({"time/rank1/wait_seconds", "time/rank1/forward_seconds"},
                                       app::monitorCards());
    QCOMPARE(fine[0].cards.front().stack.size(), std::size_t{6});
  }

  void forwardBackwardAndOptimizerArePartsOfTheStep_data() {
    QTest::addColumn<int>("ranks");
    QTest::addColumn<QString>("parts");
    QTest::newRow("a single rank") << 1 << "data forward backward optimizer other";
    QTest::newRow("several ranks") << 2 << "data forward backward wait optimizer other";
  }
  void forwardBackwardAndOptimizerArePartsOfTheStep() {
    QFETCH(int, ranks);
    QFETCH(QString, parts);
    QTemporaryDir parent;
    tests::MadeRun plan;
    plan.hasStepParts = true;
    plan.ranks = ranks;
    const auto run = open(parent, plan);
    app::MonitorPage page;
    page.resize(1100, 700);
    page.setRuns({{run.get(), QStringLiteral("a"), 0}});
    page.show();
    QTRY_VERIFY(page.isReady());
    const auto card = std::ranges::find_if(page.cards(), [](const widgets::CurveCard* own) {
      return own->title() == QStringLiteral("Step time, s");
    });
    QVERIFY(card != page.cards().end());
    QStringList names;
    for (const widgets::Curve& curve : (*card)->plot()->curves()) names << curve.name;
    QCOMPARE(names.join(QLatin1Char(' ')), parts);
    const auto* legend = (*card)->findChild<widgets::CardLegend*>();
    for (const QString& name : std::as_const(names))
      QVERIFY2(legend->accessibleName().contains(name), qPrintable(name));
    QStringList inspected;
    const app::Inspected thing =
        app::inspectedCard(stepTimePlan(), {{run.get(), QStringLiteral("a"), 0}});
    for (const app::Inspected& part : thing.parts) inspected << part.name;
    QStringList tags{QStringLiteral("time/step_seconds")};
    for (const QString& name : names.first(names.size() - 1))
      tags << QStringLiteral("time/%1_seconds").arg(name);
    QCOMPARE(inspected, tags);
    double sum = 0;
    for (const widgets::Curve& curve : (*card)->plot()->curves())
      sum += curve.source->figuresBetween(20, 20).mean();
    const auto step = run->history().metrics().series("time/step_seconds");
    QVERIFY2(std::abs(sum - step->value(19)) < 1e-6, qPrintable(QString::number(sum)));
  }

 private:
  static app::CardPlan stepTimePlan() {
    for (const app::CardPlan& plan : app::monitorCards())
      if (plan.title == QStringLiteral("Step time, s")) return plan;
    return {};
  }
  static std::unique_ptr<RunController> open(const QTemporaryDir& parent,
                                             const tests::MadeRun& plan) {
    auto run = std::make_unique<RunController>(tests::makeRun(parent.path(), plan));
    QSignalSpy loaded(run.get(), &RunController::loaded);
    run->refresh();
    loaded.wait();
    return run;
  }
};

LOCKSTEP_TEST(TstStepSplit)
#include "tst_step_split.moc"
