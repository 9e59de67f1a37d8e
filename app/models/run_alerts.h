#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "app/models/run_history.h"

namespace lockstep::app {

/// What stands over the curves while the alert holds.
QString alertTitle(const protocol::Alert& alert);

/// The step where the evidence of an alert begins, or that of a failure which is told again behind
/// a cut: where the curves are to be looked at.
std::int64_t stepToShow(const protocol::Alert& alert);

/// The newest alert that still holds and came after `dismissedUntil` (wall time); nullptr: none. A
/// new lowest held-out loss ends an overfitting.
const protocol::Alert* currentAlert(const RunHistory& history, double dismissedUntil);

/// Alerts as lines of a log.
std::vector<LogEntry> alertLines(const std::vector<protocol::Alert>& alerts);

}  // namespace lockstep::app
