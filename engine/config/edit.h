#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::config {

/// Where the value of a key stands in a text: characters [begin, end) (byte offsets), line and
/// column from 1.
struct ValueSpan {
  std::size_t begin = 0, end = 0;
  int line = 0, column = 0;
};

/// Place of a dotted key's value, or nothing when the text does not give it or is not YAML.
std::optional<ValueSpan> findValue(const std::string& text, std::string_view key);

/// The text with the value of `key` replaced, and no other character changed: comments, order,
/// quotes and blank lines stay. A key that is not there is added to its section, which is added
/// when it is missing too. Flow maps are edited inside their braces. Throws Error when the text is
/// not a YAML map.
std::string setValue(const std::string& text, std::string_view key, std::string_view yamlValue);

/// The text without `key` (its line, or its part of a flow map), so that the inherited value holds
/// again.
std::string removeValue(const std::string& text, std::string_view key);

}  // namespace lockstep::config
