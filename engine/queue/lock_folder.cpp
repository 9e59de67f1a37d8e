#include "engine/queue/lock_folder.h"

#include <cstdlib>
#include <string>

#include "engine/base/error.h"
#include "engine/run_folder/private_folder.h"

namespace lockstep::queue {
namespace fs = std::filesystem;

fs::path lockFolder() {
  const char* folder = std::getenv("LOCKSTEP_LOCKS");
  if (folder != nullptr && *folder != '\0') return folder;
  return run_folder::userFolder();
}

fs::path ensureLockFolder(const std::string& name) {
  constexpr const char* kRemedy =
      "remove it, or set LOCKSTEP_LOCKS to another folder, the same for all runs of this machine";
  const fs::path folder = lockFolder();
  run_folder::ensurePrivateFolder(folder, "device locks", kRemedy);
  run_folder::ensurePrivateFolder(folder / name, "device locks", kRemedy);
  return folder / name;
}

base::FileLock lockOrder() {
  constexpr int kAttempts = 50;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (auto lock = tryLockOrder()) return std::move(*lock);
  }
  throw Error((lockFolder() / "queue/order.lock").string() + ": is locked by another process");
}

std::optional<base::FileLock> tryLockOrder() {
  return base::FileLock::tryAcquire(ensureLockFolder("queue") / "order.lock", 0600);
}

}  // namespace lockstep::queue
