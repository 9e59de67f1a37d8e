#pragma once

#include <filesystem>
#include <optional>

#include "engine/base/file_descriptor.h"

namespace lockstep::base {

/// Holds a lock on a file (flock) until destroyed; the system releases it when the process is
/// killed. The file stays, unless the holder removes it.
class FileLock {
 public:
  /// Creates a missing file with `mode & ~umask`. nullopt when another holder has the lock, after
  /// retrying for 0.1 s: isHeld() takes it briefly. Throws UserError when the file cannot be
  /// opened, Error when it cannot be locked.
  static std::optional<FileLock> tryAcquire(const std::filesystem::path& path,
                                            unsigned mode = 0644);
  /// Whether any process holds it.
  static bool isHeld(const std::filesystem::path& path);

 private:
  explicit FileLock(FileDescriptor file) : file_(std::move(file)) {}
  bool take(const std::filesystem::path& path) const;
  FileDescriptor file_;
};

}  // namespace lockstep::base
