#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {

/// What people say of a run: notes.json, the one file of a run folder that clients write.
struct RunNotes {
  std::string name;               ///< shown instead of run.json's; empty: that
  std::vector<std::string> tags;  ///< not empty, each once
  std::string note;
  bool archived = false, pinned = false;
  bool operator==(const RunNotes&) const = default;
};

fs::path notesFile(const Layout& layout);
/// The defaults without a file. Throws Error for a damaged one.
RunNotes readRunNotes(const Layout& layout);
/// Replaces the notes and keeps members of other versions. Throws Error, also for a damaged file,
/// which it leaves as it is.
void writeRunNotes(const Layout& layout, const RunNotes& notes);

using NotesChange = std::function<void(RunNotes&)>;
/// Reads, changes and writes under a lock, so that no change of another process is lost; waits
/// some seconds for it. Returns the new notes. Throws as writeRunNotes().
RunNotes changeRunNotes(const Layout& layout, const NotesChange& change);

/// Notes of runs whose folders are never written, those of other programs and on other machines: by
/// folder or address (ssh://…), in one file of the user.
class NotesByFolder {
 public:
  /// $XDG_CONFIG_HOME/lockstep/notes.json, else ~/.config/lockstep/notes.json.
  static fs::path defaultFile();
  /// As readRunNotes().
  static NotesByFolder read(const fs::path& file);
  /// As changeRunNotes(), of one folder. Creates the file's folder. given: what the run has by
  /// itself, which is changed first, and which needs no place in the file.
  static RunNotes change(const fs::path& file, const fs::path& folder, const NotesChange& change,
                         const RunNotes& given = {});

  /// nullptr for a folder without notes.
  const RunNotes* find(const fs::path& folder) const;
  /// The defaults for a folder without notes.
  const RunNotes& of(const fs::path& folder) const;
  bool isEmpty() const { return notes_.empty(); }

 private:
  std::map<std::string, RunNotes> notes_;  ///< by absolute path or address
};

}  // namespace lockstep::run_folder
