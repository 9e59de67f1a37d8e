#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/base/mapped_file.h"

namespace lockstep::base {

/// The bytes of a file, in memory that was not set to zero first, which for hundreds of megabytes
/// takes as long as reading them, or in a mapping.
class FileText {
 public:
  explicit FileText(std::string_view text);
  /// Throws as readFile().
  static FileText read(const std::filesystem::path& path);
  /// A large file is not copied: its parts are read when they are used, and again if that is after
  /// forgetting them. If the file shrinks meanwhile, the lost bytes are zeros and hasChanged().
  /// Throws as readFile().
  static FileText map(const std::filesystem::path& path);

  std::string_view view() const { return view_; }
  bool hasChanged() const { return mapping_ && mapping_->hasLostPages(); }
  /// Counts bytes that were used of a mapped file, and now and then forgets all, so that few are in
  /// memory at a time. Thread-safe.
  void used(std::size_t bytes) const {
    if (mapping_) mapping_->used(bytes);
  }

 private:
  FileText() = default;

  std::unique_ptr<char[]> data_;
  std::optional<MappedFile> mapping_;
  std::string_view view_;
};

}  // namespace lockstep::base
