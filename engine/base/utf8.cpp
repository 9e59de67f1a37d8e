#include "engine/base/utf8.h"

#include <algorithm>

namespace lockstep::base {
namespace {

struct Range {
  unsigned char first, last;
  bool holds(unsigned char byte) const { return first <= byte && byte <= last; }
};

/// Length of a character with this first byte; 0: invalid.
std::size_t lengthFrom(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return 2;
  if (first < 0xf0) return 3;
  return first < 0xf5 ? 4 : 0;
}

/// The number of valid bytes of the character at `offset`; `expected` is its full length, 0 for an
/// invalid first byte. Unicode table 3-7.
std::size_t wellFormed(std::string_view text, std::size_t offset, std::size_t& expected) {
  const auto first = static_cast<unsigned char>(text[offset]);
  expected = lengthFrom(first);
  Range range{0x80, 0xbf};
  if (first == 0xe0) range.first = 0xa0;  // else overlong
  if (first == 0xed) range.last = 0x9f;   // else a surrogate
  if (first == 0xf0) range.first = 0x90;  // else overlong
  if (first == 0xf4) range.last = 0x8f;   // else over U+10FFFF
  std::size_t length = std::min<std::size_t>(expected, 1);
  for (; length < expected && offset + length < text.size(); ++length) {
    if (!range.holds(static_cast<unsigned char>(text[offset + length]))) break;
    range = {0x80, 0xbf};
  }
  return length;
}

}  // namespace

std::size_t utf8CharacterLength(std::string_view text, std::size_t offset) {
  std::size_t expected = 0;
  return wellFormed(text, offset, expected) == expected ? expected : 0;
}

std::size_t utf8InvalidLength(std::string_view text, std::size_t offset) {
  std::size_t expected = 0;
  return std::max<std::size_t>(wellFormed(text, offset, expected), 1);
}

bool isUtf8(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t length = utf8CharacterLength(text, offset);
    if (length == 0) return false;
    offset += length;
  }
  return true;
}

std::size_t utf8Length(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !isUtf8Continuation(byte); }));
}

std::string lowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

}  // namespace lockstep::base
