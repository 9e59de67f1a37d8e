#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace lockstep::base {

/// What tells one version of a file from the next, which replaces or extends it; also of several
/// files together.
struct FileVersion {
  std::int64_t changedNs = 0;  ///< the last of them, since 1970
  std::int64_t bytes = -1;     ///< -1: there is none
  ino_t inode = 0;
  bool operator==(const FileVersion&) const = default;

  static FileVersion of(const std::filesystem::path& file);
  static FileVersion of(const std::vector<std::filesystem::path>& files);
  bool exists() const { return bytes >= 0; }
};

}  // namespace lockstep::base
