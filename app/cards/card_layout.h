#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/cards/monitor_cards.h"
#include "app/metrics/metric_store.h"

namespace lockstep::app {

/// What decides which cards and curves are shown.
struct CardScope {
  bool isOneRun = false;
  int ranks = 0;          ///< number of ranks that the only run has times of; 0 for a single rank
  std::vector<int> gpus;  ///< GPUs that it has metrics of
  std::optional<int> slowRank;
  bool hasStepParts = false;  ///< the only run has times of the forward pass and the like
  bool hasMasks = true;       ///< one of the runs has a mask head
  bool isForeign = false;     ///< all runs are of other programs, which log what they like
  bool operator==(const CardScope&) const = default;
};

/// `onlyRun` nullptr: no run or several runs are shown. hasMasks: one of them has.
CardScope cardScope(const MetricStore* onlyRun, bool hasMasks);

/// Indices of the plans that are shown: those with a curve. Cards per rank need a single run with
/// several ranks, cards per GPU a single run; those with needsGpu also its GPU metrics.
std::vector<std::size_t> cardsWith(const CardScope& scope, const std::vector<CardPlan>& plans);

/// Position of a card in the grid.
struct CardPlace {
  std::size_t card = 0;  ///< index into the plans
  int row = 0, column = 0, rowSpan = 1, columnSpan = 1;
  int rowStretch = 1;  ///< stretch factor of its rows
};

/// In the given order, from left to right and down; a later card fills a gap that it fits in, and a
/// wide card the gap behind it that none fits in.
std::vector<CardPlace> placeCards(const std::vector<CardPlan>& plans,
                                  const std::vector<std::size_t>& shown, int columns);

}  // namespace lockstep::app
