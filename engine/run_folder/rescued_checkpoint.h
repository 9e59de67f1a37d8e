#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {

/// Fallback folder for the last checkpoint of a run when it cannot be written to the run folder:
/// lockstep-UID/ID in $TMPDIR, else in /tmp. Creates nothing.
fs::path rescueFolder(const fs::path& runFolder);
/// Creates it with mode 0700. Throws Error.
fs::path ensureRescueFolder(const fs::path& runFolder);

/// Moves a partial checkpoint from the run folder to rescueFolder(); returns its new path. Throws
/// Error.
fs::path rescueCheckpoint(const Layout& layout, std::int64_t step);

/// A complete checkpoint there, or at the path in run.json's error.
struct RescuedCheckpoint {
  std::int64_t step = 0;
  fs::path folder;
};
/// The newest one of this run, if it is newer than the checkpoints in the run folder. One that is
/// older than the run, or of a folder that has no run, belongs to an earlier run at that path.
std::optional<RescuedCheckpoint> findRescuedCheckpoint(const Layout& layout);
/// Moves it into the run folder; from any other folder than rescueFolder(), copies it. On failure
/// throws Error and keeps the original.
void restoreRescuedCheckpoint(const Layout& layout, const RescuedCheckpoint& rescued);

}  // namespace lockstep::run_folder
