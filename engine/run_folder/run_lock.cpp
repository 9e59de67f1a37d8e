#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {

std::optional<RunLock> RunLock::tryAcquire(const Layout& layout) {
  auto lock = base::FileLock::tryAcquire(layout.lock());
  if (!lock) return std::nullopt;
  return RunLock(std::move(*lock));
}

bool RunLock::isHeld(const Layout& layout) { return base::FileLock::isHeld(layout.lock()); }

}  // namespace lockstep::run_folder
