#include "engine/protocol/json_text.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"

namespace lockstep::protocol {
namespace {

constexpr std::size_t kMaxDepth = 100;

/// The parser keeps its stack on the heap, but copying or traversing the value recurses: the depth
/// is limited first.
bool isTooDeep(std::string_view text) {
  std::size_t depth = 0;
  bool inString = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inString) {
      if (c == '\\') ++i;
      inString = c != '"';
    } else if (c == '"') {
      inString = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) return true;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace

nlohmann::json parseObject(std::string_view text, std::string_view what) {
  const std::string where(what);
  if (isTooDeep(text)) {
    throw Error(where + ": nested more than " + std::to_string(kMaxDepth) + " levels deep");
  }
  nlohmann::json object;
  try {
    object = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw Error(where + ": invalid JSON at byte " + std::to_string(error.byte));
  } catch (const nlohmann::json::exception&) {
    throw Error(where + ": contains a number that is out of range");
  }
  if (!object.is_object()) {
    throw Error(where + ": must be a JSON object, not " + kindOf(object));
  }
  return object;
}

nlohmann::json parseJson(std::string_view text) {
  if (isTooDeep(text)) return nlohmann::json::value_t::discarded;
  return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
}

nlohmann::ordered_json parseOrderedJson(std::string_view text) {
  if (isTooDeep(text)) return nlohmann::ordered_json::value_t::discarded;
  return nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
}

std::string indented(std::string_view json) { return parseOrderedJson(json).dump(2); }

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
      return "a string";
    case nlohmann::json::value_t::boolean:
      return "a boolean";
    default:
      return "a number";
  }
}

}  // namespace lockstep::protocol
