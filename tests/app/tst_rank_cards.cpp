#include <QRegularExpression>
#include <QScrollArea>

#include "tests/app/monitor_bench.h"
#include "tests/support/test_main.h"
#include "widgets/banner.h"
#include "widgets/plots/card_legend.h"

using namespace lockstep;
using app::MonitorPage;
using app::ShownRun;
using tests::cardTitled;
using tests::made;
using tests::openMade;

namespace {

std::vector<widgets::CurveCard*> cardsOfRanks(const MonitorPage& page) {
  return {cardTitled(page, QStringLiteral("Step time per rank, s")),
          cardTitled(page, QStringLiteral("Data time per rank, s"))};
}

/// A card is drawn only while it is in sight.
void bringIntoSight(const MonitorPage& page, const widgets::CurveCard* card) {
  for (QScrollArea* area : page.findChildren<QScrollArea*>())
    if (area->isAncestorOf(card)) area->ensureWidgetVisible(const_cast<widgets::CurveCard*>(card));
}

QStringList curveNames(const widgets::CurveCard* card) {
  QStringList names;
  for (const widgets::Curve& curve : card->plot()->curves()) names.append(curve.name);
  return names;
}

/// A Monitor page that shows one run.
struct PageOfOneRun {
  explicit PageOfOneRun(const tests::MadeRun& plan, QSize size = QSize(1130, 700))
      : run(openMade(parent, plan)) {
    tests::show(page, {{run.get(), QString::fromStdString(plan.name), 0}}, size);
  }

  QTemporaryDir parent;
  std::unique_ptr<app::RunController> run;
  MonitorPage page;
};

}  // namespace

/// The Monitor page's cards of a run's ranks and of their devices.
class TstRankCards : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRunOfSeveralRanksHasCurvesOfEachRank() {
    QTemporaryDir parent;
    tests::MadeRun plan = made("three", 2000);
    plan.ranks = 3;
    const auto one = openMade(parent, made("one", 1000)), three = openMade(parent, plan);
    const ShownRun ofOne{one.get(), QStringLiteral("one"), 0},
        ofThree{three.get(), QStringLiteral("three"), 1};
    MonitorPage page;
    tests::show(page, {ofThree});
    const auto cards = cardsOfRanks(page);
    QVERIFY(cards[0] && cards[1]);
    constexpr int kOrder[] = {2, 0, 1};
    for (const widgets::CurveCard* card : cards) {
      QVERIFY(card->isVisible());
      const auto& curves = card->plot()->curves();
      QCOMPARE(curves.size(), std::size_t{3});
      for (int rank = 0; rank < 3; ++rank) {
        // The slow rank is first, in its usual style.
        QCOMPARE(curves[rank].name, QStringLiteral("rank %1").arg(kOrder[rank]));
        QCOMPARE(curves[rank].styleIndex, kOrder[rank]);
        bringIntoSight(page, card);
        QTRY_COMPARE(card->plot()->drawnPointCount(rank), 16);  // 8 records, raw and smoothed
      }
    }
    // Its curve is highest, although the steps of all ranks take as long.
    const auto own = [&](int place) {
      return cards[0]->plot()->curves()[place].source->nearest(40)->value;
    };
    QVERIFY(own(0) > 1.2 * own(1) && own(0) > 1.2 * own(2));

