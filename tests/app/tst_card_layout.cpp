#include <QTest>
#include <algorithm>
#include <set>
#include <utility>

#include "app/cards/card_layout.h"
#include "tests/support/test_main.h"

using lockstep::app::CardPlace;
using lockstep::app::CardPlan;
using lockstep::app::CardScope;

namespace {

bool isShown(const CardScope& scope, const char* title) {
  const std::vector<CardPlan> plans = lockstep::app::monitorCards();
  const std::vector<std::size_t> shown = lockstep::app::cardsWith(scope, plans);
  return std::any_of(shown.begin(), shown.end(),
                     [&](std::size_t card) { return plans[card].title == QLatin1String(title); });
}

CardScope oneRun(int ranks, std::vector<int> gpus) {
  CardScope scope;
  scope.isOneRun = true;
  scope.ranks = ranks;
  scope.gpus = std::move(gpus);
  return scope;
}

}  // namespace

class TstCardLayout : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cardsOfRanksAndDevicesAreShownIfThereAreSome() {
    QVERIFY(isShown({}, "Learning rate"));
    QVERIFY(!isShown({}, "Step time per rank, s") && !isShown({}, "Utilization, %"));
    QVERIFY(!isShown(oneRun(0, {}), "Step time per rank, s"));
    QVERIFY(isShown(oneRun(2, {}), "Step time per rank, s"));
    QVERIFY(isShown(oneRun(0, {}), "Utilization, %") && !isShown(oneRun(0, {}), "GPU power, W"));
    QVERIFY(isShown(oneRun(0, {1}), "GPU power, W"));
  }

  void theMaskCardIsOfRunsWithMasks() {
    CardScope boxes = oneRun(0, {});
    QVERIFY(isShown(boxes, "Mask") && isShown(boxes, "Mask AP") && isShown(boxes, "Box AP"));
    boxes.hasMasks = false;
    QVERIFY(!isShown(boxes, "Mask") && !isShown(boxes, "Mask AP"));
    QVERIFY(isShown(boxes, "Box AP") && isShown(boxes, "Box"));
  }

  void theTopRowsAreFullWithAndWithoutMasks() {
    const std::vector<CardPlan> plans = lockstep::app::monitorCards();
    CardScope scope = oneRun(0, {});
    const auto titles = [&] {
      QStringList top;
      for (const CardPlace& place :
           lockstep::app::placeCards(plans, lockstep::app::cardsWith(scope, plans), 4))
        if (place.row < 2) top << plans[place.card].title;
      return top;
    };
    QCOMPARE(titles(), (QStringList{QStringLiteral("Loss: training and validation"),
                                    QStringLiteral("Mask AP"), QStringLiteral("Box AP")}));
    scope.hasMasks = false;
    QCOMPARE(titles(), (QStringList{QStringLiteral("Loss: training and validation"),
                                    QStringLiteral("Box AP"), QStringLiteral("Learning rate")}));
  }

  void aGapThatNoCardFitsInGoesToTheWideCardBeforeIt() {
    std::vector<CardPlan> plans(4);
    const std::vector<int> spans{1, 2, 2, 1};
    for (std::size_t i = 0; i < plans.size(); ++i) plans[i].columnSpan = spans[i];
    const auto spansOf = [&](const std::vector<std::size_t>& shown) {
      std::vector<int> found;
      for (const CardPlace& place : lockstep::app::placeCards(plans, shown, 4))
        found.push_back(place.columnSpan);
      return found;
    };
    QCOMPARE(spansOf({0, 1, 2}), (std::vector<int>{1, 3, 2}));        // the last row stays open
    QCOMPARE(spansOf({0, 1, 2, 3}), (std::vector<int>{1, 2, 2, 1}));  // one fits
    QCOMPARE(spansOf({0, 1}), (std::vector<int>{1, 2}));
  }

  void cardsDoNotOverlap_data() {
    QTest::addColumn<int>("columns");
    QTest::addColumn<bool>("hasMasks");
    for (const int columns : {4, 2, 1})
      for (const bool hasMasks : {true, false})
        QTest::addRow("%d columns, %s", columns, hasMasks ? "masks" : "boxes")
            << columns << hasMasks;
  }
  void cardsDoNotOverlap() {
    QFETCH(int, columns);
    QFETCH(bool, hasMasks);
    const std::vector<CardPlan> plans = lockstep::app::monitorCards();
    CardScope scope = oneRun(8, {0, 1});
    scope.hasMasks = hasMasks;
    const std::vector<std::size_t> shown = lockstep::app::cardsWith(scope, plans);
    const std::vector<CardPlace> places = lockstep::app::placeCards(plans, shown, columns);
    QCOMPARE(places.size(), shown.size());
    std::set<std::pair<int, int>> taken;
    for (const CardPlace& place : places) {
      QVERIFY(place.column + place.columnSpan <= columns);
      for (int row = place.row; row < place.row + place.rowSpan; ++row)
        for (int column = place.column; column < place.column + place.columnSpan; ++column)
          QVERIFY2(taken.insert({row, column}).second, qPrintable(plans[place.card].title));
    }
  }
};

LOCKSTEP_TEST(TstCardLayout)
#include "tst_card_layout.moc"
