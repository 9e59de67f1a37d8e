#include "engine/base/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

namespace lockstep::base {
namespace {

static_assert(std::endian::native == std::endian::little, "words are loaded in memory order");

using Table = std::array<std::array<std::uint32_t, 256>, 8>;

/// tables[k][b]: the checksum of byte b followed by k zero bytes.
constexpr Table makeTables() {
  Table tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0U);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Table kTables = makeTables();

#ifdef __x86_64__
/// By the instruction of SSE 4.2, which most x86-64 processors have.
__attribute__((target("sse4.2"))) std::uint32_t crc32cByInstruction(std::string_view bytes,
                                                                    std::uint32_t before) {
  std::uint64_t crc = ~before;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    crc = __builtin_ia32_crc32di(crc, word);
  }
  auto rest = static_cast<std::uint32_t>(crc);
  for (; left > 0; ++at, --left)
    rest = __builtin_ia32_crc32qi(rest, static_cast<unsigned char>(*at));
  return ~rest;
}
#endif

using Function = std::uint32_t (*)(std::string_view, std::uint32_t);

Function fastest() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("sse4.2")) return crc32cByInstruction;
#endif
  return crc32cByTables;
}

}  // namespace

/// Slicing-by-8: eight bytes per iteration with eight tables (Kounavis and Berry, 2005).
std::uint32_t crc32cByTables(std::string_view bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    word ^= crc;
    crc = 0;
    for (std::size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][(word >> (8 * k)) & 0xff];
  }
  for (; left > 0; ++at, --left) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(*at)) & 0xff];
  }
  return ~crc;
}

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
  static const Function function = fastest();
  return function(bytes, before);
}

}  // namespace lockstep::base
