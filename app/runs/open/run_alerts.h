#pragma once

#include <QString>
#include <cstdint>
#include <utility>
#include <vector>

#include "app/runs/open/run_history.h"

namespace lockstep::app {

/// Title of the alert's banner.
QString alertTitle(const protocol::Alert& alert);

/// The step to show in the curves: where the evidence of an alert begins.
std::int64_t stepToShow(const protocol::Alert& alert);

/// The range of steps that shows the problem; of a single step both are the same.
std::pair<std::int64_t, std::int64_t> evidenceSteps(const protocol::Alert& alert);

/// Limit of alert kinds shown as advice. We have fewer, but a log may name any kind.
inline constexpr std::size_t kMaxAdvice = 32;
/// The newest alert of each kind that has evidence, the newest first.
std::vector<protocol::Alert> adviceIn(const std::vector<protocol::Alert>& alerts);

/// KEY=VALUE that mends it in a new run; empty: no single value does.
QString changeOf(const protocol::Alert& alert);

/// The change is that of a fork from a checkpoint, or else belongs in a copy of the experiment,
/// which trains from the beginning.
enum class ChangePlace { Fork, Copy };
/// Of an alert of a run with these checkpoints, in ascending order. What the loss was lost with is
/// in all checkpoints since, so that a fork needs an earlier one.
ChangePlace placeOfChange(const protocol::Alert& alert,
                          const std::vector<std::int64_t>& checkpointSteps);

/// The newest alert that still applies and is newer than `dismissedUntil` (wall time); nullptr:
/// none. An overfitting alert ends with a new lowest held-out loss.
const protocol::Alert* currentAlert(const RunHistory& history, double dismissedUntil);

/// Alerts as lines of a log, each with what mends it in a run with these checkpoints, as
/// placeOfChange() takes them.
std::vector<LogEntry> alertLines(const std::vector<protocol::Alert>& alerts,
                                 const std::vector<std::int64_t>& checkpointSteps);
/// What to do with a change there, as on a button.
QString changeText(ChangePlace place, const QString& change);

}  // namespace lockstep::app
