#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/runs/list/listed_run.h"
#include "engine/base/file_version.h"

namespace lockstep::app {

/// Finds the runs of folders, and what has changed of them since the last time: a run without a
/// process is read again only if its run.json or notes.json is another file. Blocks for as long as
/// the disk does; for a worker thread, one at a time.
class RunScan {
 public:
  struct Wanted {
    std::filesystem::path parent;  ///< its runs, and those of other programs below; need not exist
    std::vector<std::filesystem::path> singles;  ///< runs anywhere
    std::filesystem::path foreignNotes{};        ///< run_folder::NotesByFolder; empty: none
    bool operator==(const Wanted&) const = default;
  };
  struct Changes {
    std::vector<ListedRun> found;  ///< new or changed, in the order of creation
    std::vector<std::filesystem::path> gone;
    std::string error;  ///< why `parent` could not be listed; its runs are then as before
    /// Which folders in `parent` may not be looked into, of which none is known whether it is a
    /// run; empty: none.
    std::string closed;
  };
  Changes update(const Wanted& wanted);

 private:
  struct Known {
    base::FileVersion version, notes;
    ListedRun run;
    std::size_t round = 0;  ///< when it was seen last
  };
  void readForeignNotes(const std::filesystem::path& file);
  void look(const std::filesystem::path& folder, Changes& changes);
  void look(const foreign_runs::ForeignRun& run, Changes& changes);
  void lookIn(const std::filesystem::path& parent, Changes& changes);
  void lookForForeign(const std::filesystem::path& parent, Changes& changes);
  void keep(const std::filesystem::path& folder, Known now, Changes& changes);

  std::unordered_map<std::string, Known> known_;  ///< by folder
  std::size_t round_ = 0;
  std::filesystem::path searched_;  ///< for runs of other programs; empty: to be searched again
  run_folder::NotesByFolder foreignNotes_;
  std::string foreignNotesFault_;
  base::FileVersion foreignNotesVersion_;
};

}  // namespace lockstep::app
