#pragma once

#include <optional>
#include <vector>

#include "app/controllers/shown_run.h"
#include "app/monitor/monitor_cards.h"
#include "widgets/curves/curve_source.h"

namespace lockstep::app {

/// What a card draws: its curves of every run.
std::vector<widgets::Curve> curvesOfRuns(const CardPlan& plan, const std::vector<ShownRun>& runs,
                                         widgets::XAxis axis);

/// Its one curve for each rank of a run, told apart as runs are elsewhere. `first` lies over the
/// others and begins the legend.
std::vector<widgets::Curve> curvesOfRanks(const CardPlan& plan, const ShownRun& run, int ranks,
                                          std::optional<int> first, widgets::XAxis axis);

/// Its curves, those of GPUs for each of these, told apart as runs are elsewhere.
std::vector<widgets::Curve> curvesOfDevices(const CardPlan& plan, const ShownRun& run,
                                            const std::vector<int>& gpus, widgets::XAxis axis);

}  // namespace lockstep::app
