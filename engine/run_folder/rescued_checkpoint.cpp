#include "engine/run_folder/rescued_checkpoint.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/run_folder/private_folder.h"
#include "engine/run_folder/training_state.h"

namespace lockstep::run_folder {
namespace {

fs::path temporaryFolder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && fs::path(folder).is_absolute() ? fs::path(folder) : fs::path("/tmp");
}

double changedAt(const fs::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 ? static_cast<double>(status.st_mtim.tv_sec) : 0;
}

/// Copies a checkpoint into `place` by way of `partial` on the same disk: whole or not at all.
void copyWhole(const fs::path& from, const fs::path& partial, const fs::path& place) {
  const auto giveUp = [&](const std::string& reason) {
    std::error_code ignored;
    fs::remove_all(partial, ignored);
    return Error(from.string() + ": cannot be copied to " + place.string() + " (" + reason +
                 "); it stays where it is");
  };
  try {
    fs::remove_all(partial);
    fs::create_directory(partial);
    // fs::copy() says "Input/output error" of a disk that is full.
    for (const auto& file : fs::directory_iterator(from))
      base::writeFileAtomically(partial / file.path().filename(), base::readFile(file.path()));
    base::syncToDisk(partial);
    fs::remove_all(place);
    fs::rename(partial, place);
  } catch (const fs::filesystem_error& error) {
    throw giveUp(error.code().message());
  } catch (const Error& error) {
    throw giveUp(error.what());
  }
  base::syncToDisk(place.parent_path());
}

fs::path partialOf(const fs::path& folder, std::int64_t step) {
  return folder / ("." + stepName(step) + ".partial");
}

/// What is known of the run in a folder: of one that has neither run.json nor an event log nothing,
/// and whatever lies under its path's name elsewhere was another's.
std::optional<RunInfo> infoOf(const Layout& layout) {
  try {
    return readRunInfo(layout);
  } catch (const Error&) {  // a full disk breaks run.json, too
    return rebuildRunInfo(layout);
  }
}

/// What the folders that may hold one have, wherever they are.
std::vector<fs::path> candidates(const Layout& layout, const RunInfo& info) {
  std::vector<fs::path> found;
  const fs::path folder = rescueFolder(layout.folder());
  if (isOwnFolder(folder.parent_path()) && isOwnFolder(folder)) {
    for (const std::int64_t step : stepFolders(folder)) found.push_back(folder / stepName(step));
  }
  if (info.error && isOwnFolder(info.error->checkpoint)) found.push_back(info.error->checkpoint);
  return found;
}

/// Whether rescueFolder() gave this run that place, whatever TMPDIR was then. run.json may name any
/// other.
bool isRescuePlace(const Layout& layout, const fs::path& checkpoint) {
  const fs::path ofRun = checkpoint.parent_path(), ofUser = ofRun.parent_path();
  const fs::path usual = rescueFolder(layout.folder());
  return ofRun.filename() == usual.filename() &&
         ofUser.filename() == usual.parent_path().filename() && isOwnFolder(ofRun) &&
         isOwnFolder(ofUser);
}

}  // namespace

fs::path rescueFolder(const fs::path& runFolder) {
  return temporaryFolder() / ("lockstep-" + std::to_string(::geteuid())) / idOf(runFolder.string());
}

fs::path ensureRescueFolder(const fs::path& runFolder) {
  const fs::path folder = rescueFolder(runFolder);
  for (const fs::path& part : {folder.parent_path(), folder})
    ensurePrivateFolder(part, "checkpoints", "let TMPDIR name a folder of yours");
  return folder;
}

fs::path rescueCheckpoint(const Layout& layout, std::int64_t step) {
  const fs::path folder = ensureRescueFolder(layout.folder());
  const fs::path from = layout.partialCheckpoint(step), place = folder / stepName(step);
  copyWhole(from, partialOf(folder, step), place);
  std::error_code ignored;
  fs::remove_all(from, ignored);
  return place;
}

std::optional<RescuedCheckpoint> findRescuedCheckpoint(const Layout& layout) {
  const std::optional<RunInfo> info = infoOf(layout);
  if (!info) return std::nullopt;
  const std::vector<std::int64_t> own = checkpointSteps(layout);
  std::optional<RescuedCheckpoint> newest;
  for (const fs::path& folder : candidates(layout, *info)) {
    if (checkpointFault(folder) || changedAt(folder / "state.json") < info->created - 1) continue;
    const std::int64_t step = readTrainingState(folder).step;
    const bool isNewer = (own.empty() || step > own.back()) && (!newest || step > newest->step);
    if (isNewer) newest = {step, folder};
  }
  return newest;
}

void fetchRescuedCheckpoint(const Layout& layout, const RescuedCheckpoint& rescued) {
  copyWhole(rescued.folder, layout.partialCheckpoint(rescued.step),
            layout.checkpoint(rescued.step));
  if (!isRescuePlace(layout, rescued.folder)) return;
  std::error_code ignored;
  fs::remove_all(rescued.folder, ignored);
  fs::remove(rescued.folder.parent_path(), ignored);  // if that was the last one
}

}  // namespace lockstep::run_folder
