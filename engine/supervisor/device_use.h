#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/protocol/worker_messages.h"
#include "engine/supervisor/nvml.h"
#include "engine/supervisor/process_usage.h"

namespace lockstep::supervisor {

/// Collects the ranks' device metrics as scalars:
///   system/cpu_percent                  of the cores they may use: 100 is all of them
///   system/memory_gib                   resident, all ranks together
///   system/gpuN/utilisation_percent     N is NVML's index; GPUs that ranks use
///   system/gpuN/memory_gib              in use, by all programs
///   system/gpuN/temperature_celsius
///   system/gpuN/power_watts
///   system/gpuN/throttled_percent       of the time: clocks lowered for power or heat
/// Each is over the time since the last record that has them: the largest value of memory and
/// temperature, the mean of the others. Unknown values are omitted.
class DeviceUse {
 public:
  using Clock = std::chrono::steady_clock;

  /// `cores`: those that the ranks may use.
  explicit DeviceUse(double cores) : cores_(cores) {}

  /// What these processes have used so far. Other processes than last time start a new measurement.
  void add(const ProcessUsage& usage, const std::vector<pid_t>& processes, Clock::time_point now);
  void add(int gpu, const GpuFigures& figures);

  /// Adds what was collected to the last record of a batch, at most every 2 s, and not if a record
  /// of that step has it already: a step has at most one value per tag.
  void addTo(protocol::ScalarBatch& batch, Clock::time_point now);
  /// The event log is truncated after this step.
  void forgetAfter(std::int64_t lastKeptStep);

 private:
  struct Figure {
    double sum = 0, largest = 0;
    int count = 0;
    bool takesLargest = false;
  };
  void note(const std::string& tag, double value, bool takesLargest = false);

  double cores_;
  std::map<std::string, Figure> figures_;
  std::vector<pid_t> processes_;
  ProcessUsage last_;
  Clock::time_point lastTime_{};
  std::optional<Clock::time_point> lastRecordTime_;
  std::int64_t lastRecordStep_ = 0;
};

}  // namespace lockstep::supervisor
