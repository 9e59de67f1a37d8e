#include "app/models/card_layout.h"

#include <algorithm>
#include <iterator>

#include "app/models/card_facts.h"

namespace lockstep::app {
namespace {

/// Places of the first shown cards in four columns, which are higher: the losses, and two beside
/// them.
constexpr CardPlace kTopPlaces[] = {{0, 0, 0, 2, 3, 11}, {0, 0, 3, 1, 1, 11}, {0, 1, 3, 1, 1, 11}};
constexpr int kTopColumns = 4, kTopRows = 2;

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
  std::vector<CardPlace> places;
  int row = hasTop ? kTopRows : 0, column = 0;
  for (const std::size_t card : shown) {
    if (hasTop && places.size() < std::size(kTopPlaces)) {
      places.push_back(kTopPlaces[places.size()]);
      places.back().card = card;
      continue;
    }
    const int span = std::min(plans[card].columnSpan, columns);
    if (column + span > columns) {
      column = 0;
      ++row;
    }
    const int stretch = hasTop ? 10 : card == 0 ? 2 : 1;
    places.push_back({card, row, column, 1, span, stretch});
    column += span;
  }
  return places;
}

}  // namespace lockstep::app
