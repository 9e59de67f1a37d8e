#include "app/models/run_scan.h"

#include <sys/stat.h>

#include <algorithm>
#include <tuple>

#include "engine/base/error.h"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;

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

RunScan::Version RunScan::versionOf(const fs::path& runFolder) {
  struct stat facts {};
  if (::stat((runFolder / "run.json").c_str(), &facts) != 0) return {};
  return {facts.st_mtim, static_cast<std::int64_t>(facts.st_size), facts.st_ino};
}

void RunScan::look(const fs::path& folder, Changes& changes) {
  const Version version = versionOf(folder);
  const auto found = known_.find(folder.native());
  if (found != known_.end() && version.bytes >= 0 && version == found->second.version &&
      !found->second.summary.alive) {
    found->second.round = round_;
    return;
  }
  if (version.bytes < 0 && !run_folder::isRunFolder(folder)) return;
  run_folder::RunSummary summary = run_folder::summarise(folder);
  const bool isChange = found == known_.end() || !isSame(found->second.summary, summary);
  if (isChange) changes.found.push_back(summary);
  known_[folder.native()] = {version, std::move(summary), round_};
}

void RunScan::lookIn(const fs::path& parent, Changes& changes) {
  std::error_code error;
  if (!fs::exists(parent, error)) {
    const bool wasListed = std::any_of(known_.begin(), known_.end(), [&](const auto& known) {
      return known.second.summary.folder.parent_path() == parent;
    });
    if (wasListed) changes.error = parent.string() + ": no longer exists";
    return;
  }
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) look(entry->path(), changes);
  }
  if (error) changes.error = parent.string() + ": cannot be listed: " + error.message();
}

RunScan::Changes RunScan::update(const Wanted& wanted) {
  ++round_;
  Changes changes;
  if (!wanted.parent.empty()) lookIn(wanted.parent, changes);
  for (const fs::path& single : wanted.singles) {
    const auto known = known_.find(single.native());
    if (known == known_.end() || known->second.round != round_) look(single, changes);
  }
  for (auto known = known_.begin(); known != known_.end();) {
    const fs::path& folder = known->second.summary.folder;
    const bool isKept = known->second.round == round_ ||
                        (!changes.error.empty() && folder.parent_path() == wanted.parent);
    if (!isKept) changes.gone.push_back(folder);
    known = isKept ? std::next(known) : known_.erase(known);
  }
  std::sort(changes.found.begin(), changes.found.end(), [](const auto& a, const auto& b) {
    return std::tie(a.info.created, a.folder) < std::tie(b.info.created, b.folder);
  });
  return changes;
}

}  // namespace lockstep::app
