#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "engine/base/error.h"
#include "engine/base/shortened_text.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {
namespace {

double modifiedAt(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return 0;
  return static_cast<double>(status.st_mtim.tv_sec) +
         1e-9 * static_cast<double>(status.st_mtim.tv_nsec);
}

/// The entry of a folder whose run.json cannot be read.
RunInfo unreadableRun(const fs::path& folder, bool alive, const std::string& reason) {
  RunInfo info;
  info.name = folder.filename().string();
  info.created = info.updated = modifiedAt(folder);
  if (alive) {
    info.state = protocol::RunState::Starting;  // the lock is taken before run.json is written
  } else {
    info.state = protocol::RunState::Failed;
    info.error.emplace().message = reason;
    info.error->cause = protocol::FailureCause::RunJson;
  }
  return info;
}

/// Of a run whose process is gone.
void markAsLeft(RunInfo& info) {
  if (isInQueue(info)) {
    info.error.emplace().message =
        "its waiting process is gone; `lockstep-engine runs --start-queued` queues it again";
    info.error->host = info.host;
    info.error->cause = protocol::FailureCause::EngineGone;
    return;
  }
  if (!info.error) info.error = unexpectedExit(info);
  info.state = protocol::RunState::Failed;
}

}  // namespace

std::optional<protocol::RunError> unexpectedExit(const RunInfo& info) {
  if (!protocol::isLive(info.state)) return std::nullopt;
  const std::string process = info.pid > 0 ? "process " + std::to_string(info.pid) : "its process";
  protocol::RunError error;
  error.message = "the engine exited unexpectedly while the run was " + info.state.text() + " (" +
                  process + (info.host.empty() ? "" : " on " + base::shortened(info.host)) +
                  " no longer holds the run's lock)";
  error.host = info.host;
  error.step = info.step;
  error.cause = protocol::FailureCause::EngineGone;
  return error;
}

bool isInQueue(const RunInfo& info) {
  return info.state == protocol::RunState::Queued && info.queuePosition.has_value();
}

RunSummary summarise(const fs::path& runFolder) {
  RunSummary summary;
  const Layout layout(runFolder);
  summary.folder = runFolder;
  // Check the lock first: a run that ends in between writes its final state before it releases the
  // lock.
  summary.alive = RunLock::isHeld(layout);
  try {
    summary.info = readRunInfo(layout);
  } catch (const Error& error) {
    summary.info = unreadableRun(runFolder, summary.alive, error.what());
    return summary;
  }
  // A fork of an earlier version may name that of the run that it is a fork of.
  const auto& fork = summary.info.forkedFrom;
  if (auto& best = summary.info.best; fork && best && best->step <= fork->step) best.reset();
  const bool needsProcess = protocol::isLive(summary.info.state) || isInQueue(summary.info);
  if (summary.alive || !needsProcess) return summary;
  summary.alive = RunLock::isHeld(layout);  // it may have started in between
  if (!summary.alive) markAsLeft(summary.info);
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
    throw UserError(parent.string() + ": cannot be listed: " + error.message());
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
