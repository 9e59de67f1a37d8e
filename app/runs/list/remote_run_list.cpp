#include "app/runs/list/remote_run_list.h"

#include <QCoreApplication>
#include <QDir>
#include <QString>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/protocol/run_state.h"

namespace lockstep::app {
namespace {

using nlohmann::json;

/// The value of a key; the default where it is null, missing or of another type.
template <typename Value>
Value valueOf(const json& row, const char* key, Value other = {}) {
  const auto found = row.find(key);
  if (found == row.end()) return other;
  if constexpr (std::is_same_v<Value, std::string>) {
    return found->is_string() ? found->get<Value>() : other;
  } else if constexpr (std::is_same_v<Value, bool>) {
    return found->is_boolean() ? found->get<Value>() : other;
  } else {
    return found->is_number() ? found->get<Value>() : other;
  }
}

bool isOurs(const json& row) {
  return valueOf<std::string>(row, "program", "Lockstep") == "Lockstep";
}

/// A run of ours is directly in the folder; those of other programs say where they are, which is
/// the folder itself or below it.
std::optional<RemotePlace> placeOf(const json& row, const RemotePlace& folder) {
  const std::string name = valueOf<std::string>(row, "run");
  if (isOurs(row)) {
    const bool isPlain = !name.empty() && name[0] != '.' && name.find('/') == std::string::npos;
    return isPlain ? std::optional(folder.child(QString::fromStdString(name))) : std::nullopt;
  }
  RemotePlace place = folder;
  place.path = QDir::cleanPath(QString::fromStdString(valueOf<std::string>(row, "folder")));
  const bool isKnown =
      base::parseEnum<foreign_runs::Source>(valueOf<std::string>(row, "program")).has_value();
  return isKnown && place.path.startsWith(QLatin1Char('/')) ? std::optional(place) : std::nullopt;
}

run_folder::RunNotes notesOf(const json& row) {
  run_folder::RunNotes notes;
  notes.name = valueOf<std::string>(row, "name");
  notes.note = valueOf<std::string>(row, "note");
  notes.archived = valueOf<bool>(row, "archived");
  notes.pinned = valueOf<bool>(row, "pinned");
  if (const auto tags = row.find("tags"); tags != row.end() && tags->is_array())
    for (const json& tag : *tags)
      if (tag.is_string()) notes.tags.push_back(tag.get<std::string>());
  return notes;
}

/// Cuts the text of an array after RemoteListing::kMaxRuns objects: parsed, it takes many times its
/// size in memory. `leftOut`: number of the others.
QByteArray firstRows(const QByteArray& text, qsizetype& leftOut) {
  qsizetype rows = 0, end = text.size();
  int depth = 0;
  bool isInText = false;
  for (qsizetype i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') isInText = !isInText;
    if (isInText) {
      if (c == '\\') ++i;
      continue;
    }
    if (c == '{' && depth == 1 && ++rows == RemoteListing::kMaxRuns + 1) end = i;
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
  }
  leftOut = std::max<qsizetype>(rows - RemoteListing::kMaxRuns, 0);
  if (leftOut == 0) return text;
  return text.left(text.lastIndexOf(',', end)) + ']';
}

ListedRun runOf(const json& row, const RemotePlace& place) {
  ListedRun run = unknownRemoteRun(place);
  run_folder::RunInfo& info = run.summary.info;
  info.state = base::OpenEnum<protocol::RunState>(valueOf<std::string>(row, "state"));
  info.step = valueOf<std::int64_t>(row, "step");
  info.maxSteps = valueOf<std::int64_t>(row, "max_steps");
  info.created = valueOf<double>(row, "created");
  info.updated = base::wallTimeSeconds();  // by the clock here, as the steps that come live
  if (const std::string metric = valueOf<std::string>(row, "best_metric"); !metric.empty())
    info.best = {metric, valueOf<double>(row, "best_value"),
                 valueOf<std::int64_t>(row, "best_step")};
  if (const int position = valueOf<int>(row, "queue_position"); position > 0)
    info.queuePosition = position;
  run.notes = run.notesThere = notesOf(row);
  run.summary.alive = isOurs(row) && protocol::isLive(info.state);
  if (isOurs(row)) return run;
  const std::string program = valueOf<std::string>(row, "program");
  run.program = base::parseEnum<foreign_runs::Source>(program);
  info.name = valueOf<std::string>(row, "run");
  if (info.state.isEmpty()) info.state = base::OpenEnum<protocol::RunState>(program);
  return run;
}

}  // namespace

ListedRun unknownRemoteRun(const RemotePlace& run) {
  ListedRun listed;
  listed.summary.folder = run.address().toStdString();
  listed.summary.info.name = run.name().toStdString();
  listed.summary.info.host =
      (run.isPackedRun() ? QCoreApplication::translate("RemotePlace", "packed") : run.hostText())
          .toStdString();
  listed.summary.info.state = base::OpenEnum<protocol::RunState>("connecting");
  listed.summary.info.ranks = 0;
  return listed;
}

RemoteListing parseRemoteRuns(const QByteArray& text, const RemotePlace& folder) {
  RemoteListing listing;
  const QByteArray kept = firstRows(text, listing.leftOut);
  const json rows = json::parse(kept.cbegin(), kept.cend(), nullptr, false);
  if (!rows.is_array()) throw Error("its answer is not a list of runs");
  for (const json& row : rows)
    if (row.is_object())
      if (const auto place = placeOf(row, folder)) listing.runs.push_back(runOf(row, *place));
  return listing;
}

ListedRun parsePackedRun(const QByteArray& text, const RemotePlace& run) {
  const json rows = json::parse(text.cbegin(), text.cend(), nullptr, false);
  if (!rows.is_array() || rows.empty() || !rows[0].is_object()) return unknownRemoteRun(run);
  ListedRun packed = runOf(rows[0], run);
  packed.summary.alive = false;
  return packed;
}

RunScan::Changes updateListing(RemoteRunsByAddress& known, const std::vector<ListedRun>& runs) {
  const RemoteRunsByAddress before = std::exchange(known, {});
  RunScan::Changes changes;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    const QString address = QString::fromStdString(run->summary.folder.string());
    known.insert(address, *run);
    const auto found = before.constFind(address);
    if (found == before.cend() || !isSame(*found, *run)) changes.found.push_back(*run);
  }
  for (auto run = before.keyBegin(); run != before.keyEnd(); ++run)
    if (!known.contains(*run)) changes.gone.emplace_back(run->toStdString());
  std::ranges::stable_sort(changes.found, {},
                           [](const ListedRun& run) { return run.summary.info.created; });
  return changes;
}

void takeOwnNotes(std::vector<ListedRun>& runs, const run_folder::fs::path& file) {
  try {
    const auto own = run_folder::NotesByFolder::read(file);
    for (ListedRun& run : runs)
      if (const run_folder::RunNotes* notes = own.find(run.summary.folder)) run.notes = *notes;
  } catch (const Error& error) {
    for (ListedRun& run : runs) run.notesFault = error.what();
  }
}

}  // namespace lockstep::app
