#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "engine/base/error.h"
#include "engine/base/shortened_text.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {
namespace {

double changedAt(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return 0;
  return static_cast<double>(status.st_mtim.tv_sec) +
         1e-9 * static_cast<double>(status.st_mtim.tv_nsec);
}

/// What the list says of a folder whose run.json cannot be read.
RunInfo brokenRun(const fs::path& folder, bool alive, const std::string& reason) {
  RunInfo info;
  info.name = folder.filename().string();
  info.created = info.updated = changedAt(folder);
  if (alive) {
    info.state = protocol::RunState::Starting;  // the lock is taken before run.json is written
  } else {
    info.state = protocol::RunState::Failed;
    info.error.emplace().message = reason;
    info.error->cause = protocol::FailureCause::RunJson;
  }
  return info;
}

void markAsDied(RunInfo& info) {
  if (!info.error) info.error = silentEnd(info);
  info.state = protocol::RunState::Failed;
}

}  // namespace

std::optional<protocol::RunError> silentEnd(const RunInfo& info) {
  if (!protocol::isLive(info.state)) return std::nullopt;
  const std::string process = info.pid > 0 ? "process " + std::to_string(info.pid) : "its process";
  protocol::RunError error;
  error.message = "the engine ended without a word while the run was " + info.state.text() + " (" +
                  process + (info.host.empty() ? "" : " on " + base::shortened(info.host)) +
                  " no longer holds the run)";
  error.host = info.host;
  error.step = info.step;
  error.cause = protocol::FailureCause::EngineGone;
  return error;
}

RunSummary summarise(const fs::path& runFolder) {
  RunSummary summary;
  const Layout layout(runFolder);
  summary.folder = runFolder;
  // The lock first: a run that ends in between has written its last state before it let the lock
  // go.
  summary.alive = RunLock::isHeld(layout);
  try {
    summary.info = readRunInfo(layout);
  } catch (const Error& error) {
    summary.info = brokenRun(runFolder, summary.alive, error.what());
    return summary;
  }
  if (summary.alive || !protocol::isLive(summary.info.state)) return summary;
  summary.alive = RunLock::isHeld(layout);  // it may have begun in between
  if (!summary.alive) markAsDied(summary.info);
  return summary;
}

std::vector<RunSummary> listRuns(const fs::path& parent) {
  std::vector<RunSummary> runs;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    if (isRunFolder(entry->path())) runs.push_back(summarise(entry->path()));
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw base::mendable(parent.string() + ": cannot be listed: " + error.message());
  }
  std::sort(runs.begin(), runs.end(), [](const RunSummary& a, const RunSummary& b) {
    if (a.info.created != b.info.created) return a.info.created > b.info.created;
    return a.folder.filename() > b.folder.filename();
  });
  return runs;
}

fs::path runsFolder() {
  const char* folder = std::getenv("LOCKSTEP_RUNS");
  return folder && *folder ? fs::path(folder) : fs::path("runs");
}

}  // namespace lockstep::run_folder