    page.setRuns({ofOne});
    QTRY_VERIFY(!cards[0]->isVisible() && !cards[1]->isVisible());
    QTRY_VERIFY(page.isReady());
    page.setRuns({ofThree});
    QTRY_VERIFY(cards[0]->isVisible());
    // With another run, ranks could be mistaken for runs.
    page.setRuns({ofThree, ofOne});
    QTRY_VERIFY(!cards[0]->isVisible());
  }

  void ofManyRanksTheSlowOneAndOthersHaveCurves() {
    tests::MadeRun plan = made("many", 1000);
    plan.ranks = 300;
    const PageOfOneRun shown(plan);
    const widgets::CurveCard* card = cardsOfRanks(shown.page).front();
    const QStringList names = curveNames(card);
    QCOMPARE(names.size(), qsizetype{256});
    QCOMPARE(names.front(), QStringLiteral("rank 299"));
    QCOMPARE(names.last(), QStringLiteral("rank 254"));
    QVERIFY2(card->subtitle().startsWith(QStringLiteral("256 of 300 ranks")),
             qPrintable(card->subtitle()));
  }

  void theSlowRankIsNamedBesideTheTitles_data() {
    QTest::addColumn<int>("ranks");
    QTest::addColumn<bool>("isSlowForImages");
    QTest::addColumn<int>("slowRankUntil");
    QTest::addColumn<QString>("own");     // as a regular expression
    QTest::addColumn<QString>("images");  // the same
    const QString slow = QStringLiteral("rank %1 is slow: \\+4[0-9] %");
    QTest::newRow("computing") << 3 << false << 1000 << slow.arg(2)
                               << "not the cause of slow rank 2";
    QTest::newRow("images") << 3 << true << 1000 << slow.arg(2) << "cause of slow rank 2";
    QTest::newRow("sixteen") << 16 << true << 1000 << slow.arg(15) << "cause of slow rank 15";
    QTest::newRow("it has ended") << 3 << true << 20 << "slowest: rank [01], \\+[0-9] %"
                                  << "";
    QTest::newRow("one is left") << 2 << true << 20 << ""
                                 << "";
  }
  void theSlowRankIsNamedBesideTheTitles() {
    QFETCH(int, ranks);
    QFETCH(bool, isSlowForImages);
    QFETCH(int, slowRankUntil);
    QFETCH(QString, own);
    QFETCH(QString, images);
    tests::MadeRun plan = made("ranks", 2000);
    plan.ranks = ranks;
    plan.isSlowForImages = isSlowForImages;
    plan.slowRankUntil = slowRankUntil;
    const PageOfOneRun shown(plan);
    const auto cards = cardsOfRanks(shown.page);
    const auto isAll = [](const QString& text, const QString& pattern) {
      return QRegularExpression(QRegularExpression::anchoredPattern(pattern))
          .match(text)
          .hasMatch();
    };
    QVERIFY2(isAll(cards.at(0)->subtitle(), own), qPrintable(cards[0]->subtitle()));
    QVERIFY2(isAll(cards.at(1)->subtitle(), images), qPrintable(cards[1]->subtitle()));
  }

  void devicesAreDrawnIfTheRunLogsThem() {
    QTemporaryDir parent;
    tests::MadeRun plan = made("two", 9000);
    plan.gpus = 2;
    const auto two = openMade(parent, plan);
    plan.name = "host";
    plan.gpus = 0;
    const auto host = openMade(parent, plan);
    plan.name = "one";
    plan.gpus = 1;
    const auto one = openMade(parent, plan);
    plan.name = "none";
    plan.gpus = -1;
    const auto none = openMade(parent, plan);
    const ShownRun ofTwo{two.get(), QStringLiteral("two"), 0},
        ofHost{host.get(), QStringLiteral("host"), 1}, ofOne{one.get(), QStringLiteral("one"), 2},
        ofNone{none.get(), QStringLiteral("none"), 3};
    MonitorPage page;
    tests::show(page, {ofTwo}, QSize(1130, 1200));  // every card is in sight
    const widgets::CurveCard* use = cardTitled(page, QStringLiteral("Utilization, %"));
    const widgets::CurveCard* memory = cardTitled(page, QStringLiteral("Device memory, GiB"));
    const widgets::CurveCard* power = cardTitled(page, QStringLiteral("GPU power, W"));
    QVERIFY(use->isVisible() && memory->isVisible() && power->isVisible());
    QCOMPARE(curveNames(use), (QStringList{QStringLiteral("GPU 0"), QStringLiteral("GPU 1"),
                                           QStringLiteral("CPU")}));
    QCOMPARE(curveNames(memory).back(), QStringLiteral("host"));
    bringIntoSight(page, use);
    QTRY_COMPARE(use->plot()->drawnPointCount(1), 20);  // as they are, and smoothed
    QCOMPARE(use->subtitle(), QString());

    page.setRuns({ofHost});
    QTRY_COMPARE(curveNames(use), QStringList{QStringLiteral("CPU")});
    // In the colour of its run, and named.
    const auto styleOn = [](const widgets::CurveCard* card) {
      return card->plot()->curves()[0].styleIndex;
    };
    const widgets::CurveCard* rate = cardTitled(page, QStringLiteral("Learning rate"));
    QCOMPARE(styleOn(use), styleOn(rate));
    const int styleOfHost = styleOn(use);
    QCOMPARE(use->findChild<widgets::CardLegend*>()->shownNames(),
             QStringList{QStringLiteral("CPU")});
    QTRY_VERIFY(!power->isVisible());
    QTRY_VERIFY2(use->subtitle().toDouble() > 50, qPrintable(use->subtitle()));
    page.setRuns({ofOne});
    QTRY_VERIFY(power->isVisible());
    QTRY_VERIFY2(power->subtitle().toDouble() > 490, qPrintable(power->subtitle()));
    QVERIFY(styleOn(use) == styleOn(rate) && styleOn(use) != styleOfHost);
    page.setRuns({ofNone});
    QTRY_VERIFY(!power->isVisible());
    QTRY_VERIFY(page.isReady());
    QVERIFY(use->isVisible());
    QCOMPARE(use->plot()->drawnPointCount(0), 0);
    // With another run, GPUs could be mistaken for runs.
    page.setRuns({ofNone, ofTwo});
    QTRY_VERIFY(!use->isVisible());
  }

  void everyGpuThatADriverServesIsDrawn() {
    tests::MadeRun plan = made("many", 1000);
    plan.gpus = 32;
    const PageOfOneRun shown(plan);
    const QStringList names = curveNames(cardTitled(shown.page, QStringLiteral("Utilization, %")));
    QCOMPARE(names.size(), 33);  // and the CPU
    QVERIFY(names.contains(QStringLiteral("GPU 31")));
  }

  void noCardIsWiderThanThePage_data() {
    QTest::addColumn<int>("width");
    QTest::newRow("one column") << 550;
    QTest::newRow("two columns") << 660;
    QTest::newRow("four columns") << 1110;
  }
  void noCardIsWiderThanThePage() {
    QFETCH(int, width);
    tests::MadeRun plan = made("sixteen", 2000);
    plan.ranks = 16;
    const PageOfOneRun shown(plan, QSize(width, 700));
    QCOMPARE(shown.page.width(), width);
    QVERIFY(cardsOfRanks(shown.page).at(1)->subtitle().contains(QStringLiteral("rank 15")));
    const auto* cards = shown.page.findChild<QScrollArea*>();
    QCOMPARE(cards->widget()->width(), cards->viewport()->width());
  }

  void theAlertOfASlowRankLinksToItsCurves() {
    tests::MadeRun plan = made("three", 2000);
    plan.ranks = 3;
    const PageOfOneRun shown(plan);
    const widgets::CurveCard* card = cardsOfRanks(shown.page).at(0);
    const auto isWhole = [&] { return card->visibleRegion().boundingRect() == card->rect(); };
    QVERIFY(!isWhole());
    auto* alert = shown.page.findChild<widgets::Banner*>();
    QVERIFY2(alert->detail().contains(QStringLiteral("All ranks wait for rank 2")),
             qPrintable(alert->detail()));
    Q_EMIT alert->actionTriggered();
    QTRY_VERIFY(isWhole());
  }
};

LOCKSTEP_TEST(TstRankCards)
#include "tst_rank_cards.moc"
