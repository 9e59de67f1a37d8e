#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::base {

/// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78), as iSCSI and event files use it. Of bytes
/// that come in parts: `before` is the checksum of those that came already.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

}  // namespace lockstep::base
