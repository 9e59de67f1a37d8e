#include "engine/supervisor/device_use.h"

#include <algorithm>
#include <cmath>

namespace lockstep::supervisor {
namespace {

/// A log of a day's training then has at most 43200 of these points a tag, and fewer where batches
/// of records come less often (monitor.log_every).
constexpr std::chrono::seconds kInterval{2};
constexpr double kGibibyte = 1 << 30;

}  // namespace

void DeviceUse::note(const std::string& tag, double value, bool tellsLargest) {
  if (!std::isfinite(value)) return;
  Figure& figure = figures_[tag];
  figure.largest = figure.count == 0 ? value : std::max(figure.largest, value);
  figure.sum += value;
  ++figure.count;
  figure.tellsLargest = tellsLargest;
}

void DeviceUse::add(const ProcessUsage& usage, const std::vector<pid_t>& processes,
                    Clock::time_point now) {
  const double seconds = std::chrono::duration<double>(now - lastTime_).count();
  if (processes.empty()) return;
  if (processes == processes_ && seconds > 0)
    note("system/cpu_percent", 100 * (usage.cpuSeconds - last_.cpuSeconds) / (seconds * cores_));
  note("system/memory_gib", static_cast<double>(usage.residentBytes) / kGibibyte, true);
  processes_ = processes;
  last_ = usage;
  lastTime_ = now;
}

void DeviceUse::add(int gpu, const GpuFigures& figures) {
  const std::string prefix = "system/gpu" + std::to_string(gpu) + "/";
  note(prefix + "utilisation_percent", figures.utilisationPercent);
  note(prefix + "memory_gib", figures.memoryBytes / kGibibyte, true);
  note(prefix + "temperature_celsius", figures.temperatureCelsius, true);
  note(prefix + "power_watts", figures.powerWatts);
  note(prefix + "throttled_percent", figures.throttledPercent);
}

void DeviceUse::tellIn(protocol::ScalarBatch& batch, Clock::time_point now) {
  if (!told_) told_ = now;
  if (batch.records.empty() || figures_.empty() || now - *told_ < kInterval) return;
  protocol::StepScalars& record = batch.records.back();
  if (record.step <= toldStep_) return;
  for (const auto& [tag, figure] : figures_) {
    const double value = figure.tellsLargest ? figure.largest : figure.sum / figure.count;
    record.values.emplace_back(tag, static_cast<float>(value));
  }
  figures_.clear();
  told_ = now;
  toldStep_ = record.step;
}

void DeviceUse::goBackTo(std::int64_t step) {
  figures_.clear();
  toldStep_ = std::min(toldStep_, step);
}

}  // namespace lockstep::supervisor
