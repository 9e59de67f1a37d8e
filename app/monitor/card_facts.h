#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "app/controllers/run_controller.h"
#include "app/monitor/monitor_cards.h"

namespace lockstep::app {

/// The figure beside a card's title.
struct CardFact {
  QString text;
  bool isWarning = false;
};

/// Whether the fact is the second curve's share of the first, which makes a legend needless.
bool hasShare(const CardPlan& plan);

/// Of a run, by its newest records. `isOnlyRun`: no other is drawn on the card.
CardFact cardFact(const CardPlan& plan, const RunController& run, bool isOnlyRun);

/// GPUs whose figures the run's records tell, by the driver's numbers.
std::vector<int> toldGpus(const RunController& run);
/// Ranks whose times the run's records tell; 0 of a single one.
int toldRanks(const RunController& run);
/// The one that holds the others up now.
std::optional<int> lateRank(const RunController& run);

}  // namespace lockstep::app
