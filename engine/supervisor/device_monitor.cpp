#include "engine/supervisor/device_monitor.h"

#include <algorithm>

#include "engine/supervisor/machine.h"
#include "engine/supervisor/process_usage.h"

namespace lockstep::supervisor {

DeviceMonitor::DeviceMonitor(PollLoop& loop, const std::vector<GpuDevice>& gpus,
                             WarningHandler onWarning)
    : loop_(loop), onWarning_(std::move(onWarning)), use_(usableCores()) {
  for (const GpuDevice& gpu : gpus) {
    const auto isSame = [&gpu](const GpuDevice& other) { return other.index == gpu.index; };
    if (std::ranges::none_of(gpus_, isSame)) gpus_.push_back(gpu);
  }
}

void DeviceMonitor::start() {
  if (gpus_.empty()) return;
  std::vector<int> indices;
  for (const GpuDevice& gpu : gpus_) indices.push_back(gpu.index);
  gpuWatch_ = std::make_unique<GpuWatch>(loop_, indices,
                                         [this](std::size_t position, const GpuFigures& figures) {
                                           add(gpus_.at(position), figures);
                                         });
  if (!gpuWatch_->error().empty())
    onWarning_("GPU metrics are not recorded: the process that reads them cannot be started (" +
               gpuWatch_->error() + "; `ulimit -a` shows the limits)");
}

void DeviceMonitor::add(const GpuDevice& gpu, const GpuFigures& figures) {
  use_.add(gpu.index, figures);
  if (!figures.isLost) return;
  onWarning_(gpuName(gpu) + " is lost: the driver cannot reach it (dmesg | grep -i xid shows why)");
}

void DeviceMonitor::sample(const std::vector<pid_t>& processes) {
  use_.add(usageOf(processes), processes, DeviceUse::Clock::now());
}

void DeviceMonitor::addTo(protocol::ScalarBatch& batch) {
  use_.addTo(batch, DeviceUse::Clock::now());
}

}  // namespace lockstep::supervisor
