#include "engine/base/utf8.h"

namespace lockstep::base {

std::size_t utf8CharacterLength(std::string_view text, std::size_t offset) {
  const auto byteAt = [&](std::size_t place) {
    return place < text.size() ? static_cast<unsigned char>(text[place]) : 0U;
  };
  const unsigned first = byteAt(offset), second = byteAt(offset + 1);
  const auto isTail = [](unsigned byte) { return (byte & 0xc0U) == 0x80U; };
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return isTail(second) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool isOverlong = first == 0xe0 && second < 0xa0;
    const bool isSurrogate = first == 0xed && second > 0x9f;
    return isTail(second) && isTail(byteAt(offset + 2)) && !isOverlong && !isSurrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool isOverlong = first == 0xf0 && second < 0x90;
    const bool isTooLarge = first == 0xf4 && second > 0x8f;
    return isTail(second) && isTail(byteAt(offset + 2)) && isTail(byteAt(offset + 3)) &&
                   !isOverlong && !isTooLarge
               ? 4
               : 0;
  }
  return 0;
}

bool isUtf8(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t length = utf8CharacterLength(text, offset);
    if (length == 0) return false;
    offset += length;
  }
  return true;
}

}  // namespace lockstep::base
