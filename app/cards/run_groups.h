#pragma once

#include <QString>
#include <vector>

#include "app/runs/open/shown_run.h"

namespace lockstep::app {

/// Runs that are drawn as one: their mean. A single run is drawn as it is.
struct RunGroup {
  QString name;  ///< says how many runs, if several
  int styleIndex = 0;
  std::vector<ShownRun> runs;
};

/// By their sections in the list; without sections all are one group. Unless `joins`, each run is
/// alone.
std::vector<RunGroup> groupsOf(const std::vector<ShownRun>& runs, bool joins);

}  // namespace lockstep::app
