#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>

namespace lockstep::base {

/// Device and inode of a file or folder, which identify it independently of its path.
struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;
  bool operator==(const FileIdentity&) const = default;

  /// nullopt when it does not exist.
  static std::optional<FileIdentity> of(const std::filesystem::path& path) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0) return std::nullopt;
    return FileIdentity{facts.st_dev, facts.st_ino};
  }
};

}  // namespace lockstep::base

template <>
struct std::hash<lockstep::base::FileIdentity> {
  std::size_t operator()(const lockstep::base::FileIdentity& file) const noexcept {
    return std::hash<ino_t>()(file.number) * 31 + std::hash<dev_t>()(file.device);
  }
};
