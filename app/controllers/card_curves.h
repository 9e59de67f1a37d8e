#pragma once

#include <vector>

#include "app/controllers/shown_run.h"
#include "app/models/card_layout.h"
#include "widgets/curves/curve_source.h"

namespace lockstep::app {

/// What a card draws: its curves of every run; of the only run those of each rank (the late one
/// first) or GPU, told apart as runs are elsewhere.
std::vector<widgets::Curve> curvesOfCard(const CardPlan& plan, const std::vector<ShownRun>& runs,
                                         const CardParts& parts, widgets::XAxis axis);

}  // namespace lockstep::app
