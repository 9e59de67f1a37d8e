#include "engine/coco/report/html.h"

#include <algorithm>
#include <cstdio>

#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/base/utf8.h"

namespace lockstep::coco::report {
namespace {

/// Length in bytes of the XML character at the start of the text; 0 if it is not one.
std::size_t characterBytes(std::string_view text) {
  const bool isNone = text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf");
  return isNone ? 0 : base::utf8CharacterLength(text, 0);
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

bool isWhitespace(char byte) { return byte == '\t' || byte == '\n' || byte == '\r'; }

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = characterBytes(text);
    const std::string_view entity = entityOf(text[0]);
    const bool isControl = !isWhitespace(text[0]) && base::controlBytes(text) > 0;
    if (length == 0 || isControl) {
      out += base::kUtf8Replacement;
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
    if (base::isUtf8Continuation(text[i])) continue;
    if (++begins == characters) end = i;
    if (begins > characters) return std::string(text.substr(0, end)) + "…";
  }
  return std::string(text);
}

std::string figure(double value, int decimals) {
  if (value < 0) return "–";
  char text[400];  // enough for the longest double
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string coordinate(double value) { return base::shortNumber(value, 7); }

std::string grouped(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, "\u202f");
  return digits;
}

std::string groupedCount(std::uint64_t count, const char* noun) {
  return grouped(count) + " " + base::plural(count, noun);
}

std::string textCell(const std::string& content) { return "<td>" + content + "</td>"; }

std::string numberCell(const std::string& content) {
  return "<td class=\"n\">" + content + "</td>";
}

}  // namespace lockstep::coco::report
