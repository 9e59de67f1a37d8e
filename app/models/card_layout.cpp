#include "app/models/card_layout.h"

#include <algorithm>

#include "app/models/card_facts.h"

namespace lockstep::app {
namespace {

constexpr int kPlannedColumns = 4;
constexpr int kHighRows = 2;  ///< the first rows, with the large card

CardPlace plannedPlace(std::size_t card, const CardPlan& plan) {
  return {card,         plan.row,        plan.column,
          plan.rowSpan, plan.columnSpan, plan.row < kHighRows ? 11 : 10};
}

}  // namespace

CardScope cardScope(const MetricStore* onlyRun) {
  CardScope scope;
  if (!onlyRun) return scope;
  scope.isOneRun = true;
  scope.ranks = recordedRankCount(*onlyRun);
  scope.gpus = recordedGpus(*onlyRun);
  if (scope.ranks > 1) scope.slowRank = slowRank(*onlyRun);
  return scope;
}

std::vector<std::size_t> cardsWith(const CardScope& scope, const std::vector<CardPlan>& plans) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const CardPlan& plan = plans[i];
    if ((!plan.perRank || scope.ranks > 1) && (!plan.perGpu || scope.isOneRun) &&
        (!plan.needsGpu || !scope.gpus.empty()))
      shown.push_back(i);
  }
  return shown;
}

std::vector<CardPlace> placeCards(const std::vector<CardPlan>& plans,
                                  const std::vector<std::size_t>& shown, int columns) {
  std::vector<CardPlace> places;
  int row = 0, column = 0;
  for (const std::size_t card : shown) {
    const CardPlan& plan = plans[card];
    if (columns == kPlannedColumns) {
      places.push_back(plannedPlace(card, plan));
      continue;
    }
    const int span = std::min(plan.columnSpan, columns);
    places.push_back({card, row, column, 1, span, card == 0 ? 2 : 1});
    column += span;
    if (column >= columns) {
      column = 0;
      ++row;
    }
  }
  return places;
}

}  // namespace lockstep::app
