#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::base {

/// Bytes of the character that begins at `offset`, which is in the text: 1 to 4; 0 where none
/// begins: a byte out of place, a character cut off, overlong, a surrogate or over U+10FFFF.
std::size_t utf8CharacterLength(std::string_view text, std::size_t offset);
/// Where none begins: the bytes for which one U+FFFD stands (Unicode 3.9, maximal subpart), 1 to 3.
std::size_t utf8FaultLength(std::string_view text, std::size_t offset);
bool isUtf8(std::string_view text);

/// Whether the byte goes on a character that began before.
constexpr bool isUtf8Continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}
/// How many characters the text has: its bytes that are no continuation.
std::size_t utf8Length(std::string_view text);

/// A to Z in lower case; every other character as it is.
std::string lowerCase(std::string_view text);

inline constexpr std::string_view kUtf8Replacement = "\xef\xbf\xbd";  // U+FFFD

}  // namespace lockstep::base
