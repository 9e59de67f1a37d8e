#include "engine/supervisor/device_turn.h"

#include "engine/base/error.h"

namespace lockstep::supervisor {
namespace {

/// `run a (/runs/a, pid 1) and run b (/runs/b, pid 2)`
std::string namesOf(const std::vector<queue::Holder>& holders) {
  std::string names;
  for (const queue::Holder& holder : holders)
    names += (names.empty() ? "" : " and ") + holder.text();
  return names.empty() ? "another process" : names;
}

}  // namespace

DeviceTurn::DeviceTurn(std::vector<queue::Device> devices, queue::Holder self,
                       WarningHandler onWarning)
    : devices_(std::move(devices)), self_(std::move(self)), onWarning_(std::move(onWarning)) {}

void DeviceTurn::takeNow() {
  std::vector<queue::BusyDevice> busy;
  try {
    locks_ = queue::DeviceLocks::takeShared(devices_, self_, busy);
  } catch (const Error& error) {
    warnOnce(std::string("queued runs may start beside this one: ") + error.what());
    locks_.emplace(devices_, self_);
  }
  // A launcher has queues of its own.
  const char* const remedy = self_.job.empty() ? "; --queue waits for it" : "";
  for (const auto& [device, holders] : busy) {
    onWarning_(device.name + " is in use by " + namesOf(holders) + "; " +
               (holders.size() > 1 ? "all" : "both") + " will be slower" + remedy);
  }
}

void DeviceTurn::enterQueue(double created, int position) {
  place_ = std::make_unique<queue::QueuePlace>(self_, devices_, created, position);
  position_ = place_->position();
}

void DeviceTurn::moveTo(int position) { position_ = place_->moveTo(position); }

bool DeviceTurn::tryTake() {
  try {
    locks_ = place_->tryTakeDevices();
    if (!locks_) position_ = place_->position();
  } catch (const Error& error) {
    warnOnce(std::string("the queue: ") + error.what());
  }
  if (locks_) place_.reset();
  return locks_.has_value();
}

void DeviceTurn::keep() {
  try {
    if (locks_) locks_->restore();
  } catch (const Error& error) {
    warnOnce(std::string("queued runs may start beside this one: ") + error.what());
  }
}

void DeviceTurn::end() {
  place_.reset();
  locks_.reset();
}

std::string DeviceTurn::deviceNames() const {
  std::string names;
  for (const queue::Device& device : devices_) names += (names.empty() ? "" : ", ") + device.name;
  return names;
}

/// Each text once, as it may come every second.
void DeviceTurn::warnOnce(const std::string& text) {
  if (std::exchange(lastWarning_, text) != text) onWarning_(text);
}

}  // namespace lockstep::supervisor
