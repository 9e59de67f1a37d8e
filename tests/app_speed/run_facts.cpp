// Facts of ten thousand runs, and the filter by them.
#include "app/runs/list/run_facts.h"

#include <QTemporaryDir>
#include <filesystem>
#include <fstream>
#include <string>

#include "app/runs/list/run_filter.h"
#include "app/runs/list/run_list_model.h"
#include "engine/config/load.h"
#include "engine/events/writer.h"
#include "tests/app_speed/gui_pauses.h"
#include "tests/app_speed/measure.h"

namespace lockstep::speed {
namespace {

namespace fs = std::filesystem;

void makeRun(const fs::path& folder, int number) {
  fs::create_directories(folder);
  run_folder::RunInfo info;
  info.name = folder.filename().string();
  info.state = protocol::RunState::Finished;
  info.created = 1795255200 + number;
  const run_folder::Layout layout(folder);
  run_folder::writeRunInfo(layout, info);
  config::Experiment experiment;
  experiment.name = info.name;
  experiment.solver.baseLr = 0.001 * (1 + number % 20);
  std::ofstream(layout.config()) << config::writeExperiment(experiment);
  events::Writer log = events::Writer::open(folder);
  for (int step = 1; step <= 20; ++step) {
    events::Record record;
    record.kind = events::Record::Kind::Scalars;
    record.step = step;
    for (int tag = 0; tag < 40; ++tag)
      record.scalars.emplace_back("train/scalar_" + std::to_string(tag), 1.F);
    record.scalars.emplace_back("eval/loss_total", 1e-4F * static_cast<float>(number));
    log.append(record);
  }
}

}  // namespace

void measureRunFacts() {
  constexpr int kRuns = 10000;
  QTemporaryDir parent;
  QStringList folders;
  for (int i = 0; i < kRuns; ++i) {
    folders.append(parent.filePath(QStringLiteral("run-%1").arg(i)));
    makeRun(folders.last().toStdString(), i);
  }
  app::RunListModel model;
  model.setParentFolders({parent.path()});
  waitUntil("ten thousand runs", [&] { return model.isLoaded() && model.rowCount() == kRuns; });
  app::RunFacts facts;
  GuiPauses pauses;
  const double memoryBefore = privateMebibytes(), cpuBefore = threadCpuMilliseconds();
  QElapsedTimer clock;
  clock.start();
  facts.want(folders);
  waitUntil("facts of ten thousand runs", [&] { return !facts.isReading(); });
  print("facts_of_ten_thousand_runs_ms", millisecondsOf(clock));
  print("facts_of_ten_thousand_runs_gui_ms", threadCpuMilliseconds() - cpuBefore);
  print("facts_of_ten_thousand_runs_longest_pause_ms", percentile(pauses.take(), 1));
  print("facts_of_ten_thousand_runs_mib", privateMebibytes() - memoryBefore);
  clock.start();
  facts.want(folders);
  waitUntil("the same facts", [&] { return !facts.isReading(); });
  print("same_facts_of_ten_thousand_runs_ms", millisecondsOf(clock));
  clock.start();
  const auto differing = facts.differingKeys(folders);
  print("differing_keys_of_ten_thousand_runs_ms", millisecondsOf(clock));
  app::RunFilter filter;
  filter.setText(QStringLiteral("solver.base_lr>0.01 loss_total<0.5 state=finished"));
  clock.start();
  int accepted = 0;
  for (int row = 0; row < model.rowCount(); ++row) {
    const QModelIndex run = model.index(row);
    accepted += filter.accepts(run, facts.find(run.data(app::RunListModel::FolderRole).toString()));
  }
  print("filter_ten_thousand_runs_ms", millisecondsOf(clock));
  print("filter_accepted_runs", accepted);
  print("differing_keys", static_cast<double>(differing.size()));
}

}  // namespace lockstep::speed
