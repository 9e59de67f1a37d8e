#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/protocol/worker_messages.h"
#include "engine/supervisor/device_use.h"
#include "engine/supervisor/devices.h"
#include "engine/supervisor/gpu_watch.h"
#include "engine/supervisor/poll_loop.h"

namespace lockstep::supervisor {

/// Measures what the ranks here use of processor, memory and GPUs, for the event log.
class DeviceMonitor {
 public:
  using WarningHandler = std::function<void(const std::string&)>;

  /// gpus: of each rank; two may share one. onWarning is called for GPUs that cannot be measured.
  DeviceMonitor(PollLoop& loop, const std::vector<GpuDevice>& gpus, WarningHandler onWarning);

  /// Measures GPUs from now on, until stop().
  void start();
  void stop() { gpuWatch_.reset(); }
  /// Measures processor and memory of these processes. To be called about once a second.
  void sample(const std::vector<pid_t>& processes);
  /// As DeviceUse::addTo, now.
  void addTo(protocol::ScalarBatch& batch);
  /// The event log is truncated after this step.
  void forgetAfter(std::int64_t lastKeptStep) { use_.forgetAfter(lastKeptStep); }

 private:
  void add(const GpuDevice& gpu, const GpuFigures& figures);

  PollLoop& loop_;
  std::vector<GpuDevice> gpus_;  ///< each once
  WarningHandler onWarning_;
  DeviceUse use_;
  std::unique_ptr<GpuWatch> gpuWatch_;
};

}  // namespace lockstep::supervisor
