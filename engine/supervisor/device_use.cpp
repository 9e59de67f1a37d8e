#include "engine/supervisor/device_use.h"

#include <algorithm>
#include <cmath>

#include "engine/events/tags.h"

namespace lockstep::supervisor {
namespace {

namespace tags = events::tags;

/// A log of a day's training then has at most 43200 of these points a tag, and fewer where batches
/// of records come less often (monitor.log_every).
constexpr std::chrono::seconds kInterval{2};
constexpr double kGibibyte = 1 << 30;

}  // namespace

void DeviceUse::note(const std::string& tag, double value, bool takesLargest) {
  if (!std::isfinite(value)) return;
  Figure& figure = figures_[tag];
  figure.largest = figure.count == 0 ? value : std::max(figure.largest, value);
  figure.sum += value;
  ++figure.count;
  figure.takesLargest = takesLargest;
}

void DeviceUse::add(const ProcessUsage& usage, const std::vector<pid_t>& processes,
                    Clock::time_point now) {
  const double seconds = std::chrono::duration<double>(now - lastTime_).count();
  if (processes.empty()) return;
  if (processes == processes_ && seconds > 0)
    note(tags::kCpuPercent, 100 * (usage.cpuSeconds - last_.cpuSeconds) / (seconds * cores_));
  note(tags::kHostMemoryGib, static_cast<double>(usage.residentBytes) / kGibibyte, true);
  processes_ = processes;
  last_ = usage;
  lastTime_ = now;
}

void DeviceUse::add(int gpu, const GpuFigures& figures) {
  note(tags::numbered(tags::kGpuUtilisation, gpu), figures.utilisationPercent);
  note(tags::numbered(tags::kGpuMemoryGib, gpu), figures.memoryBytes / kGibibyte, true);
  note(tags::numbered(tags::kGpuTemperature, gpu), figures.temperatureCelsius, true);
  note(tags::numbered(tags::kGpuPower, gpu), figures.powerWatts);
  note(tags::numbered(tags::kGpuThrottled, gpu), figures.throttledPercent);
}

void DeviceUse::addTo(protocol::ScalarBatch& batch, Clock::time_point now) {
  if (!lastRecordTime_) lastRecordTime_ = now;
  if (batch.records.empty() || figures_.empty() || now - *lastRecordTime_ < kInterval) return;
  protocol::Scalars& record = batch.records.back();
  if (record.step <= lastRecordStep_) return;
  for (const auto& [tag, figure] : figures_) {
    const double value = figure.takesLargest ? figure.largest : figure.sum / figure.count;
    record.values.emplace_back(tag, static_cast<float>(value));
  }
  figures_.clear();
  lastRecordTime_ = now;
  lastRecordStep_ = record.step;
}

void DeviceUse::forgetAfter(std::int64_t lastKeptStep) {
  figures_.clear();
  lastRecordStep_ = std::min(lastRecordStep_, lastKeptStep);
}

}  // namespace lockstep::supervisor
