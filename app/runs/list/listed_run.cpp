#include "app/runs/list/listed_run.h"

#include <tuple>

#include "engine/base/error.h"
#include "engine/base/shortened_text.h"
#include "engine/foreign_runs/run_summary.h"

namespace lockstep::app {

namespace {

bool isSame(const run_folder::RunInfo& a, const run_folder::RunInfo& b) {
  const auto facts = [](const run_folder::RunInfo& info) {
    return std::tie(info.name, info.attempt, info.step, info.maxSteps, info.pid, info.socket,
                    info.started, info.finished, info.best, info.queuePosition, info.forkedFrom);
  };
  return facts(a) == facts(b) && a.state == b.state && a.error.has_value() == b.error.has_value();
}

}  // namespace

bool isSame(const ListedRun& a, const ListedRun& b) {
  return isSame(a.summary.info, b.summary.info) && a.summary.alive == b.summary.alive &&
         a.notes == b.notes && a.notesThere == b.notesThere && a.notesFault == b.notesFault;
}

ListedRun readListedRun(const std::filesystem::path& runFolder) {
  ListedRun listed{run_folder::summarise(runFolder)};
  try {
    listed.notes = run_folder::readRunNotes(run_folder::Layout(runFolder));
  } catch (const Error& error) {
    listed.notesFault = error.what();
  }
  return listed;
}

ListedRun readListedRun(const foreign_runs::ForeignRun& run) {
  const foreign_runs::ForeignRunSummary found = foreign_runs::summarise(run);
  ListedRun listed{{}, run.source};
  listed.summary.folder = run.folder;
  run_folder::RunInfo& info = listed.summary.info;
  info.name = found.name;
  info.state = found.state ? base::OpenEnum<protocol::RunState>(*found.state)
                           : base::OpenEnum<protocol::RunState>(base::textOf(run.source));
  info.ranks = 0;
  info.step = found.lastStep.value_or(0);
  info.maxSteps = found.maxSteps.value_or(0);
  info.created = found.started > 0 ? found.started : found.changed;
  info.started = found.started;
  info.updated = found.changed;
  return listed;
}

std::string nameOf(const ListedRun& run) {
  const std::string& given = run.notes.name.empty() ? run.summary.info.name : run.notes.name;
  return base::printable(given.empty() ? run.summary.folder.filename().string() : given);
}

}  // namespace lockstep::app
