#pragma once

#include <filesystem>

namespace lockstep::base {

/// A folder that appears whole or not at all: it is made beside its target, which finish() renames
/// it to; else the destructor deletes it with its content.
class NewFolder {
 public:
  /// Throws UserError if the target exists and is not an empty folder, or cannot be made.
  explicit NewFolder(const std::filesystem::path& target);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  const std::filesystem::path& path() const { return temporary_; }
  /// Throws Error.
  void finish() const;

 private:
  std::filesystem::path target_, temporary_;
};

}  // namespace lockstep::base
