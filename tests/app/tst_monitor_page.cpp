#include <QComboBox>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <map>

#include "app/monitor/card_sections.h"
#include "app/monitor/run_marks.h"
#include "app/monitor/tag_cards.h"
#include "app/runs/open/evaluation_plan.h"
#include "tests/app/monitor_bench.h"
#include "tests/support/test_main.h"
#include "widgets/plots/card_legend.h"
#include "widgets/plots/curve_pen.h"
#include "widgets/plots/readings_tip.h"
#include "widgets/plots/run_legend.h"
#include "widgets/theme.h"

using namespace lockstep;
using app::MonitorPage;
using app::RunController;
using tests::show;

class TstMonitorPage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void runsAreDrawnOverTheirEpochs() {
    QTemporaryDir parent;
    const auto run = open(parent, "a", 8);
    MonitorPage page;
    show(page, {{run.get(), QStringLiteral("a"), 0}});
    chooseEpochs(page);
    QTRY_VERIFY(page.isReady());
    const widgets::CurveCard* loss = page.cards().front();
    QVERIFY(loss->plot()->drawnPointCount(0) >= 40);
    const auto range = loss->plot()->curves().front().source->xRange();
    QCOMPARE(range.first, 1.0 / 8);
    QCOMPARE(range.second, 40.0 / 8);
    QVERIFY(!note(page).contains(QStringLiteral("epoch")));
  }

  void aRunWithoutEpochsIsNotDrawnWithAReason() {
    QTemporaryDir parent;
    const auto run = open(parent, "newer", 8);
    const auto older = open(parent, "older", std::nullopt);
    MonitorPage page;
    show(page,
         {{run.get(), QStringLiteral("newer"), 0}, {older.get(), QStringLiteral("older"), 1}});
    QCOMPARE(note(page), QString());
    chooseEpochs(page);
    QTRY_VERIFY2(note(page).startsWith(QStringLiteral("Not shown by epoch: older. ")),
                 qPrintable(note(page)));
    page.setRuns({{run.get(), QStringLiteral("newer"), 0}});
    QCOMPARE(note(page), QString());
  }

  void theMarkOfTheBestCheckpointNamesTheMetric() {
    QTemporaryDir parent;
    const auto run = open(parent, "a", 8);
    MonitorPage page;
    show(page, {{run.get(), QStringLiteral("a"), 0}});
    page.showStep(40);
    const auto* tip = page.findChild<widgets::ReadingsTip*>();
    QVERIFY(tip && tip->isVisible());
    QVERIFY2(tip->readings()
                 .notes.join(QLatin1Char('\n'))
                 .contains(QStringLiteral("step 40, deleted (best mask AP)")),
             qPrintable(tip->readings().notes.join(QLatin1Char('\n'))));
  }

  void aForkIsMarkedWhereItBegan() {
    QTemporaryDir parent;
    const auto run = open(parent, "a", 8);
    const run_folder::Layout fork(tests::makeRun(parent.path(), tests::made("b", 0)).toStdString());
    auto info = run_folder::readRunInfo(fork);
    info.forkedFrom = {run->folder().toStdString(), 23};
    run_folder::writeRunInfo(fork, info);
    RunController other(QString::fromStdString(fork.folder().string()));
    QSignalSpy loaded(&other, &RunController::loaded);
    other.refresh();
    QVERIFY(loaded.wait());
    MonitorPage page;
    show(page, {{run.get(), QStringLiteral("a"), 0}, {&other, QStringLiteral("b"), 1}});
    page.showStep(23);
    const auto* tip = page.findChild<widgets::ReadingsTip*>();
    QVERIFY(tip && tip->isVisible());
    const QString notes = tip->readings().notes.join(QLatin1Char('\n'));
    QVERIFY2(notes.contains(QStringLiteral("b is a fork of a from here")), qPrintable(notes));
  }

  void severalRunsHaveOneLegendOverAllCards() {
    QTemporaryDir parent;
    const auto a = open(parent, "a", 8), b = open(parent, "b", 8);
    MonitorPage page;
    show(page, {{a.get(), QStringLiteral("a"), 0}, {b.get(), QStringLiteral("b"), 1}});
    const auto* legend = page.findChild<widgets::RunLegend*>();
    QVERIFY(legend->isVisible());
    QVERIFY(legend->toolTip().startsWith(QStringLiteral("a\nb\n")));
    page.setRuns({{a.get(), QStringLiteral("a"), 0}});
    QVERIFY(!legend->isVisible());
  }

  void theCurvesOfOneRunDifferInHueAndStroke() {
    QTemporaryDir parent;
    const auto run = open(parent, "a", 8), other = open(parent, "b", 8);
    const app::ShownRun own{run.get(), QStringLiteral("a"), 2};
    MonitorPage page;
    const widgets::Theme& theme = widgets::currentTheme();
    const auto pensOfOwn = [&] {
      const auto& curves = page.cards().front()->plot()->curves();
      return std::pair(widgets::curvePen(curves[0], theme), widgets::curvePen(curves[1], theme));
    };
    show(page, {own});
    QCOMPARE(page.cards().front()->plot()->curves().size(), std::size_t{2});
    const auto [train, heldOut] = pensOfOwn();
    QVERIFY(heldOut.color() != train.color());
    QCOMPARE(train.color(), widgets::runStyle(2, theme).color);
    QVERIFY(heldOut.dashPattern() != train.dashPattern());
    page.setRuns({own, {other.get(), QStringLiteral("b"), 1}});
    QCOMPARE(pensOfOwn().first, train);
    QCOMPARE(pensOfOwn().second.color(), train.color());  // the hue is the run's
    QCOMPARE(pensOfOwn().second.dashPattern(), heldOut.dashPattern());
  }

  void aHiddenCurveStaysHiddenOnEveryCardOfItsKind() {
    QTemporaryDir parent;
    const auto run = open(parent, "a", 8);
    const app::ShownRun shown{run.get(), QStringLiteral("a"), 0};
    MonitorPage page;
    show(page, {shown});
    widgets::CurveCard* loss = page.cards().front();
    switchInLegend(loss, 1);
    QCOMPARE(namesOn(loss), QStringList{QStringLiteral("train")});
    app::CardSettings settings;
    settings.pinned << QStringLiteral("train/loss_total");  // there twice
    page.setCardSettings(settings);
    const auto* pinned = page.section(app::CardSections::kPinned);
    QCOMPARE(pinned->cards().size(), std::size_t{1});
    QCOMPARE(namesOn(pinned->cards().front().card), QStringList{QStringLiteral("train")});
    page.setRuns({shown});
    QCOMPARE(namesOn(loss), QStringList{QStringLiteral("train")});
    switchInLegend(loss, 1);
    QCOMPARE(namesOn(pinned->cards().front().card).size(), 2);
  }

  void aRunIsHiddenInTheLegendAboveTheCards() {
    QTemporaryDir parent;
    const auto a = open(parent, "a", 8), b = open(parent, "b", 8);
    MonitorPage page;
    show(page, {{a.get(), QStringLiteral("a"), 0}, {b.get(), QStringLiteral("b"), 1}});
    auto* legend = page.findChild<widgets::RunLegend*>();
    legend->setFocus();
    QTest::keyClick(legend, Qt::Key_Right);
    QTest::keyClick(legend, Qt::Key_Space);
    for (const widgets::Curve& curve : page.cards().front()->plot()->curves())
      QCOMPARE(curve.run, QStringLiteral("a"));
    QVERIFY(legend->accessibleName().contains(QStringLiteral("b (hidden)")));
    // Alone it has no legend that would show it again.
    page.setRuns({{b.get(), QStringLiteral("b"), 1}});
    QVERIFY(!page.cards().front()->plot()->curves().empty());
    page.setRuns({{a.get(), QStringLiteral("a"), 0}, {b.get(), QStringLiteral("b"), 1}});
    QCOMPARE(page.cards().front()->plot()->curves().size(), std::size_t{2});
    page.showAllCurves();
    QCOMPARE(page.cards().front()->plot()->curves().size(), std::size_t{4});
  }

  void whenAllRunsAreHiddenTheCardsSayHowToShowThem() {
    QTemporaryDir parent;
    const auto a = open(parent, "a", 8), b = open(parent, "b", 8);
    MonitorPage page;
    show(page, {{a.get(), QStringLiteral("a"), 0}, {b.get(), QStringLiteral("b"), 1}});
    const auto says = [&page](const char* words) {
      for (const auto* label : page.cards().front()->findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(QString::fromLatin1(words))) return true;
      return false;
    };
    auto* legend = page.findChild<widgets::RunLegend*>();
    legend->setFocus();
    QTest::keyClick(legend, Qt::Key_Space);
    QVERIFY(!says("hidden"));
    QTest::keyClick(legend, Qt::Key_Right);
    QTest::keyClick(legend, Qt::Key_Space);
    QVERIFY(says("All runs are hidden: click one above the cards"));
    QVERIFY(!says("Waiting"));
    QTest::keyClick(legend, Qt::Key_Space);
    QVERIFY(!says("hidden"));
  }

  void marksOfTheFirstCardTellWhatHappened() {
    QTemporaryDir parent;
    const auto run = open(parent, "a", 8);
    protocol::State starting;
    starting.seq = 1'000'000;
    starting.step = 20;
    starting.state = protocol::RunState::Starting;
    run->history().add(protocol::EngineMessage(starting));
    app::RunMarks marks;
    std::map<widgets::EventMark::Kind, std::vector<double>> places;
    for (const widgets::EventMark& mark :
         marks.of({{run.get(), QStringLiteral("a"), 0}}, widgets::XAxis::Step))
      places[mark.kind].push_back(mark.x);
    using MarkKind = widgets::EventMark::Kind;
    const std::vector<double> every{10, 20, 30, 40};
    QCOMPARE(places[MarkKind::Checkpoint], every);
    QCOMPARE(places[MarkKind::Evaluation], every);
    QCOMPARE(places[MarkKind::Resume], std::vector<double>{20});
  }

  void imagesAreStepsTimesTheBatch() {
    QTemporaryDir parent;
    const auto run = open(parent, "a", 8);
    MonitorPage page;
    show(page, {{run.get(), QStringLiteral("a"), 0}});
    auto* axis = page.tools()->findChild<QComboBox*>();
    axis->setCurrentIndex(axis->findData(static_cast<int>(widgets::XAxis::Images)));
    QTRY_VERIFY(page.isReady());
    const int batch = run->evaluationPlan().imagesPerStep;
    QVERIFY(batch > 0);
    const auto range = page.cards().front()->plot()->curves().front().source->xRange();
    QCOMPARE(range, std::pair(1.0 * batch, 40.0 * batch));
  }

  void anEmptyApCardGivesTheReason_data() {
    QTest::addColumn<bool>("hasHeldOut");
    QTest::addColumn<QString>("text");
    QTest::newRow("no validation images") << false << "No AP: dataset.val is not set";
    QTest::newRow("ended early") << true << "No AP: the run ended before the first AP evaluation";
  }
  void anEmptyApCardGivesTheReason() {
    QFETCH(bool, hasHeldOut);
    QFETCH(QString, text);
    QTemporaryDir parent;
    tests::MadeRun plan;
    plan.evaluateEvery = 1000;  // never
    if (hasHeldOut) {
      plan.valImages = "/images";
      plan.valAnnotations = "/val.json";
    }
    const auto run = tests::openMade(parent, plan);
    MonitorPage page;
    show(page, {{run.get(), QStringLiteral("made"), 0}});
    QStringList texts;
    for (const widgets::CurveCard* card : page.cards())
      for (const QLabel* label : card->findChildren<QLabel*>())
        if (label->isVisible() && label->text().startsWith(QStringLiteral("No AP")))
          texts.append(label->text());
    QCOMPARE(texts, QStringList({text, text}));  // of masks and of boxes
  }

  void aChangeOfTheRunsResetsTheZoom() {
    QTemporaryDir parent;
    const auto a = open(parent, "a", 8), b = open(parent, "b", 8);
    const app::ShownRun first{a.get(), QStringLiteral("a"), 0};
    const app::ShownRun second{b.get(), QStringLiteral("b"), 1};
    MonitorPage page;
    show(page, {first});
    widgets::CurvePlot* plot = page.cards().front()->plot();
    plot->setXView(10, 20);
    page.setRuns({second, first});  // to compare what is in view
    QVERIFY(plot->isZoomed());
    page.setRuns({second});
    QVERIFY(plot->isZoomed());
    page.setRuns({first});
    QVERIFY(!plot->isZoomed());
  }

  void onlyCardsInSightAreDrawn() {
    QTemporaryDir parent;
    tests::MadeRun plan;
    plan.gpus = 1;
    const auto run = tests::openMade(parent, plan);
    MonitorPage page;
    show(page, {{run.get(), QStringLiteral("one"), 0}});
    widgets::CurvePlot* last = nullptr;
    for (widgets::CurveCard* card : page.cards())
      if (card->isVisible()) last = card->plot();
    QVERIFY(last->visibleRegion().isEmpty());
    QCOMPARE(last->drawnPointCount(0), 0);
    QSignalSpy drawn(last, &widgets::CurvePlot::drawn);
    run->history().metrics().append(100, 1.8e9, {{"train/loss_total", 1.F}});
    Q_EMIT run->changed({.scalars = true});
    QTRY_VERIFY(page.isReady());
    QCOMPARE(drawn.size(), 0);
    for (QScrollArea* area : page.findChildren<QScrollArea*>())
      area->verticalScrollBar()->setValue(area->verticalScrollBar()->maximum());
    QTRY_VERIFY(last->drawnPointCount(0) > 0);
    QTRY_VERIFY(page.isReady());  // others that came in sight may follow in later frames
  }

 private:
  static QStringList namesOn(const widgets::CurveCard* card) {
    QStringList names;
    for (const widgets::Curve& curve : card->plot()->curves()) names << curve.name;
    return names;
  }
  /// By the keyboard: which entry is where depends on fonts.
  static void switchInLegend(widgets::CurveCard* card, int entry) {
    auto* legend = card->findChild<widgets::CardLegend*>();
    legend->setFocus();
    for (int i = 0; i < 9; ++i) QTest::keyClick(legend, Qt::Key_Left);
    for (int i = 0; i < entry; ++i) QTest::keyClick(legend, Qt::Key_Right);
    QTest::keyClick(legend, Qt::Key_Space);
  }
  static std::unique_ptr<RunController> open(const QTemporaryDir& parent, const char* name,
                                             std::optional<double> stepsPerEpoch) {
    tests::MadeRun plan;
    plan.name = name;
    plan.stepsPerEpoch = stepsPerEpoch;
    return tests::openMade(parent, plan);
  }
  static void chooseEpochs(MonitorPage& page) {
    auto* axis = page.tools()->findChild<QComboBox*>();
    axis->setCurrentIndex(axis->findData(static_cast<int>(widgets::XAxis::Epoch)));
  }
  static QString note(const MonitorPage& page) {
    for (const QLabel* label : page.findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(QStringLiteral("run.json")))
        return label->text();
    return {};
  }
};

LOCKSTEP_TEST(TstMonitorPage)
#include "tst_monitor_page.moc"
