#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "app/cards/monitor_cards.h"
#include "app/metrics/metric_store.h"

namespace lockstep::app {

/// The text to the right of a card's title.
struct CardFact {
  QString text;
  bool isWarning = false;
};

/// Whether the card's fact is the second curve's percentage of the first, so it needs no legend.
bool hasShare(const CardPlan& plan);
/// Whether it is the card of the mask AP or of the box AP.
bool isApCard(const CardPlan& plan);

/// The fact by the newest records of a run; empty unless `isOnlyRun`: no other run is shown.
CardFact cardFact(const CardPlan& plan, const MetricStore& metrics, bool isOnlyRun);

/// Indices (the driver's) of the GPUs that the run has metrics of.
std::vector<int> recordedGpus(const MetricStore& metrics);
/// Limit of curves on a card per rank; the slow rank is always among them.
inline constexpr int kMaxRankCurves = 256;
/// Number of ranks that the run has times of; 0 for a single rank.
int recordedRankCount(const MetricStore& metrics);
/// The rank that the others wait for now, if there is one.
std::optional<int> slowRank(const MetricStore& metrics);

}  // namespace lockstep::app
