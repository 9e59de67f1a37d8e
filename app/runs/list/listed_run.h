#pragma once

#include <optional>

#include "engine/foreign_runs/find_runs.h"
#include "engine/run_folder/run_notes.h"

namespace lockstep::app {

/// A run of ours, or one of another program, which is read and never written.
struct ListedRun {
  run_folder::RunSummary summary;
  std::optional<foreign_runs::Source> program{};  ///< nullopt: ours
  run_folder::RunNotes notes{};
  std::string notesFault{};  ///< why the notes could not be read; empty: they could
  /// What a run on another machine has there; the user's own notes of it replace that.
  run_folder::RunNotes notesThere{};
};

/// In all that a list shows.
bool isSame(const ListedRun& a, const ListedRun& b);

/// Of ours. Blocks.
ListedRun readListedRun(const std::filesystem::path& runFolder);

/// Of another program, without notes. Where it records no state, the state's text is its name.
/// Blocks.
ListedRun readListedRun(const foreign_runs::ForeignRun& run);

/// What it is called: in its notes, by its program, or its folder.
std::string nameOf(const ListedRun& run);

}  // namespace lockstep::app
