#pragma once

#include <filesystem>
#include <optional>

#include "engine/base/file_lock.h"

namespace lockstep::base {

/// A folder of this user alone in the system's temporary folder. The destructor removes it, and the
/// next folder of the same name the ones of killed processes.
class TemporaryFolder {
 public:
  /// `name`: what its name begins with. Throws Error.
  explicit TemporaryFolder(const char* name = "lockstep-");
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<FileLock> lock_;  ///< in the folder: it is in use
};

}  // namespace lockstep::base
