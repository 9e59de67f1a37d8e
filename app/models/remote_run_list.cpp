#include "app/models/remote_run_list.h"

#include <QString>
#include <nlohmann/json.hpp>

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

}  // namespace

ListedRun unknownRemoteRun(const RemotePlace& run) {
  ListedRun listed;
  listed.summary.folder = run.address().toStdString();
  listed.summary.info.name = run.name().toStdString();
  listed.summary.info.host = run.hostText().toStdString();
  listed.summary.info.state = base::OpenEnum<protocol::RunState>("connecting");
  listed.summary.info.ranks = 0;
  return listed;
}

std::vector<ListedRun> parseRemoteRuns(const QByteArray& text, const RemotePlace& folder) {
  const json rows = json::parse(text.cbegin(), text.cend(), nullptr, false);
  if (!rows.is_array()) throw Error("its answer is no list of runs");
  std::vector<ListedRun> runs;
  for (const json& row : rows) {
    const std::string name = row.is_object() ? valueOf<std::string>(row, "run") : std::string();
    const bool isFolderName =
        !name.empty() && name[0] != '.' && name.find('/') == std::string::npos;
    if (!isFolderName || valueOf<std::string>(row, "program", "Lockstep") != "Lockstep") continue;
    ListedRun run = unknownRemoteRun(folder.child(QString::fromStdString(name)));
    run_folder::RunInfo& info = run.summary.info;
    info.state = base::OpenEnum<protocol::RunState>(valueOf<std::string>(row, "state"));
    info.step = valueOf<std::int64_t>(row, "step");
    info.maxSteps = valueOf<std::int64_t>(row, "max_steps");
    info.created = valueOf<double>(row, "created");
    if (const std::string metric = valueOf<std::string>(row, "best_metric"); !metric.empty())
      info.best = {metric, valueOf<double>(row, "best_value"),
                   valueOf<std::int64_t>(row, "best_step")};
    if (const int position = valueOf<int>(row, "queue_position"); position > 0)
      info.queuePosition = position;
    run.notes.name = valueOf<std::string>(row, "name");
    run.notes.note = valueOf<std::string>(row, "note");
    run.notes.pinned = valueOf<bool>(row, "pinned");
    if (const auto tags = row.find("tags"); tags != row.end() && tags->is_array())
      for (const json& tag : *tags)
        if (tag.is_string()) run.notes.tags.push_back(tag.get<std::string>());
    run.summary.alive = protocol::isLive(info.state);
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace lockstep::app
