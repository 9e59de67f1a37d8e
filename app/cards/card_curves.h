#pragma once

#include <vector>

#include "app/cards/card_layout.h"
#include "app/cards/run_groups.h"
#include "widgets/curves/curve_source.h"

namespace lockstep::app {

/// The curves of a card: those of every group of runs, the parts of its stack for a single run or,
/// on a card per rank or GPU, one for each rank (the slow one first) or GPU of the only run, with
/// the styles of runs.
std::vector<widgets::Curve> curvesOfCard(const CardPlan& plan, const std::vector<RunGroup>& groups,
                                         const CardScope& scope, widgets::XAxis axis);

}  // namespace lockstep::app
