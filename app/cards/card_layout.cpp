#include "app/cards/card_layout.h"

#include <algorithm>
#include <set>
#include <utility>

#include "app/cards/card_facts.h"
#include "engine/events/tags.h"

namespace lockstep::app {
namespace {

/// The first rows are a little higher if they begin with the losses.
constexpr int kTopColumns = 4, kTopRows = 2, kTopStretch = 11, kStretch = 10;

/// Cells of a grid that are taken.
class Cells {
 public:
  explicit Cells(int columns) : columns_(columns) {}
  /// The first free place for this many columns and rows, from left to right and down; taken then.
  CardPlace take(int columnSpan, int rowSpan) {
    CardPlace place{0, 0, 0, rowSpan, columnSpan};
    while (!isFree(place))
      if (++place.column + columnSpan > columns_) {
        place.column = 0;
        ++place.row;
      }
    occupy(place);
    return place;
  }
  /// Takes the gap to the right of a place, if there is one above the last row.
  void widen(CardPlace& place) {
    const int lastRow = taken_.rbegin()->first;
    const auto isGap = [&] {
      const CardPlace next{0, place.row, place.column + place.columnSpan, place.rowSpan, 1};
      return next.column < columns_ && next.row + next.rowSpan <= lastRow && isFree(next);
    };
    while (isGap()) {
      ++place.columnSpan;
      occupy(place);
    }
  }

 private:
  template <typename Use>
  static void forEach(const CardPlace& place, Use use) {
    for (int row = place.row; row < place.row + place.rowSpan; ++row)
      for (int column = place.column; column < place.column + place.columnSpan; ++column)
        use(std::pair(row, column));
  }
  void occupy(const CardPlace& place) {
    forEach(place, [this](const std::pair<int, int>& cell) { taken_.insert(cell); });
  }
  bool isFree(const CardPlace& place) const {
    bool isFree = true;
    forEach(place,
            [&](const std::pair<int, int>& cell) { isFree = isFree && !taken_.contains(cell); });
    return isFree;
  }

  int columns_;
  std::set<std::pair<int, int>> taken_;
};

bool hasCurve(const CardPlan& plan, const CardScope& scope) {
  return std::any_of(plan.curves.begin(), plan.curves.end(),
                     [&](const CardCurve& curve) { return scope.hasMasks || !curve.isOfMasks; });
}

}  // namespace

CardScope cardScope(const MetricStore* onlyRun, bool hasMasks) {
  CardScope scope;
  scope.hasMasks = hasMasks;
  if (!onlyRun) return scope;
  scope.isOneRun = true;
  scope.ranks = recordedRankCount(*onlyRun);
  scope.gpus = recordedGpus(*onlyRun);
  scope.hasStepParts = onlyRun->series(events::tags::kForwardSeconds) != nullptr;
  if (scope.ranks > 1) scope.slowRank = slowRank(*onlyRun);
  return scope;
}

std::vector<std::size_t> cardsWith(const CardScope& scope, const std::vector<CardPlan>& plans) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const CardPlan& plan = plans[i];
    if ((!plan.perRank || scope.ranks > 1) && (!plan.perGpu || scope.isOneRun) &&
        (!plan.needsGpu || !scope.gpus.empty()) && hasCurve(plan, scope))
      shown.push_back(i);
  }
  return shown;
}

std::vector<CardPlace> placeCards(const std::vector<CardPlan>& plans,
                                  const std::vector<std::size_t>& shown, int columns) {
  const bool hasTop = columns == kTopColumns && !shown.empty() && shown.front() == 0;
  Cells cells(columns);
  std::vector<CardPlace> places;
  for (const std::size_t card : shown) {
    CardPlace place = cells.take(std::min(plans[card].columnSpan, columns), plans[card].rowSpan);
    place.card = card;
    place.rowStretch = hasTop && place.row < kTopRows ? kTopStretch : kStretch;
    places.push_back(place);
  }
  // A gap is left where the next card was too wide for it.
  for (CardPlace& place : places)
    if (place.columnSpan > 1) cells.widen(place);
  return places;
}

}  // namespace lockstep::app
