#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "app/models/metric_store.h"
#include "app/models/monitor_cards.h"

namespace lockstep::app {

/// What the runs on the page have that some cards depend on.
struct CardParts {
  bool isOneRun = false;
  int ranks = 0;          ///< whose times the only run records; 0 of a single one
  std::vector<int> gpus;  ///< whose figures it records
  std::optional<int> lateRank;
  bool operator==(const CardParts&) const = default;
};

/// Of the only run on the page; nullptr: there are none or several.
CardParts cardParts(const MetricStore* onlyRun);

/// Cards of ranks and of GPUs come with the first record of them, and go with that run, or when it
/// is compared with another. Indices into the plans.
std::vector<std::size_t> cardsWith(const CardParts& parts, const std::vector<CardPlan>& plans);

/// Where a card stands in the grid.
struct CardPlace {
  std::size_t card = 0;  ///< index into the plans
  int row = 0, column = 0, rowSpan = 1, columnSpan = 1;
  int rowStretch = 1;  ///< of its first row
};

/// In four columns as planned; in fewer the cards flow in the order of the plans.
std::vector<CardPlace> placeCards(const std::vector<CardPlan>& plans,
                                  const std::vector<std::size_t>& shown, int columns);

}  // namespace lockstep::app
