#pragma once

#include <cstdint>

namespace lockstep::events {

/// How event files store a checksum: rotated and offset, so that a checksum of bytes that hold
/// checksums stays strong.
constexpr std::uint32_t maskCrc(std::uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

}  // namespace lockstep::events
