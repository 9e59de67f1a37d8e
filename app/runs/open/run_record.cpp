#include "app/runs/open/run_record.h"

#include "engine/base/error.h"
#include "engine/foreign_runs/run_summary.h"
#include "engine/run_folder/run_folder.h"
#include "engine/run_folder/source_files.h"
#include "engine/run_folder/training_state.h"

namespace lockstep::app {
namespace {

void readSource(const run_folder::Layout& layout, RunRecord& record) {
  const auto source = run_folder::readSource(layout);
  if (!source || source->files.empty()) return;
  record.experiment = QString::fromStdString((source->folder / source->files.front()).string());
  for (const std::string& each : source->overrides)
    record.overrides.append(QString::fromStdString(each));
}

void readConfig(const run_folder::Layout& layout, RunRecord& record) {
  const auto parameters = foreign_runs::parametersInYaml(layout.config());
  const auto value = [&](const char* key) {
    const auto found = parameters.find(key);
    return found == parameters.end() ? QString() : QString::fromStdString(found->second);
  };
  record.device = value("runtime.device");
  record.precision = value("runtime.precision");
  record.seed = value("runtime.seed");
  record.batchSize = value("solver.batch_size");
}

void readCheckpoint(const run_folder::Layout& layout, RunRecord& record) {
  const std::vector<std::int64_t> steps = run_folder::checkpointSteps(layout);
  if (steps.empty()) return;
  const auto state = run_folder::readTrainingState(layout.checkpoint(steps.back()));
  record.version = QString::fromStdString(state.version);
  record.device = QString::fromStdString(state.device);  // of `auto`, which one it was
}

}  // namespace

RunRecord readRunRecord(const std::filesystem::path& runFolder) {
  const run_folder::Layout layout(runFolder);
  RunRecord record;
  for (const auto read : {&readSource, &readConfig, &readCheckpoint}) {
    try {
      read(layout, record);
    } catch (const Error& error) {
      record.fault = QString::fromStdString(error.what());
    }
  }
  return record;
}

}  // namespace lockstep::app
