#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::base {

/// Length of the character at `offset`, 1 to 4 bytes; 0 for invalid UTF-8: an unexpected byte, a
/// truncated or overlong character, a surrogate or a code point over U+10FFFF.
std::size_t utf8CharacterLength(std::string_view text, std::size_t offset);
/// For invalid UTF-8: the bytes that one U+FFFD replaces (Unicode 3.9, maximal subpart), 1 to 3.
std::size_t utf8InvalidLength(std::string_view text, std::size_t offset);
bool isUtf8(std::string_view text);

/// Whether it is a continuation byte.
constexpr bool isUtf8Continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}
/// The number of code points: bytes that are not continuation bytes.
std::size_t utf8Length(std::string_view text);

/// Converts A to Z to lower case; other characters are unchanged.
std::string lowerCase(std::string_view text);

inline constexpr std::string_view kUtf8Replacement = "\xef\xbf\xbd";  // U+FFFD

}  // namespace lockstep::base
