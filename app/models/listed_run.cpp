#include "app/models/listed_run.h"

#include "engine/foreign_runs/run_summary.h"

namespace lockstep::app {

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
  info.updated = found.changed;
  return listed;
}

}  // namespace lockstep::app
