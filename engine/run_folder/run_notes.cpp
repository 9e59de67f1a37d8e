#include "engine/run_folder/run_notes.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/home_path.h"
#include "engine/base/input_file.h"
#include "engine/protocol/members.h"

namespace lockstep::run_folder {
namespace {

using Json = nlohmann::json;

/// Each attempt to lock takes a tenth of a second.
constexpr int kMaxAttempts = 20;

void describeNotes(auto& members, auto& notes) {
  members.orDefault("name", notes.name);
  members.orDefault("tags", notes.tags);
  members.orDefault("note", notes.note);
  members.orDefault("archived", notes.archived);
  members.orDefault("pinned", notes.pinned);
}

void keepEachTagOnce(std::vector<std::string>& tags) {
  std::unordered_set<std::string> seen{""};
  std::erase_if(tags, [&seen](const std::string& tag) { return !seen.insert(tag).second; });
}

RunNotes notesIn(const Json& object, const std::string& where) {
  RunNotes notes;
  const protocol::MemberReader members(object, where);
  describeNotes(members, notes);
  keepEachTagOnce(notes.tags);
  return notes;
}

/// Replaces the members that this version knows.
void putNotes(Json& object, RunNotes notes) {
  keepEachTagOnce(notes.tags);
  std::string text;
  base::JsonWriter writer(text);
  protocol::MemberWriter members(writer);
  writer.beginObject();
  describeNotes(members, notes);
  writer.endObject();
  object.update(protocol::parseJson(text));
}

/// An empty file is one that was created to be locked.
Json objectIn(const fs::path& file) {
  const std::string text = base::pathExists(file) ? base::readFile(file) : std::string();
  return text.empty() ? Json::object() : protocol::parseObject(text, file.string());
}

/// Returns the new notes.
RunNotes changeIn(Json& object, const std::string& where, const NotesChange& change) {
  RunNotes notes = notesIn(object, where);
  change(notes);
  putNotes(object, std::move(notes));
  return notesIn(object, where);
}

void writeObject(const fs::path& file, const Json& object) {
  base::writeFileAtomically(file, object.dump(2) + "\n");
}

/// The lock is on the file itself. Replacing that frees it, and a process that waited for the old
/// one waits for the new one.
base::FileLock lockFile(const fs::path& file) {
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt)
    if (auto lock = base::FileLock::tryAcquire(file)) return std::move(*lock);
  throw Error(file.string() + ": another program holds it; try again when that has ended");
}

/// Of a folder in a file of many.
std::string notesKey(const fs::path& folder) {
  if (folder.native().starts_with("ssh://")) return folder.string();
  const fs::path path = fs::absolute(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).string();
}

Json& memberOf(Json& byFolder, const fs::path& file, const std::string& key) {
  Json& object = byFolder.emplace(key, Json::object()).first.value();
  if (!object.is_object())
    throw Error(file.string() + ": " + key + " must be an object, not " + protocol::kindOf(object));
  return object;
}

}  // namespace

fs::path notesFile(const Layout& layout) { return layout.folder() / "notes.json"; }

RunNotes readRunNotes(const Layout& layout) {
  const fs::path file = notesFile(layout);
  return notesIn(objectIn(file), file.string());
}

void writeRunNotes(const Layout& layout, const RunNotes& notes) {
  changeRunNotes(layout, [&](RunNotes& old) { old = notes; });
}

RunNotes changeRunNotes(const Layout& layout, const NotesChange& change) {
  const fs::path file = notesFile(layout);
  const base::FileLock lock = lockFile(file);
  Json object = objectIn(file);
  const RunNotes notes = changeIn(object, file.string(), change);
  writeObject(file, object);
  return notes;
}

fs::path NotesByFolder::defaultFile() {
  // A relative path is ignored (XDG Base Directory Specification).
  const char* variable = std::getenv("XDG_CONFIG_HOME");
  fs::path config = variable != nullptr ? variable : "";
  if (!config.is_absolute()) config = base::expandHome("~/.config").value_or("/");
  return config / "lockstep" / "notes.json";
}

NotesByFolder NotesByFolder::read(const fs::path& file) {
  Json byFolder = objectIn(file);
  NotesByFolder all;
  for (const auto& [key, ignored] : byFolder.items()) {
    all.notes_[key] = notesIn(memberOf(byFolder, file, key), file.string() + ": " + key);
  }
  return all;
}

RunNotes NotesByFolder::change(const fs::path& file, const fs::path& folder,
                               const NotesChange& change, const RunNotes& given) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);  // locking reports it
  const base::FileLock lock = lockFile(file);
  const std::string key = notesKey(folder);
  Json byFolder = objectIn(file);
  const bool isKnown = byFolder.contains(key);
  Json& object = memberOf(byFolder, file, key);
  if (!isKnown) putNotes(object, given);
  const RunNotes notes = changeIn(object, file.string() + ": " + key, change);
  if (notes == given) byFolder.erase(key);
  writeObject(file, byFolder);
  return notes;
}

const RunNotes* NotesByFolder::find(const fs::path& folder) const {
  const auto found = notes_.find(notesKey(folder));
  return found == notes_.end() ? nullptr : &found->second;
}

const RunNotes& NotesByFolder::of(const fs::path& folder) const {
  static const RunNotes none;
  const RunNotes* found = find(folder);
  return found ? *found : none;
}

}  // namespace lockstep::run_folder
