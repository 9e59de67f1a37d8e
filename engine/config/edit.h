#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::config {

/// Position of a value in a text: byte offsets [begin, end), line and column from 1.
struct ValueSpan {
  std::size_t begin = 0, end = 0;
  int line = 0, column = 0;
};

/// Position of a dotted key's value, or nothing when the text lacks the key or is not YAML.
std::optional<ValueSpan> findValue(const std::string& text, std::string_view key);

/// Replaces the value of `key` and changes no other character: comments, order, quotes and blank
/// lines stay. A missing key is added to its section, and a missing section too. Flow maps are
/// edited inside their braces. Throws a user error when the text is not a YAML map or the value
/// cannot be set this way.
std::string setValue(const std::string& text, std::string_view key, std::string_view yamlValue);

/// Removes `key` (its line, or its entry in a flow map), so that the inherited value applies again.
std::string removeValue(const std::string& text, std::string_view key);

}  // namespace lockstep::config
