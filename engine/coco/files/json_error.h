#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::coco {

/// Where a JSON text is invalid; all from 1.
struct JsonError {
  std::size_t line = 0, column = 0, byte = 0;
  std::string reason;  ///< printable ASCII
};

/// simdjson does not say where: the text is parsed again, without building its values. nullopt: no
/// error is found.
std::optional<JsonError> findJsonError(std::string_view text);

}  // namespace lockstep::coco
