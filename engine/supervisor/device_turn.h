#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/queue/device_locks.h"
#include "engine/queue/run_queue.h"

namespace lockstep::supervisor {

/// The devices of a training: taken at once, or when it is their turn in the queue. The rule is in
/// engine/queue/lock_folder.h.
class DeviceTurn {
 public:
  using WarningHandler = std::function<void(const std::string&)>;

  DeviceTurn(std::vector<queue::Device> devices, queue::Holder self, WarningHandler onWarning);

  /// Whoever else has them: each that others train on is a warning. Faults of the locks are
  /// warnings, too.
  void takeNow();
  /// Throws Error.
  void enterQueue(double created, int position);

  bool isWaiting() const { return place_ != nullptr; }
  int position() const { return position_; }
  /// Throws Error.
  void moveTo(int position);
  /// While it waits: takes the devices if it is their turn. Faults are warnings and make it wait
  /// on.
  bool tryTake();
  /// To be called about once a second while it has the devices.
  void keep();
  /// Frees the devices, or the place in the queue.
  void end();

  /// `GPU 0 (NVIDIA H200), GPU 1 (NVIDIA H200)`
  std::string deviceNames() const;

 private:
  void warnOnce(const std::string& text);

  std::vector<queue::Device> devices_;
  queue::Holder self_;
  WarningHandler onWarning_;
  std::unique_ptr<queue::QueuePlace> place_;  ///< while it waits
  int position_ = 0;
  std::optional<queue::DeviceLocks> locks_;
  std::string lastWarning_;
};

}  // namespace lockstep::supervisor
