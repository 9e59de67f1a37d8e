#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

/// Reads the JSON that base::JsonWriter writes.
namespace lockstep::protocol {

/// Parses a JSON object. Throws Error `WHAT: …` for invalid JSON, other JSON values and nesting
/// deeper than 100 levels.
nlohmann::json parseObject(std::string_view text, std::string_view what);

/// A value as a number, including the strings "NaN", "Infinity" and "-Infinity"; nullopt otherwise.
std::optional<double> numberOf(const nlohmann::json& value);
/// A value as an integer; nullopt if it is not one or out of range.
std::optional<std::int64_t> integerOf(const nlohmann::json& value);
/// "a number", "a string", …: for error messages.
const char* kindOf(const nlohmann::json& value);

}  // namespace lockstep::protocol
