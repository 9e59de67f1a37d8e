#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "app/models/metric_store.h"
#include "app/models/monitor_cards.h"

namespace lockstep::app {

/// The figure beside a card's title.
struct CardFact {
  QString text;
  bool isWarning = false;
};

/// Whether the fact is the second curve's share of the first, which makes a legend needless.
bool hasShare(const CardPlan& plan);

/// By the newest records of a run. `isOnlyRun`: no other is drawn on the card.
CardFact cardFact(const CardPlan& plan, const MetricStore& metrics, bool isOnlyRun);

/// GPUs whose figures the run's records tell, by the driver's numbers.
std::vector<int> recordedGpus(const MetricStore& metrics);
/// Ranks whose times the run's records tell; 0 of a single one.
int recordedRankCount(const MetricStore& metrics);
/// The one that holds the others up now.
std::optional<int> lateRank(const MetricStore& metrics);

}  // namespace lockstep::app
