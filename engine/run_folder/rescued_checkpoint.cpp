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

double modifiedSecond(const fs::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 ? static_cast<double>(status.st_mtim.tv_sec) : 0;
}

/// Copies a checkpoint to `target` atomically, through `partial` on the same disk.
void copyAtomically(const fs::path& from, const fs::path& partial, const fs::path& target) {
  const auto copyError = [&](const std::string& reason) {
    std::error_code ignored;
    fs::remove_all(partial, ignored);
    return Error(from.string() + ": cannot be copied to " + target.string() + " (" + reason +
                 "); the original is kept");
  };
  try {
    fs::remove_all(partial);
    fs::create_directory(partial);
    // fs::copy() reports "Input/output error" for a full disk.
    for (const auto& file : fs::directory_iterator(from))
      base::writeFileAtomically(partial / file.path().filename(), base::readFile(file.path()));
    base::syncToDisk(partial);
    fs::remove_all(target);
    fs::rename(partial, target);
  } catch (const fs::filesystem_error& error) {
    throw copyError(error.code().message());
  } catch (const Error& error) {
    throw copyError(error.what());
  }
  base::syncToDisk(target.parent_path());
}

fs::path partialOf(const fs::path& folder, std::int64_t step) {
  return folder / ("." + stepName(step) + ".partial");
}

/// The run in a folder; nullopt without run.json and event log: a rescued checkpoint for that path
/// is then of another run.
std::optional<RunInfo> infoOf(const Layout& layout) {
  try {
    return readRunInfo(layout);
  } catch (const Error&) {  // a full disk may have damaged run.json, too
    return rebuildRunInfo(layout);
  }
}

/// Paths where a rescued checkpoint may be.
std::vector<fs::path> candidates(const Layout& layout, const RunInfo& info) {
  std::vector<fs::path> found;
  const fs::path folder = rescueFolder(layout.folder());
  if (isOwnFolder(folder.parent_path()) && isOwnFolder(folder)) {
    for (const std::int64_t step : stepFolders(folder)) found.push_back(folder / stepName(step));
  }
  if (info.error && isOwnFolder(info.error->checkpoint)) found.push_back(info.error->checkpoint);
  return found;
}

/// Whether rescueFolder() returned that parent folder for this run, with any TMPDIR. The path in
/// run.json may be any other one.
bool isInRescueFolder(const Layout& layout, const fs::path& checkpoint) {
  const fs::path runPart = checkpoint.parent_path(), userPart = runPart.parent_path();
  const fs::path usual = rescueFolder(layout.folder());
  return runPart.filename() == usual.filename() &&
         userPart.filename() == usual.parent_path().filename() && isOwnFolder(runPart) &&
         isOwnFolder(userPart);
}

}  // namespace

fs::path rescueFolder(const fs::path& runFolder) {
  return userFolder(temporaryFolder()) / idOf(runFolder.string());
}

fs::path ensureRescueFolder(const fs::path& runFolder) {
  const fs::path folder = rescueFolder(runFolder);
  for (const fs::path& part : {folder.parent_path(), folder})
    ensurePrivateFolder(part, "checkpoints", "set TMPDIR to a folder that you own");
  return folder;
}

fs::path rescueCheckpoint(const Layout& layout, std::int64_t step) {
  const fs::path folder = ensureRescueFolder(layout.folder());
  const fs::path from = layout.partialCheckpoint(step), target = folder / stepName(step);
  copyAtomically(from, partialOf(folder, step), target);
  std::error_code ignored;
  fs::remove_all(from, ignored);
  return target;
}

std::optional<RescuedCheckpoint> findRescuedCheckpoint(const Layout& layout) {
  const std::optional<RunInfo> info = infoOf(layout);
  if (!info) return std::nullopt;
  const std::vector<std::int64_t> own = checkpointSteps(layout);
  std::optional<RescuedCheckpoint> newest;
  for (const fs::path& folder : candidates(layout, *info)) {
    if (checkpointError(folder) || modifiedSecond(folder / "state.json") < info->created - 1)
      continue;
    const std::int64_t step = readTrainingState(folder).step;
    const bool isNewer = (own.empty() || step > own.back()) && (!newest || step > newest->step);
    if (isNewer) newest = {step, folder};
  }
  return newest;
}

void restoreRescuedCheckpoint(const Layout& layout, const RescuedCheckpoint& rescued) {
  copyAtomically(rescued.folder, layout.partialCheckpoint(rescued.step),
                 layout.checkpoint(rescued.step));
  if (!isInRescueFolder(layout, rescued.folder)) return;
  std::error_code ignored;
  fs::remove_all(rescued.folder, ignored);
  fs::remove(rescued.folder.parent_path(), ignored);  // if empty
}

}  // namespace lockstep::run_folder
