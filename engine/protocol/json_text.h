#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

/// Reads the JSON that base::JsonWriter writes.
namespace lockstep::protocol {

/// Parses a JSON object. Throws Error `WHAT: …` for text that is no JSON, no object or nested over
/// 100 deep.
nlohmann::json parseObject(std::string_view text, std::string_view what);

/// The number that a value stands for, "NaN" and its like included; nothing when it is none.
std::optional<double> numberOf(const nlohmann::json& value);
/// The integer a value is; nothing when it is none or does not fit.
std::optional<std::int64_t> integerOf(const nlohmann::json& value);
/// "a number", "a text", …: for error messages.
const char* kindOf(const nlohmann::json& value);

}  // namespace lockstep::protocol
