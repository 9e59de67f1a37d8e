#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::events {

/// TFRecord's masked CRC: rotated and offset, so that checksums over data with embedded checksums
/// stay strong.
constexpr std::uint32_t maskCrc(std::uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

/// TFRecord framing: length (8 bytes), checksum of the length (4), data, checksum of the data (4).
struct Frame {
  enum class Status {
    Whole,    ///< the data is valid
    Damaged,  ///< wrong data checksum: skip the record
    Partial,  ///< incomplete: still being written, or truncated
    Broken,   ///< wrong length checksum: later records cannot be found
  };
  Status status = Status::Partial;
  std::string_view data;
  std::size_t bytes = 0;  ///< of the whole frame; 0 if Broken, or Partial without a length
};

/// The frame at the start of `bytes`. A header of zeros is Partial: a power failure can leave such
/// a tail in a file.
Frame readFrame(std::string_view bytes);

std::string frameOf(std::string_view data);

}  // namespace lockstep::events
