#include "app/experiments/experiment_cost.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <string_view>

#include "app/experiments/left_to_machine.h"
#include "engine/base/host.h"
#include "engine/base/number_text.h"
#include "engine/config/fields.h"
#include "engine/config/load.h"
#include "engine/config/memory_estimate.h"
#include "engine/events/reader.h"
#include "engine/events/tags.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;
namespace tags = events::tags;

/// Runs that are looked at for one of the same model.
constexpr qsizetype kMostRuns = 50;

struct CostText {
  Q_DECLARE_TR_FUNCTIONS(ExperimentCost)
};

QString gibibytes(double bytes) { return QString::fromStdString(base::gibibytes(bytes)); }

bool decidesCost(const std::string& key) {
  constexpr std::array<std::string_view, 13> kKeys{
      "solver.batch_size",       "solver.accumulate", "solver.optimizer", "augment.min_size",
      "augment.max_size",        "augment.pad_to",    "augment.crop",     "augment.quarter_turns",
      "dataset.group_by_aspect", "runtime.device",    "runtime.workers",  "runtime.precision",
      "runtime.cuda_graphs"};
  const bool isOfModel = key.starts_with("model.") && key != "model.weights";
  return isOfModel || std::ranges::find(kKeys, key) != kKeys.end();
}

/// What the log says of the cost of a step.
struct LoggedCost {
  std::vector<float> stepSeconds;
  std::optional<double> gpuGib, hostGib;  ///< the most

  std::optional<double> memoryGib() const { return gpuGib ? gpuGib : hostGib; }
};

LoggedCost loggedCost(const fs::path& eventFile) {
  LoggedCost cost;
  const auto raise = [](std::optional<double>& most, float value) {
    most = std::max<double>(most.value_or(0), value);
  };
  events::Reader reader(eventFile);
  reader.visitAvailable([&](const events::RecordView& record) {
    for (const events::ScalarView& scalar : record.scalars) {
      const std::string& tag = reader.tags()[scalar.tag];
      if (tag == tags::kStepSeconds) cost.stepSeconds.push_back(scalar.value);
      if (tag == tags::kHostMemoryGib) raise(cost.hostGib, scalar.value);
      if (events::tags::numberIn(tag, tags::kGpuMemoryGib)) raise(cost.gpuGib, scalar.value);
    }
  });
  return cost;
}

double median(std::vector<float> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::optional<MeasuredRun> measurementOf(const fs::path& folder,
                                         const config::Experiment& experiment,
                                         const std::string& cost) {
  try {
    const run_folder::Layout layout(folder);
    const run_folder::RunInfo info = run_folder::readRunInfo(layout);
    if (info.isRangeTest || info.host != base::hostName()) return std::nullopt;
    auto loaded = config::loadExperiment(layout.config());
    leaveToMachine(experiment.runtime, loaded.experiment.runtime);
    if (!loaded.isComplete || costKey(loaded.experiment) != cost) return std::nullopt;
    const LoggedCost logged = loggedCost(events::findEventFile(folder));
    if (logged.stepSeconds.empty()) return std::nullopt;
    return MeasuredRun{QString::fromStdString(folder.filename().string()),
                       median(logged.stepSeconds), logged.memoryGib()};
  } catch (const std::exception&) {
    return std::nullopt;  // a run that cannot be read is no measurement
  }
}

/// Of `bytes`; with what the device has, where that is known.
QString needText(double bytes, const MachineMemory& machine, const MachineMemory::Gpu* gpu) {
  if (gpu)
    return CostText::tr("%1 of the %2 of %3")
        .arg(gibibytes(bytes), gibibytes(gpu->bytes), gpu->name);
  if (machine.bytes <= 0) return gibibytes(bytes);
  return CostText::tr("%1 of the %2 of this machine")
      .arg(gibibytes(bytes), gibibytes(machine.bytes));
}

}  // namespace

std::string costKey(const config::Experiment& experiment) {
  std::string all;
  for (const config::Field& field : config::fields())
    if (decidesCost(field.key)) all += field.text(experiment) + "\n";
  return all;
}

std::optional<MeasuredRun> measuredRun(const config::Experiment& experiment,
                                       const QStringList& runs) {
  const std::string cost = costKey(experiment);
  for (const QString& folder : runs.mid(0, kMostRuns))
    if (auto run = measurementOf(folder.toStdString(), experiment, cost)) return run;
  return std::nullopt;
}

MemoryText memoryText(config::Experiment experiment, const std::vector<coco::Image>& shapes,
                      const MachineMemory& machine, const std::optional<MeasuredRun>& run) {
  const MachineMemory::Gpu* gpu = machine.gpuOf(experiment.runtime);
  if (gpu) {
    experiment.runtime.workers = machine.rankCount(experiment.runtime);
  } else {
    experiment.runtime.device = config::Device::Cpu;
  }
  const int ranks = std::max(experiment.runtime.workers, 1);
  const int microBatches = ranks * experiment.solver.accumulate;
  const bool isMeasured = run && run->memoryGib.value_or(0) > 0;
  MemoryText text;
  if (isMeasured)
    text.need = CostText::tr("%1, measured in %2")
                    .arg(needText(*run->memoryGib * 0x1p30, machine, gpu), run->name);
  if (shapes.empty()) return text;
  const config::BatchEstimate estimate = config::estimateLargestBatch(experiment, shapes);
  // Ranks on a CPU share the machine's memory, and what is measured is of them all.
  const double bytes = estimate.bytes() * (gpu ? 1 : ranks);
  if (!isMeasured) text.need = CostText::tr("≈ %1, estimated").arg(needText(bytes, machine, gpu));
  if (!gpu) return text;
  // What was measured says how far the estimate is off.
  const double correction = isMeasured ? *run->memoryGib * 0x1p30 / estimate.bytes() : 1;
  const auto images = static_cast<int>(estimate.imagesIn(gpu->bytes / correction) * microBatches);
  text.largestBatch = CostText::tr("≈ %n image(s) of up to %1 × %2 px, %3", "", images)
                          .arg(estimate.widthPx)
                          .arg(estimate.heightPx)
                          .arg(isMeasured ? CostText::tr("by the memory of %1").arg(run->name)
                                          : CostText::tr("estimated"));
  return text;
}

}  // namespace lockstep::app
