#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::base {

/// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78), as in iSCSI and event files. For data in
/// several buffers, `before` is the checksum of the preceding bytes.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

/// The same on a processor without an instruction for it.
std::uint32_t crc32cByTables(std::string_view bytes, std::uint32_t before = 0);

}  // namespace lockstep::base
