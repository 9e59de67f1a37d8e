#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::events {

/// How event files store a checksum: rotated and offset, so that a checksum of bytes that hold
/// checksums stays strong.
constexpr std::uint32_t maskCrc(std::uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

/// How a record lies in the file: length (8 bytes), checksum of the length (4), data, checksum of
/// the data (4).
struct Frame {
  enum class Status {
    Whole,    ///< data is right
    Damaged,  ///< the data's checksum is wrong: skip it
    Partial,  ///< its end is not there yet, or was torn off
    Broken,   ///< the length's checksum is wrong: nothing after it can be found
  };
  Status status = Status::Partial;
  std::string_view data;
  std::size_t bytes =
      0;  ///< of the whole frame; known unless Broken; of Partial: 0 while its length is not there
};

/// The frame at the beginning of `bytes`. Zeros where a length should be are Partial: so a file
/// ends whose last blocks a power cut kept from the disk.
Frame readFrame(std::string_view bytes);

std::string frameOf(std::string_view data);

}  // namespace lockstep::events
