#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::events {

/// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78), as iSCSI and event files use it.
std::uint32_t crc32c(std::string_view bytes);

/// How event files store a checksum: rotated and offset, so that a checksum of bytes that hold
/// checksums stays strong.
constexpr std::uint32_t maskCrc(std::uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

}  // namespace lockstep::events
