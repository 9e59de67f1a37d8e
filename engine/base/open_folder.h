#pragma once

#include <filesystem>

#include "engine/base/file_descriptor.h"

namespace lockstep::base {

/// Tells a folder from another one that takes its path later. While this lives, no other folder
/// gets its inode.
class OpenFolder {
 public:
  explicit OpenFolder(std::filesystem::path path);
  /// True while the path leads to it.
  bool isInPlace() const;

 private:
  std::filesystem::path path_;
  FileDescriptor folder_;
};

}  // namespace lockstep::base
