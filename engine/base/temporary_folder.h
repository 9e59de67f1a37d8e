#pragma once

#include <filesystem>

namespace lockstep::base {

/// A folder of this user alone in the system's temporary folder, removed by the destructor.
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
};

}  // namespace lockstep::base
