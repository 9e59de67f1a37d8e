#include "engine/base/shortened_text.h"

#include <algorithm>

#include "engine/base/utf8.h"

namespace lockstep::base {
namespace {

constexpr std::size_t kMaxBytes = 60;

/// Length of the control character or line break at the start of `text`: 0 (none) to 3 bytes.
std::size_t controlBytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  if (text.size() > 1 && byte(0) == 0xc2 && byte(1) < 0xa0) return 2;  // U+0080 … U+009F
  return text.starts_with("\u2028") || text.starts_with("\u2029") ? 3 : 0;
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

std::string shortened(std::string_view text) {
  std::size_t length = std::min(text.size(), kMaxBytes);
  while (length > 0 && length < text.size() && isUtf8Continuation(text[length])) --length;
  return printable(text.substr(0, length)) + (length < text.size() ? "…" : "");
}

}  // namespace lockstep::base
