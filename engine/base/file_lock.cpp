#include "engine/base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "engine/base/error.h"

namespace lockstep::base {
namespace {

int flockAgain(int fd, int operation) {
  int result = 0;
  do {
    result = ::flock(fd, operation);
  } while (result != 0 && errno == EINTR);
  return result;
}

/// Whether the open file still stands under its name.
bool standsAt(const std::filesystem::path& path, int fd) {
  struct stat open {
  }, there{};
  return ::fstat(fd, &open) == 0 && ::stat(path.c_str(), &there) == 0 &&
         open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

}  // namespace

std::optional<FileLock> FileLock::tryAcquire(const std::filesystem::path& path, unsigned mode) {
  for (;;) {
    FileLock lock(FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, mode)));
    if (!lock.file_.isOpen())
      throw mendable(path.string() +
                     ": cannot be opened: " + std::generic_category().message(errno));
    if (!lock.take(path)) return std::nullopt;
    // Its holder before may have removed it meanwhile: nobody would see that it is held.
    if (standsAt(path, lock.file_.get())) return lock;
  }
}

bool FileLock::take(const std::filesystem::path& path) const {
  // isHeld() takes the lock for a moment: a second look tells it from a holder.
  for (int attempt = 0; attempt < 20; ++attempt) {
    if (flockAgain(file_.get(), LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK)
      throw Error(path.string() + ": cannot be locked: " + std::generic_category().message(errno));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

bool FileLock::isHeld(const std::filesystem::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.isOpen() && flockAgain(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace lockstep::base
