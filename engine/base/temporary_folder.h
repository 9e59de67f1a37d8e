#pragma once

#include <filesystem>
#include <optional>

#include "engine/base/file_lock.h"

namespace lockstep::base {

/// A private folder in the system's temporary folder. The destructor removes it; the constructor
/// removes those of the same name that killed processes left.
class TemporaryFolder {
 public:
  /// `name`: start of its name. Throws Error.
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
