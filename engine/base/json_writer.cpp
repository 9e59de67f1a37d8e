#include "engine/base/json_writer.h"

#include <charconv>
#include <cmath>

#include "engine/base/number_text.h"
#include "engine/base/utf8.h"

namespace lockstep::base {
namespace {

/// The escape sequence of an ASCII byte in a JSON string; empty: none.
std::string escapeOf(char byte) {
  switch (byte) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      break;
  }
  const auto code = static_cast<unsigned char>(byte);
  if (code >= 0x20) return {};
  constexpr char kHex[] = "0123456789abcdef";
  return {'\\', 'u', '0', '0', kHex[code >> 4], kHex[code & 15]};
}

bool isPlain(char byte) { return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\'; }

}  // namespace

void JsonWriter::separate() {
  if (needsComma_) out_ += ',';
  needsComma_ = true;
}

void JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  needsComma_ = false;
}

void JsonWriter::close(char bracket) {
  out_ += bracket;
  needsComma_ = true;
}

void JsonWriter::key(std::string_view name) {
  separate();
  appendQuoted(name);
  out_ += ':';
  needsComma_ = false;
}

void JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
}

void JsonWriter::value(std::int64_t number) {
  char digits[24];
  raw({digits, std::to_chars(digits, digits + sizeof digits, number).ptr});
}

void JsonWriter::value(double number) {
  if (const char* text = nonFiniteText(number)) return value(text);
  // Readers parse "-0" as the integer 0.
  raw(number == 0 && std::signbit(number) ? "-0.0" : shortestNumber(number));
}

void JsonWriter::value(float number) {
  if (!std::isfinite(number) || number == 0) return value(static_cast<double>(number));
  const std::string text = shortestNumber(number);
  double readBack = 0;
  std::from_chars(text.data(), text.data() + text.size(), readBack);
  // Most readers parse to double first, and double rounding may give another float.
  if (static_cast<float>(readBack) == number) return raw(text);
  value(static_cast<double>(number));
}

void JsonWriter::value(std::string_view text) {
  separate();
  appendQuoted(text);
}

void JsonWriter::appendQuoted(std::string_view text) {
  out_ += '"';
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = 0;
    while (i + length < text.size() && isPlain(text[i + length])) ++length;
    if (length == 0) length = utf8CharacterLength(text, i);
    const std::string escape = length == 1 ? escapeOf(text[i]) : std::string();
    if (length == 0) {
      out_ += kUtf8Replacement;
      length = utf8InvalidLength(text, i);
    } else {
      out_ += escape.empty() ? text.substr(i, length) : escape;
    }
    i += length;
  }
  out_ += '"';
}

}  // namespace lockstep::base
