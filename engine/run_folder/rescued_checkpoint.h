#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {

/// Where the last checkpoint of a run goes that its folder does not take: $TMPDIR, else /tmp, and
/// in it lockstep-UID/ID. Makes nothing.
fs::path rescueFolder(const fs::path& runFolder);
/// Makes it, open to this user alone. Throws Error.
fs::path ensureRescueFolder(const fs::path& runFolder);

/// Moves a partial checkpoint out of the run folder into rescueFolder(); returns its place. Throws
/// Error.
fs::path rescueCheckpoint(const Layout& layout, std::int64_t step);

/// A whole checkpoint that lies there, or where run.json's error says.
struct RescuedCheckpoint {
  std::int64_t step = 0;
  fs::path folder;
};
/// The newest one of this run that is newer than those in its folder. One from before the run was
/// made is another's that had this place, as is any where the folder holds no run.
std::optional<RescuedCheckpoint> findRescuedCheckpoint(const Layout& layout);
/// Moves it into the run folder; only copies it from a place that rescueFolder() did not give.
/// Throws Error, and leaves it where it is.
void fetchRescuedCheckpoint(const Layout& layout, const RescuedCheckpoint& rescued);

}  // namespace lockstep::run_folder
