#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "engine/base/file_descriptor.h"

namespace lockstep::dataset_check {

/// Keeps bytes in memory up to a limit, and what is beyond in a temporary file without a name.
/// Thread-safe. Throws SystemError if the file cannot be written or read.
class ByteStore {
 public:
  struct Kept {
    std::vector<std::uint8_t> inMemory{};
    std::size_t offset = 0, size = 0;  ///< in the file, if they are not in memory
  };

  explicit ByteStore(std::size_t mostBytesInMemory) : mostBytes_(mostBytesInMemory) {}

  Kept keep(std::span<const std::uint8_t> bytes);
  /// Valid as long as `kept` and `buffer`, which is used for bytes of the file.
  std::span<const std::uint8_t> get(const Kept& kept, std::vector<std::uint8_t>& buffer) const;

 private:
  void openFile();

  std::size_t mostBytes_;
  std::atomic<std::size_t> bytesInMemory_ = 0, bytesInFile_ = 0;
  std::once_flag isOpened_;
  base::FileDescriptor file_;
};

}  // namespace lockstep::dataset_check
