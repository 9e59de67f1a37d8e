#pragma once

#include <QStringList>
#include <optional>
#include <string>
#include <vector>

#include "app/engines/machine_memory.h"
#include "engine/coco/files/dataset.h"
#include "engine/config/experiment.h"

namespace lockstep::app {

/// What decides on time and memory of a step: the same text, the same cost.
std::string costKey(const config::Experiment& experiment);

struct MeasuredRun {
  QString name;
  double stepSeconds = 0;  ///< the median
  /// The most of the fullest GPU or, without one, of the ranks' processes.
  std::optional<double> memoryGib;
};

/// The first of these folders of runs that ran on this machine at the same cost. Blocks.
std::optional<MeasuredRun> measuredRun(const config::Experiment& experiment,
                                       const QStringList& runs);

/// What a training step needs and the device has, as text.
struct MemoryText {
  QString need;  ///< `≈ 11.2 GiB of the 80.0 GiB of GPU 0 (…), estimated`; empty: not known
  QString largestBatch;  ///< that the GPU has room for; empty: no GPU is known
};

/// Measured where a run is given, else estimated from images of each size that occurs.
MemoryText memoryText(config::Experiment experiment, const std::vector<coco::Image>& shapes,
                      const MachineMemory& machine, const std::optional<MeasuredRun>& run);

}  // namespace lockstep::app
