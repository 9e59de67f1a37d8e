#include <algorithm>
#include <cmath>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/shortened_text.h"
#include "engine/events/reader.h"
#include "engine/protocol/members.h"
#include "engine/run_folder/best_members.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {
namespace {

using base::JsonWriter;
using protocol::Is;
using protocol::MemberReader;
using protocol::MemberWriter;

constexpr double kYear10000 = 253402300800;  // seconds

}  // namespace

/// The `times` object of run.json.
struct Times {
  double created = 0, started = 0, updated = 0, finished = 0;
};

void describe(auto& members, Is<Times> auto& times) {
  members("created", times.created);
  members("started", times.started);
  members("updated", times.updated);
  members("finished", times.finished);
}

void describe(auto& members, Is<ForkedFrom> auto& fork) {
  members("run", fork.run);
  members("step", fork.step);
}

/// The members of run.json. `times` are copied in and out by the callers.
void describeRun(auto& members, auto& info, auto& times) {
  members("name", info.name);
  members("state", info.state);
  members("attempt", info.attempt);
  members("ranks", info.ranks);
  members("pid", info.pid);
  members("host", info.host);
  members("socket", info.socket);
  members("step", info.step);
  members("max_steps", info.maxSteps);
  members.ifNotEmpty("steps_per_epoch", info.stepsPerEpoch);  // runs of earlier versions lack it
  members.ifNotEmpty("find_lr", info.isRangeTest);
  members.ifNotEmpty("forked_from", info.forkedFrom);
  members.ifNotEmpty("queue_position", info.queuePosition);
  members("times", times);
  members("best", info.best);
  members("error", info.error);
}

/// Throws Error for values that no run has: callers sort and show them unchecked.
void requirePlausible(const RunInfo& info, const Times& times, const std::string& where) {
  if (!info.state.value())
    throw Error(where + ": state '" + base::shortened(info.state.text()) + "' is not known");
  for (const auto& [name, time] : {std::pair{"created", times.created},
                                   {"started", times.started},
                                   {"updated", times.updated},
                                   {"finished", times.finished}}) {
    if (time < 0)
      throw Error(where + ": times: " + name +
                  " is before 1970: the clock of its machine was wrong; remove run.json, which "
                  "--resume writes again");
    // This form rejects NaN.
    if (!(time >= 0 && time < kYear10000))
      throw Error(where + ": times: " + name + " is not a valid time");
  }
  for (const auto& [name, number] :
       {std::pair<const char*, std::int64_t>{"attempt", info.attempt},
        {"ranks", info.ranks},
        {"pid", info.pid},
        {"step", info.step},
        {"max_steps", info.maxSteps},
        {"forked_from: step", info.forkedFrom ? info.forkedFrom->step : 0},
        {"best: step", info.best ? info.best->step : 0}}) {
    if (number < 0) throw Error(where + ": " + name + " is negative");
  }
  if (info.queuePosition && *info.queuePosition < 1)
    throw Error(where + ": queue_position is not > 0");
  if (info.stepsPerEpoch && !(*info.stepsPerEpoch > 0 && std::isfinite(*info.stepsPerEpoch)))
    throw Error(where + ": steps_per_epoch is not > 0");
  if (info.best && info.best->metric != base::shortened(info.best->metric))
    throw Error(where + ": best: metric is not a metric name");
}

RunInfo readRunInfo(const Layout& layout) {
  return parseRunInfo(base::readFile(layout.runJson()), layout.runJson().string());
}

RunInfo parseRunInfo(const std::string& text, const std::string& where) {
  RunInfo info;
  Times times;
  const MemberReader members = MemberReader::parse(text, where);
  describeRun(members, info, times);
  info.created = times.created;
  info.started = times.started;
  info.updated = times.updated;
  info.finished = times.finished;
  requirePlausible(info, times, where);
  return info;
}

std::optional<RunInfo> rebuildRunInfo(const Layout& layout) {
  const fs::path log = events::findEventFile(layout.folder());
  if (log.empty()) return std::nullopt;
  RunInfo info;
  info.name = layout.folder().filename().string();
  info.state = protocol::RunState::Failed;
  events::Reader reader(log);
  while (const auto record = reader.next()) {
    if (info.created == 0) info.created = record->wallTime;
    if (record->kind == events::Record::Kind::Scalars && info.started == 0)
      info.started = record->wallTime;
    info.attempt += record->kind == events::Record::Kind::SessionStart;
    // The end of a session is at a step that was not trained.
    if (record->kind != events::Record::Kind::HyperParameters)
      info.step = std::max(info.step, record->step);
  }
  return info;
}

void writeRunInfo(const Layout& layout, const RunInfo& info) {
  const Times times{info.created, info.started, info.updated, info.finished};
  std::string compact;
  JsonWriter json(compact);
  MemberWriter members(json);
  json.beginObject();
  describeRun(members, info, times);
  json.endObject();
  base::writeFileAtomically(layout.runJson(), protocol::indented(compact) + "\n");
}

}  // namespace lockstep::run_folder
