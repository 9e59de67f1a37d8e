#pragma once

#include <filesystem>
#include <optional>

#include "engine/base/file_descriptor.h"

namespace lockstep::base {

/// Holds a file (flock) while it lives; whoever is killed lets go. The file stays, unless its
/// holder removes it.
class FileLock {
 public:
  /// Makes the file, with `mode` less the umask, where it is missing. Nothing when another holder
  /// has it (known after 0.1 s: others only look for a moment). Throws Error (mendable) when the
  /// file cannot be opened or locked.
  static std::optional<FileLock> tryAcquire(const std::filesystem::path& path,
                                            unsigned mode = 0644);
  /// Whether somebody holds it now.
  static bool isHeld(const std::filesystem::path& path);

 private:
  explicit FileLock(FileDescriptor file) : file_(std::move(file)) {}
  bool take(const std::filesystem::path& path) const;
  FileDescriptor file_;
};

}  // namespace lockstep::base
