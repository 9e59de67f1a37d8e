#pragma once

#include <QModelIndex>
#include <vector>

#include "app/controllers/shown_run.h"
#include "app/models/inspected.h"
#include "app/models/monitor_cards.h"
#include "app/models/run_record.h"

namespace lockstep::app {

/// `listed`: the run in the RunListModel. `record`: empty until it is read.
Inspected inspectedRun(const QModelIndex& listed, const RunController& run,
                       const RunRecord& record);

/// The curves of a card, of each run: last, lowest and highest value, points and steps.
Inspected inspectedCard(const CardPlan& card, const std::vector<ShownRun>& runs);

}  // namespace lockstep::app
