#pragma once

#include <optional>

#include "engine/foreign_runs/find_runs.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::app {

/// A run of ours, or one of another program, which is read and never written.
struct ListedRun {
  run_folder::RunSummary summary;
  std::optional<foreign_runs::Source> program{};  ///< nullopt: ours
};

/// Reads what a list shows. Where a program records no state, the state's text is the program's
/// name. Blocks.
ListedRun readListedRun(const foreign_runs::ForeignRun& run);

}  // namespace lockstep::app
