#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/file_lock.h"

/// Which runs of this user have which devices of this machine, and which wait for them. There is no
/// daemon: everything is in files that every run locks.
///
///   /tmp/lockstep-UID/
///     devices/GPU-UUID.lock, cpu.lock   shared locks of the runs that train on the device; a line
///                                       of JSON for each names it
///     queue/order.json                  the waiting runs, in their order
///     queue/ID.lock                     held by the waiting process of run ID
///     queue/order.lock                  held for moments by whoever changes any of these
///
/// The rule:
/// 1. Every training holds the locks of its devices from before its ranks start to its end, shared.
///    Only the system releases them, with the process: no device is lost.
/// 2. A training that does not wait takes them whoever holds them, and warns.
/// 3. A waiting run starts when nobody holds any of its devices and no run before it in the order
///    waits for one of them. Runs for other devices do not hold it up. It takes all devices at once
///    or none, and leaves the order in the same moment: order.lock is held meanwhile, so no two
///    waiting runs take one device, and none is taken by halves.
/// 4. The position of a run is its number among the waiting runs whose process lives. A run whose
///    process is gone has lost its place; run.json keeps `queued` and the position, with which it
///    can enter again. A run enters before the first run with a greater (position, created,
///    folder), a new one with the position behind the last. run.json follows within a second.
/// 5. What is removed from the folder by others is made again by those whose it was.
namespace lockstep::queue {

/// $LOCKSTEP_LOCKS, else /tmp/lockstep-UID: not below XDG_RUNTIME_DIR or TMPDIR, which differ
/// between sessions of one user.
std::filesystem::path lockFolder();

/// Creates lockFolder()/`name` for this user alone. Throws Error.
std::filesystem::path ensureLockFolder(const std::string& name);

/// Takes order.lock; waits for others for at most 5 s. Throws Error.
base::FileLock lockOrder();
/// The same, but waits for 0.1 s: nullopt when another process has it. Throws Error for other
/// faults.
std::optional<base::FileLock> tryLockOrder();

}  // namespace lockstep::queue
