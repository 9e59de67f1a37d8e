#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/base/error.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {
namespace {

int flockAgain(int fd, int operation) {
  int result = 0;
  do {
    result = ::flock(fd, operation);
  } while (result != 0 && errno == EINTR);
  return result;
}

}  // namespace

std::optional<RunLock> RunLock::tryAcquire(const Layout& layout) {
  const int fd = ::open(layout.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) {
    throw base::mendable(layout.lock().string() +
                         ": cannot be opened: " + std::generic_category().message(errno));
  }
  RunLock lock(fd);
  // isHeld() takes the lock for a moment: a second look tells it from a run.
  for (int attempt = 0; attempt < 20; ++attempt) {
    if (flockAgain(fd, LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK) {
      throw Error(layout.lock().string() +
                  ": cannot be locked: " + std::generic_category().message(errno));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return std::nullopt;
}

bool RunLock::isHeld(const Layout& layout) {
  const int fd = ::open(layout.lock().c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool held = flockAgain(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(fd);
  return held;
}

RunLock::RunLock(RunLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

RunLock& RunLock::operator=(RunLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

RunLock::~RunLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace lockstep::run_folder
