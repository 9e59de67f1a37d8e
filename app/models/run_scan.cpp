#include "app/models/run_scan.h"

#include <sys/stat.h>

#include <algorithm>
#include <tuple>

#include "engine/base/error.h"
#include "engine/foreign_runs/run_files.h"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;

/// Whole trees are searched for runs of other programs: not every time.
constexpr std::size_t kSearchEvery = 5;

bool isSame(const run_folder::RunSummary& a, const run_folder::RunSummary& b) {
  const auto& x = a.info;
  const auto& y = b.info;
  return std::tie(x.name, x.attempt, x.step, x.maxSteps, x.pid, x.socket, x.best,
                  x.queuePosition) == std::tie(y.name, y.attempt, y.step, y.maxSteps, y.pid,
                                               y.socket, y.best, y.queuePosition) &&
         x.state == y.state && a.alive == b.alive && x.error.has_value() == y.error.has_value();
}

}  // namespace

bool RunScan::Version::operator==(const Version& other) const {
  return changed.tv_sec == other.changed.tv_sec && changed.tv_nsec == other.changed.tv_nsec &&
         bytes == other.bytes && inode == other.inode;
}

RunScan::Version RunScan::versionOf(const foreign_runs::ForeignRun& run) {
  Version all;
  try {
    for (const fs::path& file : foreign_runs::filesOf(run)) {
      struct stat facts {};
      if (::stat(file.c_str(), &facts) != 0) continue;
      all.bytes += static_cast<std::int64_t>(facts.st_size);
      all.inode ^= facts.st_ino;
      if (std::tie(facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec) >
          std::tie(all.changed.tv_sec, all.changed.tv_nsec))
        all.changed = facts.st_mtim;
    }
  } catch (const Error&) {  // reported where the run is read
  }
  return all;
}

RunScan::Version RunScan::versionOf(const fs::path& runFolder) {
  struct stat facts {};
  if (::stat((runFolder / "run.json").c_str(), &facts) != 0) return {};
  return {facts.st_mtim, static_cast<std::int64_t>(facts.st_size), facts.st_ino};
}

void RunScan::keep(const fs::path& folder, const Version& version, ListedRun run,
                   Changes& changes) {
  const auto found = known_.find(folder.native());
  if (found == known_.end() || !isSame(found->second.run.summary, run.summary))
    changes.found.push_back(run);
  known_[folder.native()] = {version, std::move(run), round_};
}

void RunScan::look(const fs::path& folder, Changes& changes) {
  const Version version = versionOf(folder);
  const auto found = known_.find(folder.native());
  if (found != known_.end() && version.bytes >= 0 && version == found->second.version &&
      !found->second.run.summary.alive) {
    found->second.round = round_;
    return;
  }
  if (version.bytes >= 0 || run_folder::isRunFolder(folder))
    keep(folder, version, {run_folder::summarise(folder)}, changes);
}

void RunScan::look(const foreign_runs::ForeignRun& run, Changes& changes) {
  const Version version = versionOf(run);
  const auto found = known_.find(run.folder.native());
  if (found != known_.end() && version == found->second.version) {
    found->second.round = round_;
  } else {
    keep(run.folder, version, readListedRun(run), changes);
  }
}

void RunScan::lookForForeign(const fs::path& parent, Changes& changes) {
  if (parent == searched_ && round_ % kSearchEvery != 0) {
    for (auto& [folder, known] : known_)
      if (known.run.program) known.round = round_;
    return;
  }
  searched_ = parent;
  for (const foreign_runs::ForeignRun& run : foreign_runs::findRuns(parent).runs)
    look(run, changes);
}

void RunScan::lookIn(const fs::path& parent, Changes& changes) {
  std::error_code error;
  if (!fs::exists(parent, error)) {
    const bool wasListed = std::any_of(known_.begin(), known_.end(), [&](const auto& known) {
      return known.second.run.summary.folder.parent_path() == parent;
    });
    if (wasListed) changes.error = parent.string() + ": no longer exists";
    return;
  }
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) look(entry->path(), changes);
  }
  if (error) {
    changes.error = parent.string() + ": cannot be listed: " + error.message();
  } else {
    lookForForeign(parent, changes);
  }
}

RunScan::Changes RunScan::update(const Wanted& wanted) {
  ++round_;
  Changes changes;
  if (!wanted.parent.empty()) lookIn(wanted.parent, changes);
  for (const fs::path& single : wanted.singles) {
    const auto known = known_.find(single.native());
    if (known != known_.end() && known->second.round == round_) continue;
    look(single, changes);
    if (const auto foreign = foreign_runs::runIn(single)) look(*foreign, changes);
  }
  for (auto known = known_.begin(); known != known_.end();) {
    const fs::path& folder = known->second.run.summary.folder;
    const bool isBelow = !folder.lexically_relative(wanted.parent).empty() &&
                         *folder.lexically_relative(wanted.parent).begin() != "..";
    const bool isKept = known->second.round == round_ || (!changes.error.empty() && isBelow);
    if (!isKept) changes.gone.push_back(folder);
    known = isKept ? std::next(known) : known_.erase(known);
  }
  std::sort(changes.found.begin(), changes.found.end(), [](const auto& a, const auto& b) {
    return std::tie(a.summary.info.created, a.summary.folder) <
           std::tie(b.summary.info.created, b.summary.folder);
  });
  return changes;
}

}  // namespace lockstep::app
