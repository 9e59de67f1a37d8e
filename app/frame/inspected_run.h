#pragma once

#include <QModelIndex>
#include <vector>

#include "app/cards/monitor_cards.h"
#include "app/docks/inspected.h"
#include "app/runs/open/run_record.h"
#include "app/runs/open/shown_run.h"

namespace lockstep::app {

/// `listed`: the run in the RunListModel. `record`: empty until it is read.
Inspected inspectedRun(const QModelIndex& listed, const RunController& run,
                       const RunRecord& record);

/// The curves of a card, of each run: last, lowest and highest value, points and steps.
Inspected inspectedCard(const CardPlan& card, const std::vector<ShownRun>& runs);

}  // namespace lockstep::app
