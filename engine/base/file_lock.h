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
  /// Any number of holders may share a lock; nobody has it exclusively then.
  enum class Sharing { Exclusive, Shared };
  /// The same with one attempt, for locks that isHeld() is not asked about.
  static std::optional<FileLock> tryAcquireAtOnce(const std::filesystem::path& path,
                                                  Sharing sharing, unsigned mode = 0644);
  /// Whether any process holds it exclusively.
  static bool isHeld(const std::filesystem::path& path);

  /// Makes an exclusive lock a shared one. The system frees it in between for a moment, and false
  /// means that another process took it then: callers hold a lock of all who take this one.
  bool share() const;
  /// Whether `path` is still the locked file: a lock on a removed one is invisible.
  bool isAt(const std::filesystem::path& path) const;

 private:
  explicit FileLock(FileDescriptor file) : file_(std::move(file)) {}
  static FileLock open(const std::filesystem::path& path, unsigned mode);
  bool takeAtOnce(const std::filesystem::path& path, Sharing sharing) const;
  bool take(const std::filesystem::path& path) const;
  FileDescriptor file_;
};

}  // namespace lockstep::base
