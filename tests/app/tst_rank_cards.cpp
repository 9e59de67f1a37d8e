#include <QRegularExpression>
#include <QScrollArea>
#include <QTemporaryDir>
#include <QTest>

#include "app/frame/main_window.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/runs_panel.h"
#include "tests/app/made_run.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/banner.h"
#include "widgets/plots/card_legend.h"
#include "widgets/plots/curve_card.h"

using namespace lockstep;
using app::MainWindow;
using tests::made;
using tests::optionsFor;

namespace {

std::vector<widgets::CurveCard*> cardsOfRanks(const MainWindow& window) {
  std::vector<widgets::CurveCard*> found;
  for (widgets::CurveCard* card : window.monitorPage()->cards())
    if (card->title() == QStringLiteral("Step time per rank, s") ||
        card->title() == QStringLiteral("Data time per rank, s"))
      found.push_back(card);
  return found;
}

const widgets::CurveCard* cardTitled(const MainWindow& window, const QString& title) {
  for (const widgets::CurveCard* card : window.monitorPage()->cards())
    if (card->title() == title) return card;
  return nullptr;
}

/// A card is drawn only while it is in sight.
void bringIntoSight(const MainWindow& window, const widgets::CurveCard* card) {
  for (QScrollArea* area : window.monitorPage()->findChildren<QScrollArea*>())
    if (area->isAncestorOf(card)) area->ensureWidgetVisible(const_cast<widgets::CurveCard*>(card));
}

QStringList curveNames(const widgets::CurveCard* card) {
  QStringList names;
  for (const widgets::Curve& curve : card->plot()->curves()) names.append(curve.name);
  return names;
}
}  // namespace

/// The Monitor page's cards of a run's ranks and of their devices.
class TstRankCards : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRunOfSeveralRanksHasCurvesOfEachRank() {
    QTemporaryDir parent;
    const QString one = tests::makeRun(parent.path(), made("one", 1000));
    tests::MadeRun plan = made("three", 2000);
    plan.ranks = 3;
    const QString three = tests::makeRun(parent.path(), plan);
    MainWindow window(&theme_, optionsFor({parent.path()}));
    window.show();
    QTRY_COMPARE(window.runsPanel()->currentRun(), three);
    QTRY_VERIFY(window.isReady());
    const auto cards = cardsOfRanks(window);
    QCOMPARE(cards.size(), std::size_t{2});
    constexpr int kOrder[] = {2, 0, 1};
    for (const widgets::CurveCard* card : cards) {
      QVERIFY(card->isVisible());
      const auto& curves = card->plot()->curves();
      QCOMPARE(curves.size(), std::size_t{3});
      for (int rank = 0; rank < 3; ++rank) {
        // The slow rank is first, in its usual style.
        QCOMPARE(curves[rank].name, QStringLiteral("rank %1").arg(kOrder[rank]));
        QCOMPARE(curves[rank].styleIndex, kOrder[rank]);
        bringIntoSight(window, card);
        QTRY_COMPARE(card->plot()->drawnPointCount(rank), 16);  // 8 records, raw and smoothed
      }
    }
    // Its curve is highest, although the steps of all ranks take as long.
    const auto own = [&](int place) {
      return cards[0]->plot()->curves()[place].source->nearest(40)->value;
    };
    QVERIFY(own(0) > 1.2 * own(1) && own(0) > 1.2 * own(2));

    window.runsPanel()->selectRun(one);
    QTRY_VERIFY(!cards[0]->isVisible() && !cards[1]->isVisible());
    QTRY_VERIFY(window.isReady());
    window.runsPanel()->selectRun(three);
    QTRY_VERIFY(cards[0]->isVisible());
    // With another run, ranks could be mistaken for runs.
    window.runsPanel()->addToSelection(one);
    QTRY_VERIFY(!cards[0]->isVisible());
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
    QTemporaryDir parent;
    tests::MadeRun plan = made("ranks", 2000);
    plan.ranks = ranks;
    plan.isSlowForImages = isSlowForImages;
    plan.slowRankUntil = slowRankUntil;
    MainWindow window(&theme_, optionsFor({tests::makeRun(parent.path(), plan)}));
    window.show();
    QTRY_VERIFY(window.isReady());
    const auto cards = cardsOfRanks(window);
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
    const QString two = tests::makeRun(parent.path(), plan);
    plan.created = 1000;
    plan.name = "host";
    plan.gpus = 0;
    const QString host = tests::makeRun(parent.path(), plan);
    plan.name = "one";
    plan.gpus = 1;
    const QString one = tests::makeRun(parent.path(), plan);
    plan.name = "none";
    plan.gpus = -1;
    const QString none = tests::makeRun(parent.path(), plan);
    MainWindow window(&theme_, optionsFor({parent.path()}));
    window.resize(1400, 1400);  // every card is in sight
    window.show();
    QTRY_COMPARE(window.runsPanel()->currentRun(), two);
    QTRY_VERIFY(window.isReady());
    const widgets::CurveCard* use = cardTitled(window, QStringLiteral("Utilization, %"));
    const widgets::CurveCard* memory = cardTitled(window, QStringLiteral("Device memory, GiB"));
    const widgets::CurveCard* power = cardTitled(window, QStringLiteral("GPU power, W"));
    QVERIFY(use->isVisible() && memory->isVisible() && power->isVisible());
    QCOMPARE(curveNames(use), (QStringList{QStringLiteral("GPU 0"), QStringLiteral("GPU 1"),
                                           QStringLiteral("CPU")}));
    QCOMPARE(curveNames(memory).back(), QStringLiteral("host"));
    bringIntoSight(window, use);
    QTRY_COMPARE(use->plot()->drawnPointCount(1), 20);  // as they are, and smoothed
    QCOMPARE(use->subtitle(), QString());

