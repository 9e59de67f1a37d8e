#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

/// Reads the JSON that base::JsonWriter writes, and lays it out.
namespace lockstep::protocol {

/// Parses a JSON object. Throws Error `WHAT: …` for invalid JSON, other JSON values and nesting
/// deeper than 100 levels.
nlohmann::json parseObject(std::string_view text, std::string_view what);

/// Parses any JSON; a discarded value if it is invalid or nested deeper than 100 levels. Each file
/// that calls nlohmann's own parser takes a second longer to compile.
nlohmann::json parseJson(std::string_view text);
/// Keeps the order of members.
nlohmann::ordered_json parseOrderedJson(std::string_view text);

/// The same JSON with two spaces of indentation a level, as the files of a run have it.
std::string indented(std::string_view json);

/// A value as a number, including the strings "NaN", "Infinity" and "-Infinity"; nullopt otherwise.
std::optional<double> numberOf(const nlohmann::json& value);
/// A value as an integer; nullopt if it is not one or out of range.
std::optional<std::int64_t> integerOf(const nlohmann::json& value);
/// "a number", "a string", …: for error messages.
const char* kindOf(const nlohmann::json& value);

}  // namespace lockstep::protocol
