#include "engine/train/step_times.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <utility>

namespace lockstep::train {

StepTimes::StepTimes(c10::Device device) : device_(device) {}

void StepTimes::begin(StepPart part) { mark(static_cast<std::size_t>(part)); }

void StepTimes::end() { mark(kStepParts); }

void StepTimes::mark(std::size_t part) {
  if (device_.is_cpu()) {
    const Clock::time_point now = Clock::now();
    if (part_ != kStepParts) seconds_[part_] += std::chrono::duration<double>(now - begun_).count();
    part_ = part;
    begun_ = now;
    return;
  }
  const c10::impl::VirtualGuardImpl devices(device_.type());
  c10::Event event(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
  event.record(devices.getStream(device_));
  marks_.push_back({part, std::move(event)});
}

bool StepTimes::isComplete() const { return marks_.empty() || marks_.back().event.query(); }

PartSeconds StepTimes::seconds() const {
  constexpr double kMillisecond = 1e-3;
  PartSeconds seconds = seconds_;
  for (std::size_t i = 0; i + 1 < marks_.size(); ++i) {
    const Mark& from = marks_[i];
    if (from.part != kStepParts)
      seconds[from.part] += from.event.elapsedTime(marks_[i + 1].event) * kMillisecond;
  }
  return seconds;
}

}  // namespace lockstep::train
