#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

namespace lockstep::base {

struct MappedPages;

/// A file mapped into memory for reading. Pages that cannot be read, because the file was truncated
/// or its disk failed, are zeros, where a plain mapping would end the process with SIGBUS.
class MappedFile {
 public:
  /// nullopt: the file is empty, its file system has no mappings, or too many files are mapped.
  static std::optional<MappedFile> map(int descriptor, std::size_t bytes);

  std::string_view view() const;
  bool hasLostPages() const;
  /// After every 2 MiB gives all pages back to the kernel, which keeps them in its cache.
  /// Thread-safe.
  void used(std::size_t bytes) const;

 private:
  struct Unmap {
    void operator()(MappedPages* pages) const;
  };
  explicit MappedFile(MappedPages* pages) : pages_(pages) {}

  std::unique_ptr<MappedPages, Unmap> pages_;
};

}  // namespace lockstep::base
