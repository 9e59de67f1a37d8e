#include "engine/train/mailbox.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace lockstep::train {

void Mailbox::post(protocol::Control control) {
  {
    const std::lock_guard lock(mutex_);
    controls_.push_back(std::move(control));
  }
  posted_.notify_one();
}

std::vector<protocol::Control> Mailbox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(controls_, {});
}

std::vector<protocol::Control> Mailbox::waitAndTake() {
  std::unique_lock lock(mutex_);
  posted_.wait(lock, [this] { return !controls_.empty(); });
  return std::exchange(controls_, {});
}

bool Mailbox::isEmpty() const {
  const std::lock_guard lock(mutex_);
  return controls_.empty();
}

void Mailbox::cancel(const std::string& id) {
  const std::lock_guard lock(mutex_);
  cancelled_.insert(id);
}

bool Mailbox::isCancelled(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  return cancelled_.contains(id);
}

bool Mailbox::hasStop() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(controls_, [](const protocol::Control& control) {
    return std::holds_alternative<protocol::Stop>(control.action);
  });
}

void Mailbox::forget(const std::string& id) {
  const std::lock_guard lock(mutex_);
  cancelled_.erase(id);
}

void Mailbox::waitFor(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  posted_.wait_for(lock, time, [this] { return !controls_.empty(); });
}

}  // namespace lockstep::train
