#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace lockstep::tests {

/// Locks the file `held-DEVICE` in `folder` until this process ends. When another worker has it,
/// that becomes a line of the file `clashes` there.
inline void holdDevice(const std::filesystem::path& folder, const std::string& run,
                       const std::string& device) {
  const int fd = ::open((folder / ("held-" + device)).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  // The worker of a killed engine is killed with it, but a moment later.
  for (int attempt = 0; attempt < 50; ++attempt) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return;
    ::poll(nullptr, 0, 10);
  }
  std::ofstream(folder / "clashes", std::ios::app) << run << " on " << device << '\n';
}

}  // namespace lockstep::tests
