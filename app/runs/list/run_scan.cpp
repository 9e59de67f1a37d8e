#include "app/runs/list/run_scan.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/number_text.h"
#include "engine/foreign_runs/run_files.h"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;

/// Whole trees are searched for runs of other programs: not every time.
constexpr std::size_t kSearchEvery = 5;

base::FileVersion versionOf(const foreign_runs::ForeignRun& run) {
  try {
    return base::FileVersion::of(foreign_runs::filesOf(run));
  } catch (const Error&) {  // reported where the run is read
    return {};
  }
}

bool isClosed(const fs::path& folder) {
  std::error_code error;
  static_cast<void>(fs::status(run_folder::Layout(folder).runJson(), error));
  return error == std::errc::permission_denied;
}

std::string closedText(const fs::path& parent, std::vector<std::string> names) {
  if (names.empty()) return {};
  std::ranges::sort(names);
  std::string text = parent.string() + ": no permission to look into " + names.front();
  if (names.size() > 1)
    text += " and " + base::counted(names.size() - 1, "other folder") + "; they are not listed";
  else
    text += "; it is not listed";
  return text;
}

}  // namespace

void RunScan::keep(const fs::path& folder, Known now, Changes& changes) {
  now.round = round_;
  const auto found = known_.find(folder.native());
  if (found == known_.end() || !isSame(found->second.run, now.run))
    changes.found.push_back(now.run);
  known_[folder.native()] = std::move(now);
}

void RunScan::look(const fs::path& folder, Changes& changes) {
  const run_folder::Layout layout(folder);
  const auto version = base::FileVersion::of(layout.runJson());
  const auto notes = base::FileVersion::of(run_folder::notesFile(layout));
  const auto found = known_.find(folder.native());
  if (found != known_.end() && version.exists() && version == found->second.version &&
      notes == found->second.notes && !found->second.run.summary.alive) {
    found->second.round = round_;
    return;
  }
  if (version.exists() || run_folder::isRunFolder(folder))
    keep(folder, {version, notes, readListedRun(folder)}, changes);
}

void RunScan::look(const foreign_runs::ForeignRun& run, Changes& changes) {
  const base::FileVersion version = versionOf(run);
  const auto found = known_.find(run.folder.native());
  const bool isRead = found != known_.end() && version == found->second.version;
  if (isRead && found->second.notes == foreignNotesVersion_) {
    found->second.round = round_;
    return;
  }
  ListedRun listed = isRead ? found->second.run : readListedRun(run);
  listed.notes = foreignNotes_.of(run.folder);
  listed.notesFault = foreignNotesFault_;
  keep(run.folder, {version, foreignNotesVersion_, std::move(listed)}, changes);
}

void RunScan::readForeignNotes(const fs::path& file) {
  const auto version = base::FileVersion::of(file);
  if (version == foreignNotesVersion_) return;
  foreignNotesVersion_ = version;
  searched_.clear();
  foreignNotes_ = {};
  foreignNotesFault_.clear();
  try {
    foreignNotes_ = run_folder::NotesByFolder::read(file);
  } catch (const Error& error) {
    foreignNotesFault_ = error.what();
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
  std::vector<std::string> closed;
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
    if (!entry->is_directory(ignored)) continue;
    look(entry->path(), changes);
    if (!known_.contains(entry->path().native()) && isClosed(entry->path()))
      closed.push_back(entry->path().filename().string());
  }
  changes.closed = closedText(parent, closed);
  if (error) {
    changes.error = parent.string() + ": cannot be listed: " + error.message();
  } else {
    lookForForeign(parent, changes);
  }
}

RunScan::Changes RunScan::update(const Wanted& wanted) {
  ++round_;
  Changes changes;
  readForeignNotes(wanted.foreignNotes);
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
