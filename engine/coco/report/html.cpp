#include "engine/coco/report/html.h"

#include <algorithm>
#include <cstdio>

#include "engine/base/number_text.h"

namespace lockstep::coco::report {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool isContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

/// Bytes of the character that begins the text, 0: none does.
std::size_t characterBytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (!isContinuation(text[i])) return 0;
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  const bool isOverlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool isNone =
      (code >= 0xd800 && code < 0xe000) || code > 0x10ffff || code == 0xfffe || code == 0xffff;
  return isOverlong || isNone ? 0 : length;
}

std::string_view entityOf(char byte) {
  switch (byte) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

bool isControl(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return (code < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || code == 0x7f;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = characterBytes(text);
    const std::string_view entity = entityOf(text[0]);
    if (length == 0 || isControl(text[0])) {
      out += kReplacement;
    } else {
      out += entity.empty() ? text.substr(0, length) : entity;
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string cutTo(std::string_view text, std::size_t characters) {
  std::size_t begins = 0, end = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (isContinuation(text[i])) continue;
    if (++begins == characters) end = i;
    if (begins > characters) return std::string(text.substr(0, end)) + "…";
  }
  return std::string(text);
}

std::string figure(double value, int decimals) {
  if (value < 0) return "–";
  char text[400];  // the longest double
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string signedFigure(double value, int decimals) {
  char text[400];
  std::snprintf(text, sizeof text, "%+.*f", decimals, value);
  return text;
}

std::string coordinate(double value) { return base::shortNumber(value, 7); }

std::string grouped(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, "\u202f");
  return digits;
}

std::string counted(std::uint64_t count, const char* noun) {
  return grouped(count) + " " + base::plural(count, noun);
}

std::string textCell(const std::string& content) { return "<td>" + content + "</td>"; }

std::string numberCell(const std::string& content) {
  return "<td class=\"n\">" + content + "</td>";
}

}  // namespace lockstep::coco::report
