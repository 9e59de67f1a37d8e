#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/file_lock.h"
#include "engine/queue/device_locks.h"
#include "engine/queue/waiting_runs.h"

/// The rule is in lock_folder.h.
namespace lockstep::queue {

/// The place of a waiting run in the queue, kept until destroyed. Its methods throw Error when the
/// files cannot be read or written; callers try again later.
class QueuePlace {
 public:
  /// Enters the queue.
  QueuePlace(Holder self, std::vector<Device> devices, double created, int position);
  QueuePlace(const QueuePlace&) = delete;
  QueuePlace& operator=(const QueuePlace&) = delete;
  ~QueuePlace();

  /// From 1. Enters again if the folder lost its entry.
  int position();
  /// Returns the new position: at most the number of waiting runs.
  int moveTo(int position);
  /// The devices, when it is the run's turn: the run no longer waits then.
  std::optional<DeviceLocks> tryTakeDevices();

 private:
  void enter(int position);
  void leave();
  bool isEntered() const;

  Holder self_;
  std::vector<Device> devices_;
  WaitingRun entry_;
  std::filesystem::path file_;  ///< queue/ID.lock
  std::optional<base::FileLock> lock_;
  int position_ = 1;
};

}  // namespace lockstep::queue
