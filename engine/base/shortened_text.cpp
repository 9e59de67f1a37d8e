#include "engine/base/shortened_text.h"

#include <algorithm>
#include <cstdio>

#include "engine/base/utf8.h"

namespace lockstep::base {
std::size_t controlBytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  if (text.size() > 1 && byte(0) == 0xc2 && byte(1) < 0xa0) return 2;  // U+0080 … U+009F
  if (text.size() < 3 || byte(0) != 0xe2) return 0;
  const bool isBreakOrTurn = byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae;
  const bool isIsolate = byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9;
  return isBreakOrTurn || isIsolate ? 3 : 0;
}

namespace {

/// `\x1b` or `\u202e`, of a control character of 1 to 3 bytes.
std::string escapeOf(std::string_view control) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(control[i]); };
  const unsigned code = control.size() == 1 ? byte(0)
                        : control.size() == 2
                            ? (byte(0) & 0x1fU) << 6 | (byte(1) & 0x3fU)
                            : (byte(0) & 0x0fU) << 12 | (byte(1) & 0x3fU) << 6 | (byte(2) & 0x3fU);
  char text[8];
  std::snprintf(text, sizeof text, control.size() == 1 ? "\\x%02x" : "\\u%04x", code);
  return text;
}

/// Length of the blank or control character at the start of `text`, as controlBytes(). Blanks
/// include a byte order mark.
std::size_t blankBytes(std::string_view text) {
  for (const std::string_view blank : {" ", "\u00a0", "\u3000", "\u200b", "\ufeff"})
    if (text.starts_with(blank)) return blank.size();
  return controlBytes(text);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t control = controlBytes(text.substr(i));
    shown += control > 0 ? ' ' : text[i];
    i += std::max<std::size_t>(control, 1);
  }
  return shown;
}

std::string shortened(std::string_view text, std::size_t maxBytes) {
  std::size_t length = std::min(text.size(), maxBytes);
  while (length > 0 && length < text.size() && isUtf8Continuation(text[length])) --length;
  return printable(text.substr(0, length)) + (length < text.size() ? "…" : "");
}

std::string escaped(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t control =
        text[i] == '\n' || text[i] == '\t' ? 0 : controlBytes(text.substr(i));
    shown += control > 0 ? escapeOf(text.substr(i, control)) : std::string(1, text[i]);
    i += std::max<std::size_t>(control, 1);
  }
  return shown;
}

std::string simplified(std::string_view text) {
  std::string name;
  bool isBlankPending = false;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t blank = blankBytes(text.substr(i));
    if (blank == 0) {
      if (isBlankPending) name += ' ';
      name += text[i];
    }
    isBlankPending = blank > 0 && !name.empty();
    i += std::max<std::size_t>(blank, 1);
  }
  return name;
}

}  // namespace lockstep::base
