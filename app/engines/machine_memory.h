#pragma once

#include <QByteArray>
#include <QString>
#include <vector>

#include "engine/config/experiment.h"

namespace lockstep::app {

/// Memory that a training on this machine may use.
struct MachineMemory {
  struct Gpu {
    QString name;  ///< `GPU 0 (NVIDIA H200)`
    double bytes = 0;
    bool operator==(const Gpu&) const = default;
  };
  double bytes = 0;  ///< of the machine; 0: not known
  std::vector<Gpu> gpus;
  bool operator==(const MachineMemory&) const = default;

  /// Ranks of a training on these GPUs: one on each, unless the experiment says how many.
  int rankCount(const config::RuntimeConfig& runtime) const;
  /// The GPU with the least memory of those that the experiment would train on; nullptr: on none.
  const Gpu* gpuOf(const config::RuntimeConfig& runtime) const;
};

/// Of what `lockstep-engine info --json` prints; nothing known of another text.
MachineMemory machineMemoryIn(const QByteArray& json);

}  // namespace lockstep::app
