#include "engine/protocol/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"

namespace lockstep::protocol {
namespace {

constexpr std::size_t kMaxDepth = 100;

bool isPlainAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
}

std::string quoted(std::string_view text) {
  if (isPlainAscii(text)) return '"' + std::string(text) + '"';
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <typename Real>
std::string shortest(Real number) {
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return std::string(digits, end);
}

/// Text of a number that is not finite, with its quotes; null for a finite one.
const char* nonFiniteText(double number) {
  if (std::isnan(number)) return "\"NaN\"";
  if (std::isinf(number)) return number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  return nullptr;
}

/// The parser keeps its nesting on the heap, but whoever walks the value recurses: so the depth is
/// bounded first.
bool isTooDeep(std::string_view text) {
  std::size_t depth = 0;
  bool inText = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inText) {
      if (c == '\\') ++i;
      inText = c != '"';
    } else if (c == '"') {
      inText = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) return true;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

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
  out_ += quoted(name);
  out_ += ':';
  needsComma_ = false;
}

void JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
}

void JsonWriter::value(std::int64_t number) { raw(std::to_string(number)); }

void JsonWriter::value(double number) {
  if (const char* text = nonFiniteText(number)) return raw(text);
  // Readers take "-0" for the integer 0.
  raw(number == 0 && std::signbit(number) ? "-0.0" : shortest(number));
}

void JsonWriter::value(float number) {
  if (!std::isfinite(number) || number == 0) return value(static_cast<double>(number));
  const std::string text = shortest(number);
  double readBack = 0;
  std::from_chars(text.data(), text.data() + text.size(), readBack);
  // Most readers go through double, and rounding twice may miss the float.
  if (static_cast<float>(readBack) == number) return raw(text);
  value(static_cast<double>(number));
}

void JsonWriter::value(std::string_view text) { raw(quoted(text)); }

nlohmann::json parseObject(std::string_view text, std::string_view what) {
  const std::string where(what);
  if (isTooDeep(text)) {
    throw Error(where + ": nested over " + std::to_string(kMaxDepth) + " deep");
  }
  nlohmann::json object;
  try {
    object = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw Error(where + ": not JSON, wrong at byte " + std::to_string(error.byte));
  } catch (const nlohmann::json::exception&) {
    throw Error(where + ": holds a number that is out of range");
  }
  if (!object.is_object()) {
    throw Error(where + ": must be a JSON object, not " + kindOf(object));
  }
  return object;
}

std::optional<double> numberOf(const nlohmann::json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return kInfinity;
  if (text == "-Infinity") return -kInfinity;
  return std::nullopt;
}

std::optional<std::int64_t> integerOf(const nlohmann::json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return std::nullopt;
    }
  }
  return value.get<std::int64_t>();
}

const char* kindOf(const nlohmann::json& value) {
  switch (value.type()) {
    case nlohmann::json::value_t::null:
      return "null";
    case nlohmann::json::value_t::object:
      return "an object";
    case nlohmann::json::value_t::array:
      return "a list";
    case nlohmann::json::value_t::string:
      return "a text";
    case nlohmann::json::value_t::boolean:
      return "true or false";
    default:
      return "a number";
  }
}

}  // namespace lockstep::protocol
