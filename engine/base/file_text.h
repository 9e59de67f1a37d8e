#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

namespace lockstep::base {

/// Bytes in memory that was not set to zero first, which for hundreds of megabytes takes as long as
/// reading them.
class FileText {
 public:
  explicit FileText(std::string_view text);
  /// Throws as readFile().
  static FileText read(const std::filesystem::path& path);

  std::string_view view() const { return {data_.get(), size_}; }
  char* data() { return data_.get(); }

 private:
  FileText() = default;

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
};

}  // namespace lockstep::base
