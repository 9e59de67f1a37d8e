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

int flockWithRetry(int fd, int operation) {
  int result = 0;
  do {
    result = ::flock(fd, operation);
  } while (result != 0 && errno == EINTR);
  return result;
}

}  // namespace

FileLock FileLock::open(const std::filesystem::path& path, unsigned mode) {
  FileLock lock(FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, mode)));
  if (lock.file_.isOpen()) return lock;
  throw UserError(path.string() + ": cannot be opened: " + std::generic_category().message(errno));
}

std::optional<FileLock> FileLock::tryAcquire(const std::filesystem::path& path, unsigned mode) {
  for (;;) {
    FileLock lock = open(path, mode);
    if (!lock.take(path)) return std::nullopt;
    // The previous holder may have removed the file in the meantime: a lock on it would be
    // invisible.
    if (lock.isAt(path)) return lock;
  }
}

std::optional<FileLock> FileLock::tryAcquireAtOnce(const std::filesystem::path& path,
                                                   Sharing sharing, unsigned mode) {
  for (;;) {
    FileLock lock = open(path, mode);
    if (!lock.takeAtOnce(path, sharing)) return std::nullopt;
    if (lock.isAt(path)) return lock;
  }
}

bool FileLock::takeAtOnce(const std::filesystem::path& path, Sharing sharing) const {
  const int operation = sharing == Sharing::Shared ? LOCK_SH : LOCK_EX;
  if (flockWithRetry(file_.get(), operation | LOCK_NB) == 0) return true;
  if (errno == EWOULDBLOCK) return false;
  throw Error(path.string() + ": cannot be locked: " + std::generic_category().message(errno));
}

bool FileLock::take(const std::filesystem::path& path) const {
  // isHeld() of another process takes the lock briefly: retry to distinguish it from a holder.
  for (int attempt = 0; attempt < 20; ++attempt) {
    if (takeAtOnce(path, Sharing::Exclusive)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

bool FileLock::isHeld(const std::filesystem::path& path) {
  // O_NONBLOCK: a FIFO of that name would wait for a writer.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return file.isOpen() && flockWithRetry(file.get(), LOCK_SH | LOCK_NB) != 0 &&
         errno == EWOULDBLOCK;
}

bool FileLock::share() const { return flockWithRetry(file_.get(), LOCK_SH | LOCK_NB) == 0; }

bool FileLock::isAt(const std::filesystem::path& path) const {
  struct stat open {
  }, atPath{};
  return ::fstat(file_.get(), &open) == 0 && ::stat(path.c_str(), &atPath) == 0 &&
         open.st_dev == atPath.st_dev && open.st_ino == atPath.st_ino;
}

}  // namespace lockstep::base