    window.runsPanel()->selectRun(host);
    QTRY_COMPARE(curveNames(use), QStringList{QStringLiteral("CPU")});
    // In the colour of its run, and named.
    const auto styleOn = [](const widgets::CurveCard* card) {
      return card->plot()->curves()[0].styleIndex;
    };
    const widgets::CurveCard* rate = cardTitled(window, QStringLiteral("Learning rate"));
    QCOMPARE(styleOn(use), styleOn(rate));
    const int styleOfHost = styleOn(use);
    QCOMPARE(use->findChild<widgets::CardLegend*>()->shownNames(),
             QStringList{QStringLiteral("CPU")});
    QTRY_VERIFY(!power->isVisible());
    QTRY_VERIFY2(use->subtitle().toDouble() > 50, qPrintable(use->subtitle()));
    window.runsPanel()->selectRun(one);
    QTRY_VERIFY(power->isVisible());
    QTRY_VERIFY2(power->subtitle().toDouble() > 490, qPrintable(power->subtitle()));
    QVERIFY(styleOn(use) == styleOn(rate) && styleOn(use) != styleOfHost);
    window.runsPanel()->selectRun(none);
    QTRY_VERIFY(!power->isVisible());
    QTRY_VERIFY(window.isReady());
    QVERIFY(use->isVisible());
    QCOMPARE(use->plot()->drawnPointCount(0), 0);
    // With another run, GPUs could be mistaken for runs.
    window.runsPanel()->addToSelection(two);
    QTRY_VERIFY(!use->isVisible());
  }

  void everyGpuThatADriverServesIsDrawn() {
    QTemporaryDir parent;
    tests::MadeRun plan = made("many", 1000);
    plan.gpus = 32;
    MainWindow window(&theme_, optionsFor({tests::makeRun(parent.path(), plan)}));
    window.show();
    QTRY_VERIFY(window.isReady());
    const QStringList names = curveNames(cardTitled(window, QStringLiteral("Utilization, %")));
    QCOMPARE(names.size(), 33);  // and the CPU
    QVERIFY(names.contains(QStringLiteral("GPU 31")));
  }

  void noCardIsWiderThanThePage_data() {
    QTest::addColumn<int>("width");
    QTest::newRow("one column") << 820;
    QTest::newRow("two columns") << 930;
    QTest::newRow("four columns") << 1380;
  }
  void noCardIsWiderThanThePage() {
    QFETCH(int, width);
    QTemporaryDir parent;
    tests::MadeRun plan = made("sixteen", 2000);
    plan.ranks = 16;
    MainWindow window(&theme_, optionsFor({tests::makeRun(parent.path(), plan)}));
    window.resize(width, 900);
    window.show();
    QTRY_VERIFY(window.isReady());
    QCOMPARE(window.width(), width);
    QVERIFY(cardsOfRanks(window).at(1)->subtitle().contains(QStringLiteral("rank 15")));
    const auto* cards = window.monitorPage()->findChild<QScrollArea*>();
    QCOMPARE(cards->widget()->width(), cards->viewport()->width());
  }

  void theAlertOfASlowRankLinksToItsCurves() {
    QTemporaryDir parent;
    tests::MadeRun plan = made("three", 2000);
    plan.ranks = 3;
    MainWindow window(&theme_, optionsFor({tests::makeRun(parent.path(), plan)}));
    window.show();
    QTRY_VERIFY(window.isReady());
    const widgets::CurveCard* card = cardsOfRanks(window).at(0);
    const auto isWhole = [&] { return card->visibleRegion().boundingRect() == card->rect(); };
    QVERIFY(!isWhole());
    auto* alert = window.monitorPage()->findChild<widgets::Banner*>();
    QVERIFY2(alert->detail().contains(QStringLiteral("All ranks wait for rank 2")),
             qPrintable(alert->detail()));
    Q_EMIT alert->actionTriggered();
    QTRY_VERIFY(isWhole());
  }

 private:
  widgets::ThemeSwitch theme_;
};

LOCKSTEP_TEST(TstRankCards)
#include "tst_rank_cards.moc"
