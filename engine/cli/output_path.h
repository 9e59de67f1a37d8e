#pragma once

#include <filesystem>
#include <string>

namespace lockstep::cli {

/// Absolute path of a file that will be written; finds out now, before the work, whether that can
/// succeed. `option` begins the message. Throws Error (mendable).
std::filesystem::path checkOutputFile(const std::string& path, const std::string& option);
/// The same for a folder that will be put there whole.
std::filesystem::path checkNewFolder(const std::string& path, const std::string& option);
/// The same for a folder, which is made.
std::filesystem::path makeOutputFolder(const std::string& path, const std::string& option);

/// A folder for a command's own files; goes with this object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace lockstep::cli
